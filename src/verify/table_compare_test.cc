#include "verify/table_compare.h"

#include <gtest/gtest.h>

#include "verify/memory_reader.h"

namespace wherry::verify {
namespace {

using Kind = RowDifference::Kind;

ComparePlan plan_with_key(bool keyed = true) {
  ComparePlan plan;
  plan.fields = {{"id", ColumnClass::integer, ""},
                 {"a", ColumnClass::text, "utf8mb4"},
                 {"b", ColumnClass::text, "utf8mb4"}};
  if (keyed) plan.key = {0};
  plan.order = keyed ? Order::same : Order::none;
  return plan;
}

std::vector<TextRow> numbered(int from, int to) {
  std::vector<TextRow> rows;
  for (int i = from; i < to; ++i) rows.push_back({std::to_string(i), "a" + std::to_string(i), "x"});
  return rows;
}

struct Comparison {
  Comparison(std::vector<TextRow> left, std::vector<TextRow> right)
      : source(std::move(left)), target(std::move(right)) {
    limits.range_rows = 10;
    limits.recheck_pause = std::chrono::milliseconds(0);
  }
  Status by_ranges() {
    TableCompare compare({source, target}, plan, limits, stop,
                         [&](std::uint64_t rows) { progress += rows; });
    return compare.by_ranges({}, findings);
  }
  Status as_bag() {
    TableCompare compare({source, target}, plan, limits, stop, {});
    return compare.as_bag(findings);
  }
  // "missing id=5" and so on, in the order listed.
  std::vector<std::string> listed() const {
    std::vector<std::string> out;
    for (const RowDifference& row : findings.listed) {
      const char* kind = row.kind == Kind::differs             ? "differs "
                         : row.kind == Kind::missing_on_target ? "missing "
                                                               : "only ";
      out.push_back(kind + row.key);
    }
    return out;
  }

  MemoryReader source;
  MemoryReader target;
  ComparePlan plan = plan_with_key();
  CompareLimits limits;
  std::atomic<bool> stop{false};
  Findings findings;
  std::uint64_t progress = 0;
};

TEST(TableCompare, EqualTablesInAnyOrderOfRows) {
  std::vector<TextRow> turned = numbered(-50, 53);
  std::reverse(turned.begin(), turned.end());
  Comparison one(numbered(-50, 53), turned);
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.rows, 103U);
  EXPECT_EQ(one.progress, 103U);
  EXPECT_EQ(one.findings.ranges, 11U);
  EXPECT_EQ(one.findings.differences, 0U);
}

TEST(TableCompare, EmptyTables) {
  Comparison one({}, {});
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.ranges, 1U);
  EXPECT_EQ(one.findings.differences, 0U);
}

TEST(TableCompare, RowsThatEndARangeExactly) {
  for (const int rows : {9, 10, 11, 20}) {
    Comparison one(numbered(0, rows), numbered(0, rows + 1));
    ASSERT_TRUE(one.by_ranges().ok());
    EXPECT_EQ(one.listed(), std::vector<std::string>{"only id=" + std::to_string(rows)});
  }
}

TEST(TableCompare, FindsRowsOnOneSideAtBothEndsAndInGaps) {
  std::vector<TextRow> right = numbered(1, 40);
  right.erase(right.begin() + 19);  // 20
  for (const char* id : {"-900", "900"}) right.push_back({id, "new", "x"});
  Comparison one(numbered(0, 40), right);
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.differences, 4U);
  EXPECT_EQ(one.listed(), (std::vector<std::string>{"missing id=0", "only id=-900", "missing id=20",
                                                    "only id=900"}));
}

