// Chunks take their place without the rows that changed since they were read, or not at all.

#include "dispatch/placement.h"

#include <gtest/gtest.h>

#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr char kUuid[] = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
constexpr std::uint64_t kGeneration = 7;

Hash128 row(std::uint64_t number) { return {number, ~number}; }

class PlacementTest : public ::testing::Test {
 protected:
  explicit PlacementTest(bool keep_changed = false, std::size_t ring_bytes = 1 << 20)
      : ring_(ring_bytes),
        placement_(ring_, router_,
                   {[this](const Chunk& chunk) { placed_.push_back(chunk.placed_at); },
                    [this](const Chunk&, const std::string& why) { refused_.push_back(why); },
                    [this](const TablePlan&, std::vector<RowKey> keys) {
                      for (RowKey& key : keys) reread_.push_back(key.at(0));
                      return Status(Unit{});
                    }},
                   keep_changed) {}

  // Rows 1, 2, 3 as of an exact point.
  std::shared_ptr<Chunk> chunk_at(std::uint64_t offset) const {
    auto chunk = std::make_shared<Chunk>();
    chunk->plan = plan_;
    chunk->slice = {plan_->id, 0};
    chunk->generation = kGeneration;
    chunk->point.exact = true;
    chunk->point.high = {"bin.000001", offset};
    for (std::uint64_t n = 1; n <= 3; ++n) {
      chunk->starts.push_back(chunk->lines.size());
      chunk->lines += std::to_string(n) + "\tname\n";
      chunk->identities.push_back(row(n));
      chunk->conflicts.push_back(n);
    }
    chunk->rows = 3;
    return chunk;
  }

  void change(std::uint64_t group, std::uint64_t number) {
    ring_.begin({"bin.000001", group * 100}, kUuid, group);
    ring_.add(plan_->id, row(number));
  }

  void give(std::shared_ptr<Chunk> chunk) {
    Inbox::Taken taken;
    taken.chunks.push_back(std::move(chunk));
    placement_.take(taken);
  }
  std::shared_ptr<HoldRequest> ask_hold(std::uint64_t offset) {
    auto request = std::make_shared<HoldRequest>();
    request->plan = plan_;
    request->point.exact = true;
    request->point.high = {"bin.000001", offset};
    Inbox::Taken taken;
    taken.holds.push_back(request);
    placement_.take(taken);
    return request;
  }
  static HoldRequest::Answer answer_of(const HoldRequest& request) {
    return request.answer.read([](const HoldRequest::Answer& answer) { return answer; });
  }
  void run(std::uint64_t group, std::uint64_t generation = kGeneration) {
    ASSERT_TRUE(placement_.run({"bin.000001", group * 100}, group, generation).ok());
  }
  std::optional<Work> next_work() {
    for (auto& lane : lanes_) {
      if (auto work = lane->pop_if([](const Work&) { return true; })) return work;
    }
    return std::nullopt;
  }
  std::string lines_of_next() {
    auto work = next_work();
    return work && work->chunk ? work->chunk->lines : "none";
  }

  PlanPtr plan_ = plan_of(items_table());
  ChangeRing ring_;
  LaneQueues lanes_ = [] {
    LaneQueues lanes;
    for (int i = 0; i < 2; ++i) lanes.push_back(std::make_unique<LaneQueue>());
    return lanes;
  }();
  Board board_{2, Dialect::mysql, {}};
  LaneRouter router_{lanes_, board_};
  std::vector<std::uint64_t> placed_;
  std::vector<std::string> refused_;
  std::vector<std::string> reread_;
  Placement placement_;
};

class FaultyPlacementTest : public PlacementTest {
 protected:
  FaultyPlacementTest() : PlacementTest(true) {}
};
class SmallRingTest : public PlacementTest {
 protected:
  SmallRingTest() : PlacementTest(false, 1000) {}
};

TEST_F(PlacementTest, RowChangedAfterTheExactPointIsDropped) {
  change(1, 1);  // the snapshot shows it
  change(2, 2);
  give(chunk_at(100));
  run(2);
  EXPECT_EQ(lines_of_next(), "1\tname\n3\tname\n");
  EXPECT_EQ(placement_.counters().rows_dropped, 1u);
  EXPECT_EQ(placed_, std::vector<std::uint64_t>{2});
  EXPECT_TRUE(refused_.empty());
  EXPECT_EQ(plan_->state->placed_through, 2u);
}

TEST_F(PlacementTest, DroppedRowThatTheStreamCarriedInPartIsReadAgain) {
  change(2, 2);
  ring_.add_partial(plan_->id, row(2), {"two"});
  ring_.add_partial(plan_->id, row(9), {"nine"});  // not in the chunk
  give(chunk_at(200));
  run(2);
  EXPECT_TRUE(reread_.empty());  // the snapshot shows the change
  give(chunk_at(100));
  run(2);
  EXPECT_EQ(reread_, std::vector<std::string>{"two"});
  auto chunk = chunk_at(100);
  chunk->wanted = {row(9)};  // it was looked for, and not there yet
  give(std::move(chunk));
  run(2);
  EXPECT_EQ(reread_, (std::vector<std::string>{"two", "two", "nine"}));
}

