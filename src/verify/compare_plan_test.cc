#include "verify/compare_plan.h"

#include <gtest/gtest.h>

#include "verify/key_range.h"

namespace wherry::verify {
namespace {

const mysql::ServerFacts kMysql{Dialect::mysql, "9.7.4", 90704, 1, "", true};
const mysql::ServerFacts kOldMysql{Dialect::mysql, "5.7.44", 50744, 1, "", true};
const mysql::ServerFacts kMariadb{Dialect::mariadb, "10.11.19-MariaDB", 101119, 1, "", true};

Column column(std::string name, ColumnClass kind, std::string type,
              const std::string& collation = "") {
  Column out;
  out.name = std::move(name);
  out.kind = kind;
  out.type = std::move(type);
  out.collation = collation;
  out.charset = collation.substr(0, collation.find('_'));
  out.nullable = false;
  return out;
}

TablePair pair_of(std::vector<Column> columns, std::vector<IndexPart> key) {
  Table table;
  table.name = {"d`b", "t"};
  table.columns = std::move(columns);
  if (!key.empty()) table.indexes.push_back({"PRIMARY", std::move(key), true, true, false});
  return {table, table};
}

TEST(ComparePlan, SelectsWhatHoldsAllBits) {
  TablePair pair = pair_of(
      {column("id", ColumnClass::integer, "int(11)"), column("f", ColumnClass::floating, "float"),
       column("e", ColumnClass::enumeration, "enum('a')", "utf8mb4_bin"),
       column("z", ColumnClass::integer, "int(5) unsigned zerofill")},
      {{0, 0}});
  pair.source.columns[3].zerofill = true;
  const Result<ComparePlan> plan = make_plan(pair, kMysql, kOldMysql);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().source.select,
            "SELECT t.`id`, CAST(t.`f` AS DOUBLE), CAST(t.`e` AS UNSIGNED), t.`z` + 0 FROM "
            "`d``b`.`t` AS t");
  EXPECT_EQ(
      plan.value().target.select,
      "SELECT t.`id`, (t.`f` * 1e0), CAST(t.`e` AS UNSIGNED), t.`z` + 0 FROM `d``b`.`t` AS t");
  EXPECT_EQ(plan.value().source.use_index, " FORCE INDEX (PRIMARY)");
  EXPECT_EQ(plan.value().order, Order::same);
}

TEST(ComparePlan, MatchesColumnsByName) {
  TablePair pair = pair_of(
      {column("a", ColumnClass::integer, "int"), column("b", ColumnClass::date, "date")}, {{0, 0}});
  std::swap(pair.target.columns[0], pair.target.columns[1]);
  pair.target.indexes[0].parts[0].column = 1;
  const Result<ComparePlan> plan = make_plan(pair, kMariadb, kMariadb);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().target.select, plan.value().source.select);
  EXPECT_EQ(plan.value().order, Order::same);
}

TEST(ComparePlan, RefusesColumnsOfOneSide) {
  TablePair pair = pair_of(
      {column("a", ColumnClass::integer, "int"), column("b", ColumnClass::date, "date")}, {{0, 0}});
  pair.target.columns.pop_back();
  const Result<ComparePlan> plan = make_plan(pair, kMariadb, kMariadb);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, Errc::unsupported);
  EXPECT_NE(plan.error().what.find("b (source only)"), std::string::npos);
}

TEST(ComparePlan, LeavesOutGeneratedInvisibleKeysOfOneSide) {
  TablePair pair = pair_of({column("a", ColumnClass::integer, "int")}, {});
  Column hidden = column("my_row_id", ColumnClass::integer, "bigint unsigned");
  hidden.invisible = hidden.auto_increment = true;
  pair.target.columns.insert(pair.target.columns.begin(), hidden);
  const Result<ComparePlan> plan = make_plan(pair, kMysql, kMysql);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().fields.size(), 1U);
  EXPECT_TRUE(plan.value().key.empty());
  EXPECT_EQ(plan.value().order, Order::none);
}

TEST(ComparePlan, ConvertsTextOfDifferentCharacterSets) {
  TablePair pair = pair_of({column("k", ColumnClass::text, "varchar(9)", "latin1_bin")}, {{0, 0}});
  pair.target.columns[0] = column("k", ColumnClass::text, "varchar(9)", "utf8mb4_bin");
  const Result<ComparePlan> plan = make_plan(pair, kMysql, kMysql);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().source.select, "SELECT CONVERT(t.`k` USING utf8mb4) FROM `d``b`.`t` AS t");
  EXPECT_EQ(plan.value().order, Order::none);
  EXPECT_EQ(plan.value().key.size(), 1U);
}

