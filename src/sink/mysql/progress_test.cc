// Ranges of committed groups, and the statements that record progress.

#include "sink/mysql/progress.h"

#include <gtest/gtest.h>

#include <set>

namespace wherry::sink {
namespace {

TEST(RangesTest, TextComesBack) {
  for (const char* text : {"", "7", "5-9", "5-9,12", "1,3,5-6,18446744073709551615"})
    EXPECT_EQ(to_text(parse_ranges(text)), text);
  EXPECT_EQ(parse_ranges("5-9,12"), (Ranges{{5, 9}, {12, 12}}));
}

TEST(RangesTest, NeighboursJoin) {
  Ranges ranges;
  for (const std::uint64_t number : {5, 6, 7, 9, 12, 13}) add_to(ranges, number);
  EXPECT_EQ(to_text(ranges), "5-7,9,12-13");
}

TEST(RangesTest, NumberThatIsThereChangesNothing) {
  Ranges ranges = parse_ranges("5-7,9");
  for (const std::uint64_t number : {5, 6, 7, 9}) add_to(ranges, number);
  EXPECT_EQ(to_text(ranges), "5-7,9");
}

TEST(RangesTest, LateNumberFindsItsPlace) {
  Ranges ranges = parse_ranges("5-7,20-22");
  for (const std::uint64_t number : {12, 2, 15}) add_to(ranges, number);
  EXPECT_EQ(ranges, (Ranges{{2, 2}, {5, 7}, {12, 12}, {15, 15}, {20, 22}}));
}

TEST(RangesTest, AnyOrderHoldsTheSameNumbers) {
  Ranges ranges;
  std::set<std::uint64_t> numbers;
  std::uint64_t state = 17;
  for (int i = 0; i < 500; ++i) {
    state = state * 6364136223846793005ULL + 1;
    const std::uint64_t number = (state >> 40) % 200 + 1;
    add_to(ranges, number);
    numbers.insert(number);
    std::set<std::uint64_t> held;
    std::uint64_t last = 0;
    for (const auto& [first, through] : ranges) {
      ASSERT_GT(first, last);
      ASSERT_LE(first, through);
      for (std::uint64_t n = first; n <= through; ++n) held.insert(n);
      last = through;
    }
    ASSERT_EQ(held, numbers);
  }
}

TEST(RangesTest, DropThroughKeepsWhatIsAbove) {
  Ranges ranges = parse_ranges("5-9,12,20-22");
  drop_through(ranges, 4);
  EXPECT_EQ(to_text(ranges), "5-9,12,20-22");
  drop_through(ranges, 7);
  EXPECT_EQ(to_text(ranges), "8-9,12,20-22");
  drop_through(ranges, 9);
  EXPECT_EQ(to_text(ranges), "12,20-22");
  drop_through(ranges, 15);
  EXPECT_EQ(to_text(ranges), "20-22");
  drop_through(ranges, 30);
  EXPECT_EQ(to_text(ranges), "");
  drop_through(ranges, 30);
  EXPECT_TRUE(ranges.empty());
}

TEST(LaneRecordTest, SaysWhichGroupItsLastNumberIs) {
  LaneRecord record;
  record.add_done(8, "0-1-8");
  record.add_done(9, "0-1-9");
  record.add_done(5, "0-1-5");  // prepared before, committed late
  EXPECT_EQ(done_text(record), "5,8-9=0-1-9");
  record.drop_done(8);
  EXPECT_EQ(done_text(record), "9=0-1-9");
  record.add_done(11, "");
  EXPECT_EQ(done_text(record), "9,11");
  record.add_done(12, "0-1-12");
  record.drop_done(12);
  EXPECT_EQ(done_text(record), "");
}

TEST(LaneRecordTest, TextComesBack) {
  for (const char* text : {"", "7", "5-9,12=uuid:tag:33", "5=000004:1574"}) {
    LaneRecord record;
    parse_done(text, record);
    EXPECT_EQ(done_text(record), text);
  }
}

TEST(ProgressStatementTest, LaneIsRaisedOnlyFromWhatItWas) {
  LaneRecord next;
  next.lane = 2;
  next.seq = 41;
  next.low.cseq = 7;
  next.low.position = {{"bin.000001", 700}, "0-1-7"};
  next.done = {{9, 11}};
  next.done_last = "0-1-42";
  const std::string sql = Progress("meta").lane_statement(6, next);
  EXPECT_EQ(sql.find("UPDATE `meta`.`progress` SET seq = seq + 1"), 0u);
  EXPECT_NE(sql.find("low_cseq = 7"), std::string::npos);
  EXPECT_NE(sql.find("done = '9-11=0-1-42'"), std::string::npos);
  EXPECT_NE(sql.find("name = '2' AND epoch = 6 AND seq = 41"), std::string::npos) << sql;
}

TEST(ProgressStatementTest, TextsAreQuoted) {
  const std::string sql = Progress("me`ta").put_statement({"slice", "3.0", "it's"});
  EXPECT_NE(sql.find("`me``ta`.`progress`"), std::string::npos) << sql;
  EXPECT_EQ(sql.find("'it's'"), std::string::npos) << sql;
}

}  // namespace
}  // namespace wherry::sink
