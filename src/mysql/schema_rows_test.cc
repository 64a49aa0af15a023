#include "mysql/schema_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace wherry::mysql {
namespace {

// Rows as the client prints them: tabs between fields, NULL as the word.
Rows rows_of(std::string_view text) {
  Rows rows;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::vector<Field>& row = rows.rows.emplace_back();
    for (std::size_t at = 0; at != std::string_view::npos;) {
      const std::size_t end = line.find('\t', at);
      const std::string_view field =
          line.substr(at, end == std::string_view::npos ? end : end - at);
      row.push_back(field == "NULL" ? Field() : Field(std::string(field)));
      at = end == std::string_view::npos ? end : end + 1;
    }
  }
  return rows;
}

bool any(const TableName&) { return true; }

// Captured from MariaDB 10.11.
SchemaRows mariadb_rows() {
  SchemaRows rows;
  rows.tables = rows_of(
      "a\tt1\tInnoDB\t7\t16384\na\tovl\tInnoDB\t0\t1\na\tm1\tInnoDB\t0\t1\n"
      "a\tver2\tInnoDB\t0\t1\tSYSTEM VERSIONED\na\tchild\tInnoDB\t0\t1\na\tgone\tInnoDB\t0\t1");
  rows.columns = rows_of(
      "a\tver2\t1\tid\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tver2\t3\trs\ttimestamp(6)\ttimestamp\tNULL\tNULL\tNULL\t6\tNO\tSTORED GENERATED\tROW "
      "START\n"
      "a\tver2\t4\tre\ttimestamp(6)\ttimestamp\tNULL\tNULL\tNULL\t6\tNO\tSTORED GENERATED\tROW "
      "END\n"
      "a\tovl\t3\tt\tdate\tdate\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tovl\t2\tf\tdate\tdate\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tovl\t1\tid\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tm1\t1\tid\tuuid\tuuid\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tm1\t2\ti4\tinet4\tinet4\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL\n"
      "a\tm1\t3\ti6\tinet6\tinet6\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL\n"
      "a\tm1\t4\ttt\ttext\ttext\tutf8mb4\tutf8mb4_general_ci\t65535\tNULL\tNO\t\tNULL\n"
      "a\tt1\t1\tid\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tNO\tauto_increment\tNULL\n"
      "a\tt1\t2\tz\tint(5) unsigned zerofill\tint\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL\n"
      "a\tt1\t3\tde\tdecimal(10,2) unsigned\tdecimal\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL\n"
      "a\tt1\t4\tvc\tvarchar(10)\tvarchar\tlatin1\tlatin1_swedish_ci\t10\tNULL\tYES\t\tNULL\n"
      "a\tt1\t5\tbi\tbinary(7)\tbinary\tNULL\tNULL\t7\tNULL\tYES\t\tNULL\n"
      "a\tt1\t6\ten\tenum('unsigned','b')\tenum\tutf8mb4\tutf8mb4_general_"
      "ci\t32\tNULL\tYES\t\tNULL\n"
      "a\tt1\t7\tj\tlongtext\tlongtext\tutf8mb4\tutf8mb4_bin\t4294967295\tNULL\tYES\t\tNULL\n"
      "a\tt1\t8\tti\ttime(2)\ttime\tNULL\tNULL\tNULL\t2\tYES\t\tNULL\n"
      "a\tt1\t9\tv1\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tYES\tVIRTUAL GENERATED\t`id` + 1\n"
      "a\tt1\t10\tv2\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tYES\tSTORED GENERATED\t`id` + 2\n"
      "a\tt1\t11\tinv\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tYES\tINVISIBLE\tNULL\n"
      "a\tchild\t1\tid\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tNO\t\tNULL\n"
      "a\tchild\t2\tp\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL\n"
      "a\tchild\t3\tp2\tint(11)\tint\tNULL\tNULL\tNULL\tNULL\tYES\t\tNULL");
  rows.indexes = rows_of(
      "a\tovl\tuo\t1\tid\tNULL\t0\tBTREE\na\tovl\tuo\t2\tt\tNULL\t0\tBTREE\n"
      "a\tovl\tuo\t3\tf\tNULL\t0\tBTREE\na\tm1\tuh\t1\ttt\tNULL\t0\tHASH\n"
      "a\tm1\tPRIMARY\t1\tid\tNULL\t0\tBTREE\na\tt1\tkk\t2\tvc\t3\t1\tBTREE\n"
      "a\tt1\tkk\t1\tbi\tNULL\t1\tBTREE\na\tt1\tPRIMARY\t1\tid\tNULL\t0\tBTREE");
  rows.foreign_columns =
      rows_of("a\tchild\tfk1\t1\tp\ta\tparent\tid\na\tchild\tfk2\t1\tp2\tb\tparent\tid");
  rows.foreign_rules =
      rows_of("a\tchild\tfk1\tRESTRICT\tCASCADE\na\tchild\tfk2\tRESTRICT\tRESTRICT");
  return rows;
}