TEST(ComparePlan, TakesUtf8AndUtf8mb3ForOne) {
  TablePair pair = pair_of({column("k", ColumnClass::text, "varchar(9)", "utf8_bin")}, {{0, 0}});
  pair.target.columns[0] = column("k", ColumnClass::text, "varchar(9)", "utf8mb3_bin");
  const Result<ComparePlan> plan = make_plan(pair, kMariadb, kMariadb);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().source.select, "SELECT t.`k` FROM `d``b`.`t` AS t");
  EXPECT_EQ(plan.value().order, Order::same);
}

TEST(ComparePlan, TrustsTheOrderOfTextOfOneDialectOnly) {
  const TablePair text =
      pair_of({column("k", ColumnClass::text, "varchar(9)", "utf8mb4_general_ci")}, {{0, 0}});
  EXPECT_EQ(make_plan(text, kMysql, kMysql).value().order, Order::same);
  EXPECT_EQ(make_plan(text, kMysql, kMariadb).value().order, Order::likely);
  const TablePair labels =
      pair_of({column("k", ColumnClass::enumeration, "enum('a')", "utf8mb4_bin")}, {{0, 0}});
  EXPECT_EQ(make_plan(labels, kMysql, kMysql).value().order, Order::none);
}

TEST(ComparePlan, ComparesLabelsWhereTheListsDiffer) {
  TablePair pair = pair_of({column("id", ColumnClass::integer, "int"),
                            column("e", ColumnClass::enumeration, "enum('a','b')", "utf8mb4_bin")},
                           {{0, 0}});
  pair.target.columns[1].type = "enum('a','b','c')";
  const Result<ComparePlan> plan = make_plan(pair, kMysql, kMysql);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(
      plan.value().source.select,
      "SELECT t.`id`, CAST(t.`e` AS UNSIGNED), CONVERT(t.`e` USING utf8mb4) FROM `d``b`.`t` AS t");
}

TEST(ComparePlan, TargetWithoutTheKeyIsReadAsABag) {
  TablePair pair = pair_of({column("id", ColumnClass::integer, "int")}, {{0, 0}});
  pair.target.indexes.clear();
  const Result<ComparePlan> plan = make_plan(pair, kMysql, kMysql);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().order, Order::none);
  EXPECT_TRUE(plan.value().key.empty());
}

TEST(KeyRange, ExpandsCompositeKeys) {
  const TablePair pair = pair_of({column("a", ColumnClass::integer, "int"),
                                  column("b", ColumnClass::text, "char(3)", "latin1_bin"),
                                  column("c", ColumnClass::binary, "binary(2)")},
                                 {{0, 0}, {1, 0}, {2, 0}});
  const ComparePlan plan = make_plan(pair, kMariadb, kMariadb).value();
  const std::vector<std::string>& columns = plan.source.columns;
  EXPECT_EQ(condition(plan, columns, {}), "");
  EXPECT_EQ(condition(plan, columns, {KeyValues{"-1", "x'", std::string("\0\xff", 2)}, {}}),
            "((t.`a` > -1) OR (t.`a` = -1 AND t.`b` > _latin1 X'7827') OR "
            "(t.`a` = -1 AND t.`b` = _latin1 X'7827' AND t.`c` > X'00ff'))");
  EXPECT_EQ(condition(plan, columns, {KeyValues{"1"}, KeyValues{"2", "y", ""}}),
            "((t.`a` > 1)) AND ((t.`a` < 2) OR (t.`a` = 2 AND t.`b` < _latin1 X'79') OR "
            "(t.`a` = 2 AND t.`b` = _latin1 X'79' AND t.`c` <= X''))");
}

TEST(KeyRange, WritesLiteralsThatCompareExactly) {
  const auto of = [](ColumnClass kind, const std::string& value) {
    return literal({"c", kind, "utf8mb4"}, value);
  };
  EXPECT_EQ(of(ColumnClass::decimal, "-0.500"), "-0.500");
  EXPECT_EQ(of(ColumnClass::floating, "0.10000000149011612"), "0.10000000149011612e0");
  EXPECT_EQ(of(ColumnClass::floating, "1e20"), "1e20");
  EXPECT_EQ(of(ColumnClass::bit, std::string("\x01\x02", 2)), "258");
  EXPECT_EQ(of(ColumnClass::datetime, "0000-00-00 00:00:00"), "'0000-00-00 00:00:00'");
  EXPECT_EQ(of(ColumnClass::text, "é"), "_utf8mb4 X'c3a9'");
}

}  // namespace
}  // namespace wherry::verify
