// Table maps and row images that the captures do not cover: images that leave columns out, partial
// JSON, and bytes that contradict each other. Real events come from MySQL 9.7 and MariaDB 10.11.

#include "decode/rows.h"

#include <gtest/gtest.h>

#include "decode/hex_for_tests.h"
#include "decode/value.h"

namespace wherry::decode {
namespace {

// e.t: id int primary key, j json, k json, v varchar(10), b blob, n int.
constexpr char kMap[] =
    "b3000000000001000165000174000603f5f50ffc030504042800023e0101000304fcff003f040d026964016a016b01"
    "760162"
    "016e0801000c01fc";
// e.d: two integers, no key.
constexpr char kSmallMap[] = "b40000000000010001650001640002030300030101000404016101620c01c0";

TableMap table_map(std::string_view hex, Dialect dialect = Dialect::mysql) {
  FormatDescription format;
  format.dialect = dialect;
  auto map = decode_table_map(from_hex(hex), format);
  EXPECT_TRUE(map.ok()) << (map.ok() ? "" : map.error().what);
  return map.ok() ? std::move(map).value() : TableMap{};
}

std::string shown(const TableMap& map, const std::vector<Cell>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += '|';
    const Cell& cell = cells[i];
    if (!cell.present) {
      text += '-';
    } else if (cell.null) {
      text += "NULL";
    } else if (cell.partial_json) {
      const auto diffs = decode_json_diffs(cell);
      if (!diffs.ok()) text += diffs.error().what;
      for (const JsonDiff& diff : diffs.value()) {
        text += std::to_string(static_cast<int>(diff.operation)) + diff.path + "=" + diff.value;
      }
    } else {
      EXPECT_TRUE(append_text(map.columns[i], cell, text).ok());
    }
  }
  return text;
}

// Every row of an event, images joined by " > ".
std::vector<std::string> rows_of(EventType type, std::string_view hex, const TableMap& map) {
  EventHeader header;
  header.type = type;
  const auto body = from_hex(hex);
  auto reader = RowsReader::open(header, body, map, {});
  if (!reader.ok()) return {reader.error().what};
  std::vector<std::string> rows;
  RowView row;
  while (true) {
    const auto more = reader.value().next(row);
    if (!more.ok()) rows.push_back(more.error().what);
    if (!more.ok() || !more.value()) return rows;
    std::string text;
    if (reader.value().kind() != RowKind::insert) text = shown(map, row.before);
    if (reader.value().kind() == RowKind::update) text += " > ";
    if (reader.value().kind() != RowKind::erase) text += shown(map, row.after);
    rows.push_back(text);
  }
}

using Rows = std::vector<std::string>;

TEST(TableMapTest, FullMetadata) {
  const TableMap map = table_map(kMap);
  EXPECT_EQ(map.table_id, 0xb3u);
  EXPECT_EQ(map.database, "e");
  EXPECT_EQ(map.table, "t");
  EXPECT_EQ(map.names, (std::vector<std::string>{"id", "j", "k", "v", "b", "n"}));
  EXPECT_EQ(map.primary_key, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(map.collations, (std::vector<std::uint32_t>{0, 0, 0, 255, 63, 0}));
  EXPECT_EQ(map.visible, (std::vector<bool>{true, true, true, true, true, true}));
  EXPECT_EQ(map.nullable, (std::vector<bool>{false, true, true, true, true, true}));
  EXPECT_TRUE(map.has_signedness);
  EXPECT_EQ(map.columns[3].meta, 40);
}

// MariaDB: tiny, bit(3), tiny unsigned, year, tiny, bit(9), inet6, uuid, datetime, timestamp, enum,
// int unsigned. YEAR has a sign bit, BIT has none, and there is one byte of them for 12 columns.
TEST(TableMapTest, SignBitsOfNumericColumnsOnly) {
  const TableMap map = table_map(
      "44000000000001000178000168000c0110010d0110fefe1211fe030c03000101fe10fe100000f701ff0f01016802"
      "013f041f"
      "017401620274320179027433026232026936017502647402747301650274340a012d06030101"
      "61",
      Dialect::mariadb);
  std::string signs;
  for (const ColumnShape& shape : map.columns) signs += shape.is_unsigned ? 'u' : '.';
  EXPECT_EQ(signs, "..uu.......u");
  EXPECT_EQ(map.members[10], (std::vector<std::string>{"a"}));
  EXPECT_EQ(map.collations[10], 45u);
  EXPECT_TRUE(map.columns[6].fixed_binary);
}

TEST(TableMapTest, ColumnCharsetsNamedOneByOne) {
  // char(4), int, varchar(9), blob; field 3 lists three collations, of which 255 takes three bytes.
  const TableMap map =
      table_map("010000000000010001610001620004fe030ffc05fe100900020f03053ffcff0008");
  EXPECT_EQ(map.collations, (std::vector<std::uint32_t>{63, 0, 255, 8}));
  EXPECT_TRUE(map.columns[0].fixed_binary);
  EXPECT_FALSE(map.has_signedness);
}

TEST(TableMapTest, UnknownFieldsAreSkipped) {
  const TableMap map = table_map(std::string(kSmallMap) + "c803010203080101");
  EXPECT_EQ(map.primary_key, (std::vector<std::uint32_t>{1}));
}

TEST(TableMapTest, LongCharHasItsLengthSplit) {
  // char(255) of four-byte characters: 1020 bytes, two bits of it inverted in the type's byte.
  const TableMap map = table_map("010000000000010001610001620001fe02cefc01");
  EXPECT_EQ(map.columns[0].type, WireType::string);
  EXPECT_EQ(map.columns[0].meta, 1020);
}

TEST(TableMapTest, RefusesWhatNoServerWrites) {
  const std::string head = "0100000000000100016100016200";
  for (const char* columns : {
           "0000",                // no column
           "01990000",            // unknown type
           "01f6021e1f00",        // DECIMAL with more fraction than digits
           "01f602420000",        // DECIMAL of 66 digits
           "0112010700",          // DATETIME with seven fraction digits
           "0103000002033f0008",  // a character set for a column that is none
           "01fe02f70900",        // ENUM of nine bytes
           "01fe020300",          // metadata too short
           "01030000080105",      // key column 5 of 1
           "01030000010200",      // two bytes of sign bits for one number
       }) {
    const auto map = decode_table_map(from_hex(head + columns), {});
    ASSERT_FALSE(map.ok()) << columns;
    EXPECT_TRUE(map.error().code == Errc::malformed || map.error().code == Errc::truncated);
  }
}

TEST(RowsTest, MinimalImages) {
  const TableMap map = table_map(kMap);
  EXPECT_EQ(rows_of(EventType::update_rows_v2, "b3000000000011000200060108000100000000016d", map),
            (Rows{"1|-|-|-|-|- > -|-|-|m|-|-"}));
  EXPECT_EQ(rows_of(EventType::write_rows_v2, "b3000000000011000200060100020000000003000000", map),
            (Rows{"2|-|-|-|-|-", "3|-|-|-|-|-"}));
  EXPECT_EQ(rows_of(EventType::delete_rows_v2, "b300000000001100020006010002000000", map),
            (Rows{"2|-|-|-|-|-"}));
}

// INSERT of nothing but defaults under a minimal image: the row has no byte at all.
TEST(RowsTest, RowWithoutColumns) {
  const TableMap map = table_map(kSmallMap);
  EXPECT_EQ(rows_of(EventType::write_rows_v2, "b40000000000110002000200", map), (Rows{"-|-"}));
  EXPECT_EQ(rows_of(EventType::delete_rows_v2, "b40000000000110002000200", map), (Rows{}));
  EXPECT_EQ(rows_of(EventType::write_rows_v2, "b4000000000011000200020000", map),
            (Rows{"rows of e.d contradict the table map"}));
}

TEST(RowsTest, PartialJson) {
  const TableMap map = table_map(kMap);
  // j by its difference, k whole although it grew.
  EXPECT_EQ(
      rows_of(EventType::partial_update_rows,
              "b300000000001100020006ffff00010000002f0000000003002e00190001001a0001001b000100050100"
              "021c000c290061626303000d0005010005020005030004746578740b0000000202000a00050100050200"
              "01780400626c6f6205000000010100010000000d0000000003242e61070ff60403018f000e0000000203"
              "000d0005010005020005070001780400626c6f6205000000",
              map),
      (Rows{"1|{\"a\": 1, \"b\": [1, 2, 3], \"c\": \"text\"}|[1, 2]|x|blob|5 > "
            "1|0$.a=15.0|[1, 2, 7]|x|blob|5"}));
  // Minimal image: the bits of partial columns count k although only j is there.
  EXPECT_EQ(rows_of(EventType::partial_update_rows,
                    "b30000000000110002000601020001000000010100080000000003242e630204000400", map)
                .size(),
            2u);
  EXPECT_EQ(rows_of(EventType::partial_update_rows,
                    "b30000000000110002000601020001000000010100080000000003242e63020400", map),
            (Rows{"1|-|-|-|-|- > -|0$.c=null|-|-|-|-"}));
  // No options: the after image is whole.
  EXPECT_EQ(
      rows_of(EventType::partial_update_rows,
              "b3000000000011000200060104000100000000000e0000000203000d00050100050200050300", map),
      (Rows{"1|-|-|-|-|- > -|-|[1, 2, 3]|-|-|-"}));
}

TEST(RowsTest, JsonDiffsOfAllKinds) {
  const auto remove = from_hex("0206242e625b315d0103242e78020c00");
  Cell cell;
  cell.data = remove.data();
  cell.size = static_cast<std::uint32_t>(remove.size());
  const auto diffs = decode_json_diffs(cell);
  ASSERT_TRUE(diffs.ok()) << diffs.error().what;
  ASSERT_EQ(diffs.value().size(), 2u);
  EXPECT_EQ(diffs.value()[0].operation, JsonOperation::remove);
  EXPECT_EQ(diffs.value()[0].path, "$.b[1]");
  EXPECT_EQ(diffs.value()[1].operation, JsonOperation::insert);
  EXPECT_EQ(diffs.value()[1].value, "\"\"");
  const auto unknown = from_hex("03032461620100");
  cell.data = unknown.data();
  cell.size = static_cast<std::uint32_t>(unknown.size());
  EXPECT_FALSE(decode_json_diffs(cell).ok());
}

TEST(RowsTest, ExtraPartIsSkipped) {
  const TableMap map = table_map(kSmallMap);
  EXPECT_EQ(
      rows_of(EventType::write_rows_v2, "b40000000000010005000102030203000500000006000000", map),
      (Rows{"5|6"}));
  EXPECT_EQ(rows_of(EventType::write_rows_v2, "b4000000000001000100020300", map),
            (Rows{"rows event: extra part"}));
}

TEST(RowsTest, ContradictionsAreErrors) {
  const TableMap map = table_map(kSmallMap);
  const Rows contradiction{"rows of e.d contradict the table map"};
  // Another table id, another width, a cell cut off, rubbish behind the last row.
  EXPECT_EQ(rows_of(EventType::write_rows_v1, "b500000000000100020300", map), contradiction);
  EXPECT_EQ(rows_of(EventType::write_rows_v1, "b400000000000100030700", map), contradiction);
  EXPECT_EQ(rows_of(EventType::write_rows_v1, "b40000000000010002030005000000060000", map),
            contradiction);
  EXPECT_EQ(rows_of(EventType::write_rows_v1, "b400000000000100020300050000000600000000", map),
            (Rows{"5|6", contradiction[0]}));
  // Bits beyond the last column mean nothing.
  EXPECT_EQ(rows_of(EventType::write_rows_v1, "b40000000000010002fffc0500000006000000", map),
            (Rows{"5|6"}));
  EXPECT_EQ(rows_of(EventType::table_map, "", map), (Rows{"rows event: another event type"}));
}

TEST(RowsTest, TableIdAlone) {
  EventHeader header;
  header.type = EventType::write_rows_v1;
  const auto body = from_hex("b40000000001");
  EXPECT_EQ(RowsReader::table_id(header, body, {}).value(), 0x0100000000b4u);
  EXPECT_EQ(RowsReader::table_id(header, Bytes(body).first(5), {}).error().code, Errc::truncated);
}

// A header that promises 4 GiB for a few bytes must not be believed.
TEST(RowsTest, CompressedLengthIsChecked) {
  const TableMap map = table_map(kSmallMap);
  EXPECT_EQ(
      rows_of(EventType::mariadb_write_rows_compressed_v1, "b400000000000100020384ffffffff00", map),
      (Rows{"rows event: compressed bytes: length out of range"}));
  EXPECT_EQ(rows_of(EventType::mariadb_write_rows_compressed_v1, "b400000000000100020300", map),
            (Rows{"rows event: compressed event: bad header"}));
}

}  // namespace
}  // namespace wherry::decode
