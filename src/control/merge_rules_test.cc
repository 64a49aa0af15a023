#include "control/merge_rules.h"

#include <gtest/gtest.h>

#include "control/rename_rule.h"
#include "dispatch/plan_for_tests.h"

namespace wherry::control {
namespace {

class MergeRulesTest : public ::testing::Test {
 protected:
  MergeRulesTest() {
    options_.verify = VerifyKind::none;
    options_.rename = {parse_rename("s_*.items=s.items").value()};
    for (const char* database : {"s_1", "s_2"}) {
      Table table = dispatch::items_table();
      table.name.database = database;
      tables_.push_back(std::move(table));
    }
  }
  std::string refusals() const {
    std::string out;
    for (const Finding& finding : merge_findings(tables_, options_))
      out += finding.subject + ": " + finding.message + "\n";
    return out;
  }
  bool says(const char* part) const { return refusals().find(part) != std::string::npos; }

  CopyOptions options_;
  std::vector<Table> tables_;
};

TEST_F(MergeRulesTest, EqualTablesWithAKeyMayMeet) { EXPECT_EQ(refusals(), ""); }

TEST_F(MergeRulesTest, NamesTheColumnThatDiffers) {
  tables_[1].columns[1].type = "varchar(30)";
  EXPECT_TRUE(says("s_2.items")) << refusals();
  EXPECT_TRUE(says("`name`")) << refusals();
  tables_[1].columns.pop_back();
  EXPECT_TRUE(says("`name`")) << refusals();
}

TEST_F(MergeRulesTest, TablesOfARunThatGoesOnMayBeBetweenTheirStatements) {
  tables_[1].columns.pop_back();
  options_.resume = true;
  EXPECT_EQ(refusals(), "");
}

TEST_F(MergeRulesTest, UniqueKeysStandInTheSameOrder) {
  std::swap(tables_[1].indexes[0], tables_[1].indexes[1]);
  EXPECT_TRUE(says("unique keys")) << refusals();
}

TEST_F(MergeRulesTest, RefusesWhatItCannotKeepApart) {
  tables_[1].indexes.clear();
  EXPECT_TRUE(says("no key")) << refusals();
}

TEST_F(MergeRulesTest, ForeignKeyActionsAndVerificationAreRefused) {
  ForeignKey key;
  key.parent = {"s_1", "items"};
  key.cascades = true;
  tables_[1].foreign_keys.push_back(key);
  EXPECT_TRUE(says("s_1.items: foreign key")) << refusals();
  options_.verify = VerifyKind::checksum;
  EXPECT_TRUE(says("not compared")) << refusals();
}

}  // namespace
}  // namespace wherry::control