TEST_F(PlacementTest, LineStartsFollowTheKeptRows) {
  change(2, 1);
  give(chunk_at(100));
  run(2);
  const auto work = next_work();
  ASSERT_TRUE(work && work->chunk);
  EXPECT_EQ(work->chunk->starts, (std::vector<std::size_t>{0, 7}));
}

TEST_F(PlacementTest, RowChangedOutsideTheLowSetIsDropped) {
  change(1, 1);
  change(2, 2);
  change(3, 3);
  auto chunk = chunk_at(300);
  chunk->point.exact = false;
  chunk->point.low = std::string(kUuid) + ":1-2";
  give(std::move(chunk));
  run(3);
  EXPECT_EQ(lines_of_next(), "1\tname\n2\tname\n");
}

TEST_F(PlacementTest, ChunkOfOnlyChangedRowsIsPlacedEmpty) {
  for (std::uint64_t n = 1; n <= 3; ++n) change(n + 1, n);
  give(chunk_at(100));
  run(4);
  EXPECT_EQ(lines_of_next(), "");
  EXPECT_EQ(placement_.counters().placed, 1u);
}

TEST_F(FaultyPlacementTest, ChangedRowStaysWithTheFault) {
  change(2, 2);
  give(chunk_at(100));
  run(2);
  EXPECT_EQ(lines_of_next(), "1\tname\n2\tname\n3\tname\n");
  EXPECT_EQ(placement_.counters().rows_dropped, 0u);
}

TEST_F(PlacementTest, ChunkWaitsUntilTheStreamReachesItsPoint) {
  change(1, 1);
  give(chunk_at(300));
  run(1);
  EXPECT_FALSE(next_work());
  change(3, 2);
  run(3);
  EXPECT_EQ(lines_of_next(), "1\tname\n2\tname\n3\tname\n");
  EXPECT_EQ(placed_, std::vector<std::uint64_t>{3});
}

TEST_F(SmallRingTest, ChunkOlderThanTheRingIsRefused) {
  for (std::uint64_t n = 1; n <= 200; ++n) change(n, 50);
  give(chunk_at(100));
  run(200);
  EXPECT_EQ(refused_.size(), 1u);
  EXPECT_FALSE(next_work());
  EXPECT_TRUE(placed_.empty());
  give(chunk_at(20000));
  run(200);
  EXPECT_EQ(placed_.size(), 1u);
}

TEST_F(PlacementTest, ChunkBeforeABarrierIsRefused) {
  change(2, 9);
  ring_.barrier(plan_->id);
  give(chunk_at(100));
  run(2);
  EXPECT_EQ(refused_.size(), 1u);
  EXPECT_FALSE(next_work());
  give(chunk_at(200));
  run(2);
  EXPECT_EQ(placed_.size(), 1u);
}

TEST_F(PlacementTest, ChunkOfAnotherSourceOrEpochIsRefused) {
  give(chunk_at(100));
  run(1, kGeneration + 1);
  EXPECT_EQ(refused_.size(), 1u);
  plan_->state->epoch = 1;
  give(chunk_at(100));
  run(1);
  EXPECT_EQ(refused_.size(), 2u);
  EXPECT_FALSE(next_work());
  EXPECT_EQ(placement_.counters().refused, 2u);
}

TEST_F(PlacementTest, CompleteTableIsForgotten) {
  plan_->state->strict_after = kNotYet;
  change(2, 9);
  auto chunk = chunk_at(200);
  chunk->last = true;
  give(std::move(chunk));
  run(2);
  EXPECT_TRUE(ring_.touched_since(chunk_at(100)->point, plan_->id).value());
  plan_->state->strict_after = 2;  // committed
  run(3);
  EXPECT_FALSE(ring_.touched_since(chunk_at(100)->point, plan_->id).value());
}

TEST_F(PlacementTest, ChunksOfASliceShareALaneInTheirOrder) {
  for (int i = 0; i < 2; ++i) give(chunk_at(100));
  run(1);
  unsigned busy = 0;
  for (auto& lane : lanes_) {
    const auto first = lane->pop_if([](const Work&) { return true; });
    if (!first) continue;
    ++busy;
    const auto second = lane->pop_if([](const Work&) { return true; });
    ASSERT_TRUE(second);
    EXPECT_EQ(first->seq, 1u);
    EXPECT_EQ(second->seq, 2u);
  }
  EXPECT_EQ(busy, 1u);
}

TEST_F(PlacementTest, HoldIsGrantedOnlyWhereNothingChanged) {
  change(1, 1);
  change(2, 1);
  const auto refused = ask_hold(100);
  run(2);
  EXPECT_EQ(answer_of(*refused), HoldRequest::Answer::refused);
  EXPECT_FALSE(placement_.holds(plan_->id));
  const auto granted = ask_hold(300);
  run(2);
  EXPECT_EQ(answer_of(*granted), HoldRequest::Answer::none);
  run(3);
  EXPECT_EQ(answer_of(*granted), HoldRequest::Answer::granted);
  EXPECT_TRUE(placement_.holds(plan_->id));
}