TEST(TableCompare, NamesTheColumnsThatDiffer) {
  std::vector<TextRow> right = numbered(0, 30);
  right[3][1] = std::nullopt;
  right[4][2] = "";
  right[5][1] = "NULL";
  Comparison one(numbered(0, 30), right);
  one.source.rows()[4][2] = std::nullopt;
  one.source.rows()[5][1] = std::nullopt;
  ASSERT_TRUE(one.by_ranges().ok());
  ASSERT_EQ(one.findings.listed.size(), 3U);
  const auto column = [&](std::size_t i) { return one.findings.listed[i].columns.at(0); };
  EXPECT_EQ(column(0).column, "a");
  EXPECT_EQ(column(0).source, "'a3'");
  EXPECT_EQ(column(0).target, "NULL");
  EXPECT_EQ(column(1).column, "b");
  EXPECT_EQ(column(1).target, "''");
  EXPECT_EQ(column(2).target, "'NULL'");
}

// What an XOR of row checksums, or of column checksums, cannot see.
TEST(TableCompare, FindsValuesSwappedBetweenRowsAndColumns) {
  std::vector<TextRow> right = numbered(0, 30);
  std::swap(right[3][1], right[7][1]);
  std::swap(right[12][1], right[12][2]);
  Comparison one(numbered(0, 30), right);
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.listed(),
            (std::vector<std::string>{"differs id=3", "differs id=7", "differs id=12"}));
}

TEST(TableCompare, BytesDoNotMoveBetweenFields) {
  Comparison one({{"1", "ab", "c"}, {"2", "", "abc"}}, {{"1", "a", "bc"}, {"2", "abc", ""}});
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.differences, 2U);
}

TEST(TableCompare, AReadingThatBeginsAnewCountsOnce) {
  Comparison one(numbered(0, 30), numbered(0, 30));
  one.source.fail_next(2);
  one.target.fail_next(1);
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.rows, 30U);
  EXPECT_EQ(one.findings.differences, 0U);
}

TEST(TableCompare, AFailureAtAnyReadingIsNeverEqual) {
  for (int reading = 1; reading < 8; ++reading) {
    for (const bool of_source : {true, false}) {
      Comparison one(numbered(0, 25), numbered(0, 26));
      (of_source ? one.source : one.target).break_at(reading);
      const Status done = one.by_ranges();
      const int readings = of_source ? one.source.readings() : one.target.readings();
      if (readings < reading) continue;  // it never came to that one
      ASSERT_FALSE(done.ok()) << reading;
      EXPECT_EQ(done.error().code, Errc::network);
    }
  }
}

TEST(TableCompare, StopsWhenAsked) {
  Comparison one(numbered(0, 100), numbered(0, 100));
  one.stop = true;
  const Status done = one.by_ranges();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, Errc::interrupted);
}

TEST(TableCompare, DifferencesThatHealBeforeTheRecheckAreNone) {
  Comparison one(numbered(0, 30), numbered(0, 29));
  one.limits.recheck = 2;
  // Three ranges and the empty end are read first.
  one.target.before(5, [](std::vector<TextRow>& rows) { rows = numbered(0, 30); });
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.differences, 0U);
  EXPECT_TRUE(one.findings.listed.empty());
}

TEST(TableCompare, ATargetThatIsBehindIsWaitedForBeforeTheLastLook) {
  for (const bool keyed : {true, false}) {
    Comparison one(numbered(0, 30), numbered(0, 29));
    one.plan = plan_with_key(keyed);
    one.limits.recheck = 1;
    bool caught_up = false;
    one.limits.catch_up = [&]() -> Status {
      caught_up = true;
      return Unit{};
    };
    one.target.before_each([&](std::vector<TextRow>& rows) {
      if (caught_up) rows = numbered(0, 30);
    });
    ASSERT_TRUE((keyed ? one.by_ranges() : one.as_bag()).ok());
    EXPECT_EQ(one.findings.differences, 0U) << keyed;
    one.limits.catch_up = []() -> Status { return Error{Errc::interrupted, "stopped"}; };
    one.target.before_each([](std::vector<TextRow>& rows) { rows = numbered(0, 29); });
    const Status stopped = keyed ? one.by_ranges() : one.as_bag();
    EXPECT_EQ(stopped.error().code, Errc::interrupted);
  }
}