const Table& named(const std::vector<Table>& tables, std::string_view name) {
  static const Table kNone;
  for (const Table& table : tables) {
    if (table.name.table == name) return table;
  }
  return kNone;
}

const Column& column(const Table& table, std::string_view name) {
  static const Column kNone;
  const auto at = table.find_column(name);
  return at ? table.columns[*at] : kNone;
}

TEST(SchemaRows, LeavesOutTablesWithoutColumnsAndUnwantedOnes) {
  const std::vector<Table> tables =
      to_tables(mariadb_rows(), [](const TableName& name) { return name.table != "m1"; });
  std::vector<std::string> names;
  names.reserve(tables.size());
  for (const Table& table : tables) names.push_back(table.name.table);
  EXPECT_EQ(names, (std::vector<std::string>{"child", "ovl", "t1", "ver2"}));
  EXPECT_EQ(named(tables, "t1").rows_estimate, 7U);
  EXPECT_EQ(named(tables, "t1").data_bytes_estimate, 16384U);
}

TEST(SchemaRows, ReadsColumnsOfMariadb) {
  const std::vector<Table> tables = to_tables(mariadb_rows(), any);
  const Table& t1 = named(tables, "t1");
  ASSERT_EQ(t1.columns.size(), 11U);
  EXPECT_TRUE(column(t1, "id").auto_increment);
  EXPECT_FALSE(column(t1, "id").nullable);
  EXPECT_TRUE(column(t1, "z").zerofill && column(t1, "z").is_unsigned);
  EXPECT_TRUE(column(t1, "de").is_unsigned);
  EXPECT_FALSE(column(t1, "en").is_unsigned);  // only a member's name
  EXPECT_EQ(column(t1, "vc").charset, "latin1");
  EXPECT_EQ(column(t1, "bi").kind, ColumnClass::binary);
  EXPECT_EQ(column(t1, "bi").length, 7U);
  EXPECT_EQ(column(t1, "j").kind, ColumnClass::text);
  EXPECT_EQ(column(t1, "j").length, UINT32_MAX);
  EXPECT_EQ(column(t1, "ti").fraction, 2);
  EXPECT_TRUE(column(t1, "v1").generated && !column(t1, "v1").stored);
  EXPECT_TRUE(column(t1, "v2").generated && column(t1, "v2").stored);
  EXPECT_TRUE(column(t1, "inv").invisible);
  EXPECT_TRUE(named(tables, "ver2").versioned);
  EXPECT_FALSE(named(tables, "t1").versioned);
  EXPECT_TRUE(column(named(tables, "ver2"), "re").stored);
  EXPECT_EQ(column(named(tables, "m1"), "id").kind, ColumnClass::uuid);
  EXPECT_EQ(column(named(tables, "m1"), "i4").kind, ColumnClass::inet4);
  EXPECT_EQ(column(named(tables, "m1"), "i6").kind, ColumnClass::inet6);
}

TEST(SchemaRows, OrdersColumnsAndKeyPartsWhateverTheRowsOrder) {
  const std::vector<Table> tables = to_tables(mariadb_rows(), any);
  EXPECT_EQ(named(tables, "ovl").columns[0].name, "id");
  EXPECT_EQ(named(tables, "ovl").columns[2].name, "t");
  const Table& t1 = named(tables, "t1");
  ASSERT_EQ(t1.indexes.size(), 2U);
  EXPECT_TRUE(t1.indexes[0].primary && t1.indexes[0].unique);
  EXPECT_EQ(t1.indexes[1].name, "kk");
  EXPECT_FALSE(t1.indexes[1].unique);
  EXPECT_EQ(t1.columns[t1.indexes[1].parts[0].column].name, "bi");
  EXPECT_EQ(t1.indexes[1].parts[1].prefix_length, 3U);
}

TEST(SchemaRows, HashedUniqueTextIsNoOrderedKey) {
  const std::vector<Table> tables = to_tables(mariadb_rows(), any);
  EXPECT_FALSE(named(tables, "m1").indexes[0].functional);
  EXPECT_TRUE(named(tables, "m1").indexes[1].functional);
}