TEST_F(PlacementTest, HoldEndsWithTheLastChunkOrARefusal) {
  const auto placed_as_whole = [&](bool last, std::uint64_t generation) {
    auto chunk = chunk_at(100);
    chunk->whole = true;
    chunk->last = last;
    chunk->generation = generation;
    give(std::move(chunk));
    run(1);
  };
  ask_hold(100);
  run(1);
  placed_as_whole(false, kGeneration);
  EXPECT_TRUE(placement_.holds(plan_->id));
  placed_as_whole(true, kGeneration);
  EXPECT_FALSE(placement_.holds(plan_->id));
  ask_hold(100);
  run(1);
  EXPECT_TRUE(placement_.holds(plan_->id));
  placed_as_whole(false, kGeneration - 1);
  EXPECT_FALSE(placement_.holds(plan_->id));
}

// Redo that goes on behind transaction 5.
class NumberedRedo : public SnapshotRecord {
 public:
  std::uint64_t begin() const override { return 5; }
  void raise(std::uint64_t cseq) override { mark = cseq; }
  Status placed(const std::shared_ptr<Chunk>& chunk) override {
    EXPECT_GE(chunk->placed_at, mark) << "redo was let through";
    chunk->piece = ++pieces;
    return Unit{};
  }
  Status stands(std::uint64_t) override { return Unit{}; }

  std::atomic<std::uint64_t> mark{0};
  std::uint64_t pieces = 0;
};

class RedoPlacementTest : public PlacementTest {
 protected:
  RedoPlacementTest()
      : with_redo_(ring_, router_,
                   {[this](const Chunk& chunk) { placed_.push_back(chunk.placed_at); },
                    [this](const Chunk&, const std::string& why) { refused_.push_back(why); },
                    nullptr, [this](std::uint32_t) { return now_; }, &redo_},
                   false) {}
  void step(std::uint64_t group) {
    ASSERT_TRUE(with_redo_.run({"bin.000001", group * 100}, group, kGeneration).ok());
  }

  NumberedRedo redo_;
  PlanPtr now_ = plan_;
  Placement with_redo_;
};

TEST_F(RedoPlacementTest, NothingIsPlacedOrHeldBeforeTheRedoGoesOn) {
  Inbox::Taken taken;
  taken.chunks.push_back(chunk_at(100));
  taken.holds.push_back(std::make_shared<HoldRequest>());
  taken.holds.back()->plan = plan_;
  taken.holds.back()->point.exact = true;
  taken.holds.back()->point.high = {"bin.000001", 100};
  const std::shared_ptr<HoldRequest> hold = taken.holds.back();
  with_redo_.take(taken);
  step(4);
  EXPECT_TRUE(placed_.empty());
  EXPECT_EQ(answer_of(*hold), HoldRequest::Answer::none);
  step(5);
  EXPECT_EQ(placed_, std::vector<std::uint64_t>{5});
  EXPECT_NE(answer_of(*hold), HoldRequest::Answer::none);
}

TEST_F(RedoPlacementTest, AChunkHasItsNumberAndHoldsTheLowWaterBeforeALaneGetsIt) {
  Inbox::Taken taken;
  taken.chunks.push_back(chunk_at(100));
  with_redo_.take(taken);
  step(6);
  const auto work = next_work();
  ASSERT_TRUE(work && work->chunk);
  EXPECT_EQ(work->chunk->piece, 1u);
  decode::Batch batch;
  batch.gtid_sources = {kUuid};
  for (std::uint64_t cseq = 1; cseq <= 7; ++cseq) {
    decode::Group group;
    group.cseq = cseq;
    board_.scheduled(batch, group, true);
  }
  EXPECT_EQ(board_.low().cseq, 6u);
}

TEST_F(RedoPlacementTest, AChunkOutOfRedoStandsWhereItStoodWithThePlanOfThere) {
  Placement replay(ring_, router_,
                   {nullptr, nullptr, nullptr, [this](std::uint32_t) { return now_; }}, false);
  auto chunk = chunk_at(900);
  chunk->plan = nullptr;
  chunk->slice = {3, 0};
  chunk->replayed = chunk->opaque = chunk->completes = true;
  chunk->placed_at = 7;
  chunk->generation = 0;
  change(8, 2);
  Inbox::Taken taken;
  taken.chunks.push_back(chunk);
  replay.take(taken);
  ASSERT_TRUE(replay.run({"bin.000001", 600}, 6, kGeneration).ok());
  EXPECT_FALSE(next_work());
  now_ = plan_of(items_table());
  now_->state->strict_after = kNotYet;
  ASSERT_TRUE(replay.run({"bin.000001", 700}, 7, kGeneration).ok());
  const auto work = next_work();
  ASSERT_TRUE(work && work->chunk);
  EXPECT_EQ(work->chunk->plan, now_);
  EXPECT_EQ(work->chunk->starts.size(), 3u) << "the redo dropped what had changed";
  EXPECT_EQ(now_->state->strict_after, 7u);
}

}  // namespace
}  // namespace wherry::dispatch
