// The statement that deletes many rows by their keys.

#include "sink/mysql/erase_statement.h"

#include <gtest/gtest.h>

#include "dispatch/plan_for_tests.h"

namespace wherry::sink {
namespace {

constexpr std::int32_t kSeven = 7, kMinusOne = -1;

decode::Cell cell_of(const std::int32_t& number) {
  decode::Cell cell;
  cell.data = reinterpret_cast<const std::byte*>(&number);
  cell.size = 4;
  cell.present = true;
  return cell;
}

dispatch::ResolvedTable resolved(Table table) {
  dispatch::ResolvedTable out;
  out.plan = dispatch::plan_of(std::move(table));
  out.map.columns = {{WireType::long_}, {WireType::long_}};
  out.wire_of = {0, 1};
  return out;
}

Table pairs_table() {
  Table table;
  table.name = {"shop", "pairs"};
  table.columns = {dispatch::integer_column("a"), dispatch::integer_column("b")};
  table.indexes = {dispatch::unique_index("ab", {{0, 0}, {1, 0}})};
  return table;
}

std::string statement(const dispatch::ResolvedTable& table, Dialect dialect) {
  EraseStatement erase(*table.plan, dialect);
  const decode::Cell first[] = {cell_of(kSeven), cell_of(kMinusOne)};
  const decode::Cell second[] = {cell_of(kMinusOne), cell_of(kSeven)};
  EXPECT_TRUE(erase.add(table, first).ok());
  EXPECT_TRUE(erase.add(table, second).ok());
  EXPECT_EQ(erase.rows(), 2u);
  return erase.take();
}

TEST(EraseStatement, JoinsAListOfKeysSoThatNothingElseIsRead) {
  EXPECT_EQ(statement(resolved(pairs_table()), Dialect::mariadb),
            "DELETE `shop`.`pairs` FROM (SELECT `a`,`b` FROM `shop`.`pairs` WHERE 1=0 "
            "UNION ALL VALUES (7,-1),(-1,7)) AS wherry_keys STRAIGHT_JOIN `shop`.`pairs` "
            "FORCE INDEX (`ab`) ON `shop`.`pairs`.`a`=wherry_keys.`a` "
            "AND `shop`.`pairs`.`b`=wherry_keys.`b`");
}

TEST(EraseStatement, NamesItsListOtherwiseThanTheTable) {
  Table table = pairs_table();
  table.name.table = "Wherry_Keys";
  const std::string text = statement(resolved(std::move(table)), Dialect::mariadb);
  EXPECT_NE(text.find(".`a`=wherry_keys_.`a`"), std::string::npos) << text;
}

TEST(EraseStatement, SpeaksEachDialect) {
  const std::string text = statement(resolved(dispatch::items_table()), Dialect::mysql);
  EXPECT_NE(text.find("VALUES ROW(7),ROW(-1)) AS wherry_keys "), std::string::npos) << text;
}

TEST(EraseStatement, ComparesByConditionWhatAListWouldCompareOtherwise) {
  Table table = pairs_table();
  table.columns[0].kind = ColumnClass::year;
  EXPECT_EQ(statement(resolved(std::move(table)), Dialect::mysql),
            "DELETE `shop`.`pairs` FROM `shop`.`pairs` FORCE INDEX (`ab`) "
            "WHERE (`a`=7 AND `b`=-1) OR (`a`=-1 AND `b`=7)");
}

TEST(EraseStatement, IsEmptyAfterItWasTaken) {
  const dispatch::ResolvedTable table = resolved(pairs_table());
  EraseStatement erase(*table.plan, Dialect::mysql);
  const decode::Cell image[] = {cell_of(kSeven), cell_of(kSeven)};
  EXPECT_TRUE(erase.add(table, image).ok());
  const std::string first = erase.take();
  EXPECT_EQ(erase.rows(), 0u);
  EXPECT_TRUE(erase.add(table, image).ok());
  EXPECT_EQ(erase.take(), first);
}

}  // namespace
}  // namespace wherry::sink
