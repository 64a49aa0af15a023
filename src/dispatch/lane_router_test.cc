// Where work goes and what it waits for.

#include "dispatch/lane_router.h"

#include <gtest/gtest.h>

namespace wherry::dispatch {
namespace {

Touched touching(std::vector<std::uint64_t> values) {
  Touched touched;
  touched.tables = {1};
  touched.conflicts.values = std::move(values);
  return touched;
}

Touched opaque_table(std::uint32_t table) {
  Touched touched;
  touched.tables = {table};
  touched.opaque_tables = {table};
  return touched;
}

using Needs = std::vector<std::pair<unsigned, std::uint64_t>>;

class LaneRouterTest : public ::testing::Test {
 protected:
  static LaneQueues three_lanes() {
    LaneQueues lanes;
    for (int i = 0; i < 3; ++i) lanes.push_back(std::make_unique<LaneQueue>());
    return lanes;
  }
  Work next(unsigned lane) {
    auto work = lanes_[lane]->pop_if([](const Work&) { return true; });
    EXPECT_TRUE(work) << "lane " << lane;
    return work ? std::move(*work) : Work{};
  }

  LaneQueues lanes_ = three_lanes();
  Board board_{3, Dialect::mysql, {}};
  LaneRouter router_{lanes_, board_};
};

TEST_F(LaneRouterTest, ConflictInOneLaneFollowsIt) {
  router_.send({}, touching({5}), 2);
  router_.send({}, touching({5}), LaneRouter::kAnyLane);
  EXPECT_EQ(next(2).seq, 1u);
  const Work second = next(2);
  EXPECT_EQ(second.seq, 2u);
  EXPECT_TRUE(second.needs.empty());
}

TEST_F(LaneRouterTest, ConflictInSeveralLanesWaitsForTheOthers) {
  router_.send({}, touching({1}), 0);
  router_.send({}, touching({2}), 1);
  router_.send({}, touching({9}), 2);
  router_.send({}, touching({3}), 2);
  router_.send({}, touching({1, 2, 3}), LaneRouter::kAnyLane);
  next(2);
  next(2);
  const Work both = next(2);  // the lane with most before it
  EXPECT_EQ(both.seq, 3u);
  EXPECT_EQ(both.needs, (Needs{{0, 1}, {1, 1}}));
}

TEST_F(LaneRouterTest, FixedLaneWaitsForAllOthers) {
  router_.send({}, touching({1}), 0);
  router_.send({}, touching({1}), 1);
  next(0);
  EXPECT_EQ(next(1).needs, (Needs{{0, 1}}));
}

TEST_F(LaneRouterTest, WorkInBetweenIsWaitedForThroughTheLast) {
  router_.send({}, touching({1}), 0);
  router_.send({}, touching({1}), 1);
  router_.send({}, touching({1}), 2);
  // Lane 1 waits for lane 0 already.
  EXPECT_EQ(next(2).needs, (Needs{{1, 1}}));
}

TEST_F(LaneRouterTest, OpaqueWorkWaitsForTheTableAndHoldsItBack) {
  router_.send({}, touching({1}), 0);
  router_.send({}, touching({2}), 1);
  router_.send({}, opaque_table(1), 2);
  EXPECT_EQ(next(2).needs, (Needs{{0, 1}, {1, 1}}));
  router_.send({}, touching({77}), 0);
  next(0);
  EXPECT_EQ(next(0).needs, (Needs{{2, 1}}));
  router_.send({}, opaque_table(2), 1);
  next(1);
  EXPECT_TRUE(next(1).needs.empty());
}

TEST_F(LaneRouterTest, IndependentWorkSpreadsOverLanes) {
  for (std::uint64_t n = 1; n <= 2000; ++n) {
    Work work;
    work.bytes = 100;
    router_.send(std::move(work), touching({n}), LaneRouter::kAnyLane);
  }
  for (const auto& lane : lanes_) EXPECT_GT(lane->waiting_bytes(), 0u);
}

TEST_F(LaneRouterTest, CommittedWorkIsForgottenInTime) {
  router_.send({}, touching({1}), 0);
  board_.committed(0, 1, {});
  for (std::uint64_t n = 100; n < 300; ++n) router_.send({}, touching({n}), 2);
  router_.send({}, touching({1}), 1);
  EXPECT_TRUE(next(1).needs.empty());
}

TEST_F(LaneRouterTest, DrainEndsWhenAllIsCommitted) {
  router_.send({}, touching({1}), 0);
  router_.send({}, touching({2}), 1);
  board_.committed(0, 1, {});
  board_.committed(1, 1, {});
  EXPECT_TRUE(router_.drain());
  router_.send({}, touching({3}), 1);
  board_.close();
  EXPECT_FALSE(router_.drain());
}

}  // namespace
}  // namespace wherry::dispatch
