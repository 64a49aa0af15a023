#include "control/stall_watch.h"

#include <gtest/gtest.h>

namespace wherry::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kLimit{60'000};
constexpr std::chrono::steady_clock::time_point kStart{};

feed::FeedProgress look_at(std::uint64_t cseq, seconds lag, std::string waiting = "") {
  feed::FeedProgress progress;
  progress.cseq = cseq;
  progress.lag = lag;
  progress.waiting_for = std::move(waiting);
  return progress;
}

TEST(StallWatch, ACheckpointThatStandsWhileTheLagGrowsIsAStall) {
  StallWatch watch;
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart, kLimit));
  EXPECT_FALSE(watch.look(look_at(5, seconds(59)), kStart + milliseconds(59'999), kLimit));
  const auto stall =
      watch.look(look_at(5, seconds(60), "t2 waits for the sink (60 s)"), kStart + kLimit, kLimit);
  ASSERT_TRUE(stall.has_value());
  EXPECT_EQ(stall->since, kStart);
  EXPECT_EQ(stall->reason, "t2 waits for the sink (60 s)");
}

TEST(StallWatch, AnIdleSourceIsNone) {
  StallWatch watch;
  EXPECT_FALSE(watch.look(look_at(5, seconds(3)), kStart, kLimit));
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart + seconds(100), kLimit));
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart + seconds(200), kLimit));
  // Its time begins when something is behind.
  EXPECT_FALSE(watch.look(look_at(5, seconds(1)), kStart + seconds(201), kLimit));
  EXPECT_TRUE(watch.look(look_at(5, seconds(61)), kStart + seconds(261), kLimit));
}

TEST(StallWatch, AStepEndsIt) {
  StallWatch watch;
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart, kLimit));
  EXPECT_TRUE(watch.look(look_at(5, seconds(90)), kStart + seconds(90), kLimit));
  EXPECT_FALSE(watch.look(look_at(6, seconds(91)), kStart + seconds(91), kLimit));
  EXPECT_FALSE(watch.look(look_at(6, seconds(92)), kStart + seconds(150), kLimit));
  EXPECT_TRUE(watch.look(look_at(6, seconds(92)), kStart + seconds(151), kLimit));
}

TEST(StallWatch, RowsOfASnapshotAreSteps) {
  StallWatch watch;
  feed::FeedProgress progress = look_at(5, seconds(0));
  EXPECT_FALSE(watch.look(progress, kStart, kLimit));
  progress.lag = seconds(90);
  progress.rows_copied = 10;
  EXPECT_FALSE(watch.look(progress, kStart + seconds(90), kLimit));
}

TEST(StallWatch, AReasonIsNeverEmpty) {
  StallWatch watch;
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart, kLimit));
  EXPECT_FALSE(watch.look(look_at(5, seconds(90)), kStart + seconds(90), kLimit)->reason.empty());
}

TEST(StallWatch, ANewRunBeginsAnew) {
  StallWatch watch;
  EXPECT_FALSE(watch.look(look_at(5, seconds(0)), kStart, kLimit));
  watch.reset();
  EXPECT_FALSE(watch.look(look_at(5, seconds(90)), kStart + seconds(90), kLimit));
}

}  // namespace
}  // namespace wherry::control