TEST(TableCompare, DifferencesThatStayAreFoundInSpiteOfRechecks) {
  Comparison one(numbered(0, 30), numbered(0, 29));
  one.limits.recheck = 3;
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.listed(), std::vector<std::string>{"missing id=29"});
}

TEST(TableCompare, RowsThatAreWrittenToAtEachLookAreNoDifference) {
  auto rows = numbered(0, 30);
  rows[7][1] = "stays";
  Comparison one(numbered(0, 30), rows);
  one.limits.recheck = 4;
  one.source.before_each([written = 0](std::vector<TextRow>& now) mutable {
    now[20][1] = "written " + std::to_string(++written);
  });
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.listed(), std::vector<std::string>{"differs id=7"});
  EXPECT_EQ(one.findings.differences, 1U);
  EXPECT_EQ(one.findings.moving, 1U);
}

TEST(TableCompare, CountsWhatItDoesNotList) {
  Comparison one(numbered(0, 95), {});
  one.limits.listed_max = 12;
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.differences, 95U);
  EXPECT_EQ(one.findings.listed.size(), 12U);
}

TEST(TableCompare, ManyRowsOnTheTargetAloneAreCutThere) {
  Comparison one(numbered(0, 5), numbered(-300, 300));
  one.limits.drill_rows = 50;
  ASSERT_TRUE(one.by_ranges().ok());
  EXPECT_EQ(one.findings.differences, 595U);
}

TEST(TableCompare, BagCountsCopies) {
  std::vector<TextRow> left;
  left.reserve(300);
  for (int i = 0; i < 300; ++i) left.push_back({std::to_string(i / 3), "a", std::nullopt});
  std::vector<TextRow> right = left;
  right.erase(right.begin(), right.begin() + 2);  // two copies of 0
  right.push_back({"50", "a", std::nullopt});     // a fourth copy
  right.back()[2] = std::nullopt;
  right.push_back({"99", "a", ""});
  std::reverse(right.begin(), right.end());
  Comparison one(left, right);
  one.plan = plan_with_key(false);
  ASSERT_TRUE(one.as_bag().ok());
  EXPECT_EQ(one.findings.rows, 300U);
  EXPECT_EQ(one.findings.differences, 4U);
  EXPECT_EQ(one.listed(),
            (std::vector<std::string>{"missing id=0, a='a', b=NULL", "missing id=0, a='a', b=NULL",
                                      "only id=99, a='a', b=''", "only id=50, a='a', b=NULL"}));
}

TEST(TableCompare, BagWithKeyNamesColumns) {
  std::vector<TextRow> right = numbered(0, 200);
  right[77][1] = "other";
  right.erase(right.begin() + 10);
  Comparison one(numbered(0, 200), right);
  one.plan.order = Order::none;
  ASSERT_TRUE(one.as_bag().ok());
  EXPECT_EQ(one.listed(), (std::vector<std::string>{"missing id=10", "differs id=77"}));
}

TEST(TableCompare, BagInSeveralScansCountsTheSame) {
  Comparison one(numbered(0, 400), numbered(200, 600));
  one.plan.order = Order::none;
  one.limits.drill_rows = 60;
  ASSERT_TRUE(one.as_bag().ok());
  EXPECT_EQ(one.findings.differences, 400U);
  EXPECT_FALSE(one.findings.at_least);
  one.limits.drill_rows = 1;
  one.findings = {};
  ASSERT_TRUE(one.as_bag().ok());
  EXPECT_TRUE(one.findings.at_least);
  EXPECT_GT(one.findings.differences, 0U);
}

TEST(TableCompare, BagRechecks) {
  Comparison one(numbered(0, 30), numbered(0, 29));
  one.plan.order = Order::none;
  one.limits.recheck = 1;
  one.target.before(2, [](std::vector<TextRow>& rows) { rows = numbered(0, 30); });
  ASSERT_TRUE(one.as_bag().ok());
  EXPECT_EQ(one.findings.differences, 0U);
}

}  // namespace
}  // namespace wherry::verify
