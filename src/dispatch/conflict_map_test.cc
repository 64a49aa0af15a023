// Which earlier work touches the same values, however many values there are.

#include "dispatch/conflict_map.h"

#include <gtest/gtest.h>

namespace wherry::dispatch {
namespace {

constexpr LaneSeqs kNothing{};

LaneSeqs needs_of(const ConflictMap& map, const std::vector<std::uint64_t>& values,
                  const LaneSeqs& committed = kNothing) {
  LaneSeqs needs{};
  map.collect(values, committed, needs);
  return needs;
}

LaneSeqs table_needs(const ConflictMap& map, std::uint32_t table, bool opaque,
                     const LaneSeqs& committed = kNothing) {
  LaneSeqs needs{};
  map.collect_table(table, opaque, committed, needs);
  return needs;
}

TEST(ConflictMapTest, LatestWorkOnAValueIsNeeded) {
  ConflictMap map(4);
  map.note({7, 8}, 1, 5, kNothing);
  map.note({8}, 2, 3, kNothing);
  const LaneSeqs needs = needs_of(map, {7, 8, 9});
  EXPECT_EQ(needs[1], 5u);
  EXPECT_EQ(needs[2], 3u);
  EXPECT_EQ(needs[0], 0u);
  EXPECT_EQ(needs_of(map, {8})[1], 0u);
  EXPECT_EQ(needs_of(map, {9}), kNothing);
}

TEST(ConflictMapTest, HighestNumberOfALaneIsNeeded) {
  ConflictMap map(2);
  map.note({1}, 1, 9, kNothing);
  map.note({2}, 1, 4, kNothing);
  EXPECT_EQ(needs_of(map, {1, 2})[1], 9u);
  EXPECT_EQ(needs_of(map, {2, 1})[1], 9u);
}

TEST(ConflictMapTest, CommittedWorkIsNotNeeded) {
  ConflictMap map(2);
  map.note({1}, 1, 5, kNothing);
  LaneSeqs committed{};
  committed[1] = 4;
  EXPECT_EQ(needs_of(map, {1}, committed)[1], 5u);
  committed[1] = 5;
  EXPECT_EQ(needs_of(map, {1}, committed), kNothing);
}

TEST(ConflictMapTest, GrowsWithoutLosingAnything) {
  ConflictMap map(2);
  const std::size_t before = map.byte_size();
  constexpr std::uint64_t kMany = 100000;
  for (std::uint64_t n = 1; n <= kMany; ++n) map.note({n * 4096}, n % 2, n, kNothing);
  EXPECT_GT(map.byte_size(), before);
  for (std::uint64_t n = 1; n <= kMany; ++n) {
    ASSERT_EQ(needs_of(map, {n * 4096})[n % 2], n);
  }
  EXPECT_EQ(needs_of(map, {4097}), kNothing);
}

TEST(ConflictMapTest, ManyValuesOfOneWorkFit) {
  ConflictMap map(2);
  std::vector<std::uint64_t> values;
  for (std::uint64_t n = 1; n <= 200000; ++n) values.push_back(n);
  map.note(values, 1, 1, kNothing);
  for (const std::uint64_t value : values) ASSERT_EQ(needs_of(map, {value})[1], 1u);
}

TEST(ConflictMapTest, DeadEntriesMakeRoom) {
  ConflictMap map(2);
  const std::size_t before = map.byte_size();
  LaneSeqs committed{};
  for (std::uint64_t n = 1; n <= 100000; ++n) {
    committed[1] = n > 100 ? n - 100 : 0;
    map.note({n}, 1, n, committed);
  }
  EXPECT_EQ(map.byte_size(), before);
  for (std::uint64_t n = 99901; n <= 100000; ++n) ASSERT_EQ(needs_of(map, {n}, committed)[1], n);
}

TEST(ConflictMapTest, OpaqueWorkConflictsWithItsWholeTable) {
  ConflictMap map(3);
  map.note_table(1, false, 0, 4);
  map.note_table(1, true, 2, 6);
  // Work that can be told by values waits only for opaque work; opaque work waits for all.
  EXPECT_EQ(table_needs(map, 1, false)[0], 0u);
  EXPECT_EQ(table_needs(map, 1, false)[2], 6u);
  EXPECT_EQ(table_needs(map, 1, true)[0], 4u);
  EXPECT_EQ(table_needs(map, 1, true)[2], 6u);
  EXPECT_EQ(table_needs(map, 2, true), kNothing);
  LaneSeqs committed{};
  committed[0] = 4;
  committed[2] = 6;
  EXPECT_EQ(table_needs(map, 1, true, committed), kNothing);
}

}  // namespace
}  // namespace wherry::dispatch
