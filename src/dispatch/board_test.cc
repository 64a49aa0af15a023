// What has committed, and that the low-water mark never passes a gap.

#include "dispatch/board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace wherry::dispatch {
namespace {

constexpr char kUuid[] = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

LowWater start_at(std::uint64_t cseq, std::string gtid = "") {
  LowWater start;
  start.cseq = cseq;
  start.position = {{"bin.000001", 4}, std::move(gtid)};
  return start;
}

// A batch of one file; group n ends at n * 100 and was committed at second n.
class BoardTest : public ::testing::Test {
 protected:
  explicit BoardTest(Dialect dialect = Dialect::mysql, std::uint64_t fence = Board::kNoFence)
      : dialect_(dialect), board_(3, dialect, start_at(10), fence) {
    batch_.file = "bin.000001";
    batch_.gtid_sources = {kUuid};
  }
  void schedule(std::uint64_t cseq, bool done = false) {
    decode::Group group;
    group.cseq = cseq;
    group.end_offset = cseq * 100;
    group.commit_us = cseq * 1000000;
    group.gtid.number = cseq;
    if (dialect_ == Dialect::mariadb) group.gtid.server = 5;
    board_.scheduled(batch_, group, done);
  }

  Dialect dialect_;
  decode::Batch batch_;
  Board board_;
};

class MariadbBoardTest : public BoardTest {
 protected:
  MariadbBoardTest() : BoardTest(Dialect::mariadb) {}
};

class FencedBoardTest : public BoardTest {
 protected:
  FencedBoardTest() : BoardTest(Dialect::mysql, 11) {}
};

TEST_F(FencedBoardTest, NeitherWorkNorTheLowWaterPassesTheFence) {
  for (std::uint64_t cseq = 11; cseq <= 14; ++cseq) schedule(cseq, true);
  EXPECT_TRUE(board_.wait_for_fence({11}));
  EXPECT_EQ(board_.low().cseq, 11u);
  board_.raise_fence({13});
  EXPECT_EQ(board_.low().cseq, 13u);
  board_.raise_fence({12});
  EXPECT_EQ(board_.fence(), 13u);
}

TEST_F(FencedBoardTest, WhoeverWaitsForTheFenceIsWokenByItAndByTheEnd) {
  bool passed = false;
  std::thread waiting([&] { passed = board_.wait_for_fence({12}); });
  board_.raise_fence({10});
  board_.raise_fence({12});
  waiting.join();
  EXPECT_TRUE(passed);
  std::thread ended([&] { passed = board_.wait_for_fence({13}); });
  board_.close();
  ended.join();
  EXPECT_FALSE(passed);
}

TEST_F(FencedBoardTest, APieceIsWaitedForByItsNumberWhateverItsPlace) {
  board_.raise_fence({14, 4});
  EXPECT_TRUE(board_.wait_for_fence({14, 4}));
  std::atomic<bool> there{false};
  std::thread redo([&] {
    board_.raise_fence({15, 4});
    there = true;
    board_.raise_fence({13, 5});  // it comes late, and its place is passed already
  });
  EXPECT_TRUE(board_.wait_for_fence({0, 5}));
  EXPECT_TRUE(there);
  redo.join();
  EXPECT_EQ(board_.fence(), 15u);
}

TEST_F(BoardTest, TheLowWaterStaysAtAChunkThatHasNotCommitted) {
  for (std::uint64_t cseq = 11; cseq <= 12; ++cseq) schedule(cseq);
  board_.chunk_placed(12);
  board_.chunk_placed(12);
  for (std::uint64_t cseq = 13; cseq <= 14; ++cseq) schedule(cseq);
  board_.committed(0, 1, {11, 12, 13, 14});
  EXPECT_EQ(board_.low().cseq, 12u);
  board_.committed(1, 1, {}, 12);
  EXPECT_EQ(board_.low().cseq, 12u) << "there are two";
  board_.committed(1, 2, {}, 12);
  EXPECT_EQ(board_.low().cseq, 14u);
}

TEST_F(BoardTest, LowWaterIsContiguous) {
  for (std::uint64_t cseq = 11; cseq <= 14; ++cseq) schedule(cseq);
  board_.committed(1, 1, {12, 14});
  EXPECT_EQ(board_.low().cseq, 10u);
  EXPECT_EQ(board_.low().position.file.offset, 4u);
  EXPECT_EQ(board_.low().position.gtid, "");
  board_.committed(0, 1, {11});
  EXPECT_EQ(board_.low().cseq, 12u);
  EXPECT_EQ(board_.low().position.file.offset, 1200u);
  EXPECT_EQ(board_.low().position.gtid, std::string(kUuid) + ":11-12");
  EXPECT_EQ(board_.low().gtid, std::string(kUuid) + ":12");
  EXPECT_EQ(board_.low().commit_us, 12000000u);
  EXPECT_EQ(board_.in_flight().groups, 2u);
  EXPECT_EQ(board_.in_flight().oldest_us, 13000000u);
  board_.committed(0, 2, {13});
  EXPECT_EQ(board_.low().cseq, 14u);
  EXPECT_EQ(board_.in_flight().groups, 0u);
  EXPECT_EQ(board_.in_flight().oldest_us, 0u);
  EXPECT_EQ(board_.scheduled_cseq(), 14u);
}

TEST_F(BoardTest, GroupThatNeedsNoWorkWaitsForThoseBefore) {
  schedule(11);
  schedule(12, true);
  EXPECT_EQ(board_.low().cseq, 10u);
  board_.committed(0, 1, {11});
  EXPECT_EQ(board_.low().cseq, 12u);
  schedule(13, true);
  EXPECT_EQ(board_.low().cseq, 13u);
}

TEST_F(BoardTest, LowWaterCrossesFiles) {
  schedule(11);
  batch_.file = "bin.000002";
  schedule(12);
  board_.committed(0, 1, {11});
  EXPECT_EQ(board_.low().position.file.file, "bin.000001");
  board_.committed(0, 2, {12});
  EXPECT_EQ(board_.low().position.file.to_string(), "bin.000002:1200");
}

TEST_F(BoardTest, SeenPlaceCountsOnlyWithNothingInFlight) {
  schedule(11);
  board_.seen({"bin.000001", 5000});
  EXPECT_EQ(board_.low().position.file.offset, 4u);
  board_.committed(0, 1, {11});
  EXPECT_EQ(board_.low().position.file.offset, 1100u);
  board_.seen({"bin.000002", 4});
  EXPECT_EQ(board_.low().position.file.to_string(), "bin.000002:4");
  EXPECT_EQ(board_.low().cseq, 11u);
}

TEST_F(BoardTest, GroupAtOrBelowTheMarkIsPassedOver) {
  schedule(11);
  board_.committed(0, 1, {9, 10, 11});
  EXPECT_EQ(board_.low().cseq, 11u);
  board_.committed(1, 1, {11});
  EXPECT_EQ(board_.low().cseq, 11u);
}

TEST_F(BoardTest, LaneNumbersOnlyRise) {
  board_.committed(1, 5, {});
  board_.committed(1, 3, {});
  EXPECT_EQ(board_.committed_seqs()[1], 5u);
  EXPECT_EQ(board_.committed_seqs()[0], 0u);
}

TEST_F(MariadbBoardTest, PositionIsTheLastOfEachDomain) {
  Board board(1, Dialect::mariadb, start_at(10, "0-1-7,2-1-3"));
  decode::Group group;
  group.cseq = 11;
  group.end_offset = 1100;
  group.gtid = {0, 2, 5, 4};
  board.scheduled(batch_, group, true);
  EXPECT_EQ(board.low().position.gtid, "0-1-7,2-5-4");
  EXPECT_EQ(board.low().gtid, "2-5-4");
}

TEST_F(BoardTest, AnonymousGroupHasNoGtid) {
  decode::Group group;
  group.cseq = 11;
  group.end_offset = 1100;
  board_.scheduled(batch_, group, true);
  EXPECT_EQ(board_.low().gtid, "");
  EXPECT_EQ(board_.low().position.gtid, "");
  EXPECT_EQ(board_.low().position.file.offset, 1100u);
}

TEST_F(BoardTest, WaitersWakeWhenTheWorkCommits) {
  schedule(11);
  bool lane = false, idle = false, window = false;
  LaneSeqs given{};
  given[1] = 2;
  std::thread for_lane([&] { lane = board_.wait_idle({0, 2}); });
  std::thread for_idle([&] { idle = board_.wait_idle(given); });
  std::thread for_window([&] { window = board_.wait_window(1); });
  board_.committed(1, 2, {11});
  for_lane.join();
  for_idle.join();
  for_window.join();
  EXPECT_TRUE(lane);
  EXPECT_TRUE(idle);
  EXPECT_TRUE(window);
}

TEST_F(BoardTest, ClosingWakesWhoeverWaits) {
  schedule(11);
  bool lane = true, window = true;
  std::thread for_lane([&] { lane = board_.wait_idle({9}); });
  std::thread for_window([&] { window = board_.wait_window(1); });
  board_.close();
  for_lane.join();
  for_window.join();
  EXPECT_FALSE(lane);
  EXPECT_FALSE(window);
  EXPECT_TRUE(board_.closed());
}

}  // namespace
}  // namespace wherry::dispatch