TEST(SchemaRows, MarksKeysWithoutOverlaps) {
  std::vector<Table> tables = to_tables(mariadb_rows(), any);
  Table& table = const_cast<Table&>(named(tables, "ovl"));
  ASSERT_TRUE(may_lack_overlaps(table, table.indexes[0]));
  EXPECT_FALSE(may_lack_overlaps(named(tables, "t1"), named(tables, "t1").indexes[0]));
  mark_without_overlaps(table, "CREATE TABLE `ovl` (\n  UNIQUE KEY `uo` (`id`,`t`,`f`)\n)");
  EXPECT_FALSE(table.indexes[0].functional);
  mark_without_overlaps(table,
                        "CREATE TABLE `ovl` (\n  UNIQUE KEY `uo` (`id`,`p` WITHOUT OVERLAPS)\n)");
  EXPECT_TRUE(table.indexes[0].functional);
}

TEST(SchemaRows, ReadsForeignKeysAndTheirRules) {
  const std::vector<Table> tables = to_tables(mariadb_rows(), any);
  const auto& keys = named(tables, "child").foreign_keys;
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_TRUE(keys[0].cascades);
  EXPECT_FALSE(keys[1].cascades);
  EXPECT_EQ(keys[1].parent, (TableName{"b", "parent"}));
  EXPECT_EQ(keys[1].columns, std::vector<std::size_t>{2});
  EXPECT_EQ(keys[1].parent_columns, std::vector<std::string>{"id"});
  EXPECT_TRUE(without_rules(tables, mariadb_rows()).empty());
}

TEST(SchemaRows, FindsRulesThatAnAccountMayNotSee) {
  SchemaRows rows = mariadb_rows();
  rows.foreign_rules.rows.clear();
  std::vector<Table> tables = to_tables(rows, any);
  EXPECT_EQ(without_rules(tables, rows), (std::vector<TableName>{{"a", "child"}}));
  Table& child = const_cast<Table&>(named(tables, "child"));
  mark_cascades(
      child,
      "CREATE TABLE `child` (\n"
      "  CONSTRAINT `fk1` FOREIGN KEY (`p`) REFERENCES ` ON DELETE CASCADE` (`id`),\n"
      "  CONSTRAINT `fk2` FOREIGN KEY (`p2`) REFERENCES `parent` (`id`) ON UPDATE SET NULL\n)");
  EXPECT_FALSE(child.foreign_keys[0].cascades);
  EXPECT_TRUE(child.foreign_keys[1].cascades);
}

// Captured from MySQL 9.7.
TEST(SchemaRows, ReadsMysql) {
  SchemaRows rows;
  rows.tables = rows_of("a\tm1\tInnoDB\tNULL\tNULL\na\tgipk\tInnoDB\t0\t0");
  rows.columns = rows_of(
      "a\tgipk\t1\tmy_row_id\tbigint unsigned\tbigint\tNULL\tNULL\tNULL\tNULL\tNO\tauto_increment "
      "INVISIBLE\t\n"
      "a\tm1\t1\tid\tint\tint\tNULL\tNULL\tNULL\tNULL\tNO\t\t\n"
      "a\tm1\t2\tdt\tdatetime(3)\tdatetime\tNULL\tNULL\tNULL\t3\tYES\tDEFAULT_GENERATED\t\n"
      "a\tm1\t3\tv\tvector(3)\tvector\tNULL\tNULL\t12\tNULL\tYES\t\t\n"
      "a\tm1\t4\tj\tjson\tjson\tNULL\tNULL\tNULL\tNULL\tYES\t\t");
  rows.indexes = rows_of(
      "a\tm1\tfx\t1\tNULL\tNULL\t0\tBTREE\na\tm1\tPRIMARY\t1\tid\tNULL\t0\tBTREE\n"
      "a\tgipk\tPRIMARY\t1\tmy_row_id\tNULL\t0\tBTREE");
  const std::vector<Table> tables = to_tables(rows, any);
  const Table& gipk = named(tables, "gipk");
  EXPECT_TRUE(column(gipk, "my_row_id").auto_increment && column(gipk, "my_row_id").invisible);
  const Table& m1 = named(tables, "m1");
  EXPECT_FALSE(column(m1, "dt").generated);  // an expression default
  EXPECT_EQ(column(m1, "v").kind, ColumnClass::vector);
  EXPECT_EQ(column(m1, "j").kind, ColumnClass::json);
  ASSERT_EQ(m1.indexes.size(), 2U);
  EXPECT_TRUE(m1.indexes[0].primary);
  EXPECT_TRUE(m1.indexes[1].functional && m1.indexes[1].parts.empty());
}

}  // namespace
}  // namespace wherry::mysql
