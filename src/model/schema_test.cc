#include "model/schema.h"

#include <gtest/gtest.h>

namespace wherry {
namespace {

Column column(std::string name, std::string type, bool nullable = false, std::uint32_t length = 0) {
  Column made;
  made.name = std::move(name);
  made.data_type = std::move(type);
  made.kind = length == 0 ? ColumnClass::integer : ColumnClass::text;
  made.length = length;
  made.nullable = nullable;
  return made;
}

Table table(std::vector<Index> indexes) {
  Table made;
  made.name = {"d", "t"};
  made.columns = {column("id", "bigint"), column("Code", "varchar", false, 80), column("n", "int"),
                  column("maybe", "int", true), column("small", "smallint")};
  made.indexes = std::move(indexes);
  return made;
}

Index unique(std::string name, std::vector<IndexPart> parts) {
  Index made;
  made.name = std::move(name);
  made.parts = std::move(parts);
  made.unique = true;
  return made;
}

std::string chosen(const Table& table) {
  const Index* key = row_key(table);
  return key == nullptr ? "none" : key->name;
}

TEST(Schema, FindsColumnsWithoutCaseButExactOnesFirst) {
  Table made = table({});
  EXPECT_EQ(made.find_column("code"), 1u);
  EXPECT_EQ(made.find_column("Code"), 1u);
  EXPECT_EQ(made.find_column("cod"), std::nullopt);
  made.columns.push_back(column("code", "int"));
  EXPECT_EQ(made.find_column("code"), 5u);
  EXPECT_EQ(made.find_column("CODE"), 1u);
}

TEST(Schema, PrimaryKeyComesFirst) {
  Index primary = unique("PRIMARY", {{1, 0}, {0, 0}});
  primary.primary = true;
  EXPECT_EQ(chosen(table({unique("u", {{4, 0}}), primary})), "PRIMARY");
}

TEST(Schema, FewestThenNarrowestColumns) {
  EXPECT_EQ(chosen(table({unique("two", {{2, 0}, {4, 0}}), unique("text", {{1, 0}})})), "text");
  EXPECT_EQ(
      chosen(table({unique("text", {{1, 0}}), unique("big", {{0, 0}}), unique("small", {{4, 0}})})),
      "small");
  EXPECT_EQ(chosen(table({unique("first", {{2, 0}}), unique("second", {{2, 0}})})), "first");
}

TEST(Schema, KeysThatDoNotIdentifyARow) {
  Index plain = unique("plain", {{0, 0}});
  plain.unique = false;
  Index functional = unique("functional", {{0, 0}});
  functional.functional = true;
  EXPECT_EQ(chosen(table({})), "none");
  EXPECT_EQ(chosen(table({plain})), "none");
  EXPECT_EQ(chosen(table({functional})), "none");
  EXPECT_EQ(chosen(table({unique("nullable", {{3, 0}})})), "none");
  EXPECT_EQ(chosen(table({unique("partly", {{0, 0}, {3, 0}})})), "none");
  EXPECT_EQ(chosen(table({unique("prefix", {{1, 10}})})), "none");
  EXPECT_EQ(chosen(table({unique("empty", {})})), "none");
  EXPECT_EQ(chosen(table({unique("foreign", {{99, 0}})})), "none");
}

TEST(Schema, PrefixPrimaryKeyGivesWayToAWholeUniqueKey) {
  Index primary = unique("PRIMARY", {{1, 10}});
  primary.primary = true;
  EXPECT_EQ(chosen(table({primary, unique("u", {{0, 0}})})), "u");
}

TEST(Schema, VirtualColumnsAreNoKeysStoredOnesAre) {
  Table made = table({unique("u", {{0, 0}})});
  made.columns[0].generated = true;
  EXPECT_EQ(chosen(made), "none");
  made.columns[0].stored = true;
  EXPECT_EQ(chosen(made), "u");
}

}  // namespace
}  // namespace wherry
