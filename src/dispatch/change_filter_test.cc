#include "dispatch/change_filter.h"

#include <gtest/gtest.h>

#include <array>

#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

using decode::RowKind;

// Rows of a table (id INT, v INT) as events carry them.
class ChangeFilterTest : public ::testing::Test {
 protected:
  ChangeFilterTest() {
    map_.columns.resize(2);
    for (ColumnShape& shape : map_.columns) shape.type = WireType::tiny;
  }

  ChangeFilterPtr bind(const char* where, bool inserts = true, bool updates = true,
                       bool erases = true) {
    FilterRules rules;
    rules.kinds.push_back({Pattern::parse("shop.*").value(), inserts, updates, erases});
    if (where != nullptr) {
      rules.keeps.push_back(
          {Pattern::parse("*.items").value(), sql::Condition::parse(where).value(), where});
    }
    Table table;
    table.name = {"shop", "items"};
    table.columns = {integer_column("id"), integer_column("v")};
    Result<ChangeFilterPtr> filter = rules.filter_of(table);
    EXPECT_TRUE(filter.ok()) << filter.error().what;
    return filter.value();
  }

  // A negative number is NULL, kAbsent a column that the image leaves out.
  static constexpr int kAbsent = 99;
  std::vector<decode::Cell> image(int id, int v) {
    std::vector<decode::Cell> cells;
    for (const int value : {id, v}) {
      decode::Cell cell;
      cell.present = value != kAbsent;
      cell.null = value < 0;
      bytes_[used_] = static_cast<std::byte>(value);
      cell.data = &bytes_[used_++];
      cell.size = 1;
      cells.push_back(cell);
    }
    return cells;
  }

  std::string judge(const ChangeFilterPtr& filter, RowKind kind, int before, int after) {
    used_ = 0;
    const decode::RowView row{image(1, before), image(1, after)};
    return judge(filter, kind, row);
  }
  std::string judge(const ChangeFilterPtr& filter, RowKind kind, const decode::RowView& row) {
    const auto judged = filter->judge({map_, {}}, kind, row);
    if (!judged.ok()) return judged.error().what;
    if (!judged.value()) return "nothing";
    constexpr std::array kNames{"insert", "update", "delete"};
    return kNames[static_cast<std::size_t>(*judged.value())];
  }

  decode::TableMap map_;
  std::array<std::byte, 16> bytes_{};
  std::size_t used_ = 0;
};

TEST_F(ChangeFilterTest, AnUpdateThatCrossesTheConditionBecomesAnother) {
  const ChangeFilterPtr filter = bind("v > 5");
  EXPECT_EQ(judge(filter, RowKind::insert, 0, 6), "insert");
  EXPECT_EQ(judge(filter, RowKind::insert, 0, 5), "nothing");
  EXPECT_EQ(judge(filter, RowKind::erase, 6, 0), "delete");
  EXPECT_EQ(judge(filter, RowKind::erase, 5, 0), "nothing");
  EXPECT_EQ(judge(filter, RowKind::update, 6, 7), "update");
  EXPECT_EQ(judge(filter, RowKind::update, 6, 5), "delete");
  EXPECT_EQ(judge(filter, RowKind::update, 5, 6), "insert");
  EXPECT_EQ(judge(filter, RowKind::update, 5, 4), "nothing");
  EXPECT_EQ(judge(filter, RowKind::update, 6, -1), "delete");  // unknown is not true
}

TEST_F(ChangeFilterTest, KindsAreThoseBehindTheCondition) {
  const ChangeFilterPtr kept = bind("v > 5", true, true, false);
  EXPECT_EQ(judge(kept, RowKind::update, 6, 5), "nothing");
  EXPECT_EQ(judge(kept, RowKind::update, 6, 7), "update");
  const ChangeFilterPtr all = bind(nullptr, false, true, true);
  EXPECT_EQ(judge(all, RowKind::insert, 0, 1), "nothing");
  EXPECT_EQ(judge(all, RowKind::update, 0, 1), "update");
  EXPECT_TRUE(all->skips());
  EXPECT_FALSE(all->skips_erases_or_updates());
}

TEST_F(ChangeFilterTest, AnImageThatLacksWhatDecidesIsAnError) {
  const ChangeFilterPtr filter = bind("v > 5");
  const std::string lacks = judge(filter, RowKind::erase, kAbsent, 0);
  EXPECT_NE(lacks.find("shop.items"), std::string::npos) << lacks;
  EXPECT_NE(lacks.find("`v`"), std::string::npos) << lacks;
  EXPECT_NE(judge(filter, RowKind::update, kAbsent, 6).find("`v`"), std::string::npos);
  // What an after image leaves out did not change.
  EXPECT_EQ(judge(filter, RowKind::update, 6, kAbsent), "update");
  EXPECT_EQ(judge(filter, RowKind::update, 5, kAbsent), "nothing");
}

TEST_F(ChangeFilterTest, ARowThatEntersMustBeWhole) {
  const ChangeFilterPtr filter = bind("v > 5");
  const decode::RowView row{image(1, 5), image(kAbsent, 6)};
  EXPECT_NE(judge(filter, RowKind::update, row).find("whole row"), std::string::npos);
}

TEST_F(ChangeFilterTest, AllRulesOfATableCount) {
  FilterRules rules;
  const auto keep = [&](const char* pattern, const char* where) {
    rules.keeps.push_back(
        {Pattern::parse(pattern).value(), sql::Condition::parse(where).value(), where});
  };
  keep("shop.*", "id > 0");
  keep("shop.items", "name = 'x'");
  rules.kinds.push_back({Pattern::parse("shop.*").value(), true, true, false});
  rules.kinds.push_back({Pattern::parse("*.items").value(), false, true, true});
  const WantedChanges wanted = rules.wanted_of({"shop", "items"});
  EXPECT_EQ(wanted.keep.size(), 2u);
  EXPECT_FALSE(wanted.inserts || wanted.erases);
  EXPECT_EQ(wanted.text, "skip insert delete; where id > 0; where name = 'x'");
  EXPECT_TRUE(rules.wanted_of({"other", "things"}).everything());
  const Result<ChangeFilterPtr> filter = rules.filter_of(items_table());
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter.value()->columns(), (std::vector<std::size_t>{0, 1}));
  keep("shop.items", "gone = 1");
  const Result<ChangeFilterPtr> unfit = rules.filter_of(items_table());
  ASSERT_FALSE(unfit.ok());
  EXPECT_EQ(unfit.error().code, Errc::refused);
  EXPECT_NE(unfit.error().what.find("shop.items"), std::string::npos);
  EXPECT_NE(unfit.error().what.find("`gone`"), std::string::npos);
}

TEST(TablePlanFilter, SkippedChangesMakeATableTolerant) {
  FilterRules rules;
  rules.kinds.push_back({Pattern::parse("shop.items").value(), true, true, false});
  const Table table = items_table();
  const ChangeFilterPtr filter = rules.filter_of(table).value();
  const PlanPtr plan = make_plan(1, table, table.name, std::make_shared<TableState>(), filter);
  EXPECT_TRUE(plan->tolerant(100));
  EXPECT_TRUE(plan->one_by_one());  // two unique keys
  Table one = table;
  one.indexes.pop_back();
  EXPECT_FALSE(make_plan(1, one, one.name, std::make_shared<TableState>(), filter)->one_by_one());
  EXPECT_FALSE(plan_of(table)->tolerant(100));
}

}  // namespace
}  // namespace wherry::dispatch
