#include "verify/split.h"

#include <gtest/gtest.h>

namespace wherry::verify {
namespace {

const PlanField kInteger{"id", ColumnClass::integer, ""};
const PlanField kBinary{"id", ColumnClass::binary, ""};

std::vector<std::string> cuts(const std::vector<KeyRange>& ranges) {
  std::vector<std::string> out;
  for (const KeyRange& range : ranges) {
    if (range.through) out.push_back(range.through->at(0));
  }
  return out;
}

// Open at both ends, and each range begins where the one before ends.
void expect_whole(const std::vector<KeyRange>& ranges) {
  ASSERT_FALSE(ranges.empty());
  EXPECT_FALSE(ranges.front().after);
  EXPECT_FALSE(ranges.back().through);
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_EQ(ranges[i].after, ranges[i - 1].through);
}

TEST(Split, CutsNumbersBetweenTheirEnds) {
  const auto ranges = split(kInteger, "-100", "100", 4);
  expect_whole(ranges);
  EXPECT_EQ(cuts(ranges), (std::vector<std::string>{"-50", "0", "50"}));
}

TEST(Split, ReachesTheEndsOfBigint) {
  const auto whole = split(kInteger, "-9223372036854775808", "9223372036854775807", 2);
  expect_whole(whole);
  EXPECT_EQ(cuts(whole), std::vector<std::string>{"-1"});
  const auto upper = split(kInteger, "0", "18446744073709551615", 2);
  expect_whole(upper);
  EXPECT_EQ(cuts(upper), std::vector<std::string>{"9223372036854775807"});
}

TEST(Split, CutsBytes) {
  const auto ranges = split(kBinary, std::string("\0", 1), "\xff", 2);
  expect_whole(ranges);
  EXPECT_EQ(cuts(ranges), std::vector<std::string>{std::string("\x7f\x80\0\0\0\0\0\0", 8)});
}

TEST(Split, LeavesWhatItCannotCutWhole) {
  for (const auto& [low, high] :
       {std::pair("5", "5"), {"5", "6"}, {"x", "9"}, {"9", "1"}, {"-5", "18446744073709551615"}}) {
    const auto ranges = split(kInteger, low, high, 4);
    ASSERT_EQ(ranges.size(), 1U);
    expect_whole(ranges);
  }
  EXPECT_EQ(split({"k", ColumnClass::text, "utf8mb4"}, "a", "z", 4).size(), 1U);
  EXPECT_EQ(split(kInteger, "1", "1000", 1).size(), 1U);
}

}  // namespace
}  // namespace wherry::verify
