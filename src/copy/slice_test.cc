// Keys as text, the saved form of a slice, and the statements that read the rows behind a key.

#include "copy/slice.h"

#include <gtest/gtest.h>

#include "dispatch/plan_for_tests.h"

namespace wherry::copy {
namespace {

using dispatch::integer_column;
using dispatch::items_table;
using dispatch::plan_of;
using dispatch::text_column;
using dispatch::unique_index;

constexpr char kFrom[] = "SELECT `id`,`name` FROM `shop`.`items` FORCE INDEX (`PRIMARY`)";

TEST(KeyTextTest, AnyBytesComeBack) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  for (const Key& key : {Key{"1"}, Key{"1", "ab"}, Key{""}, Key{"", ""}, Key{bytes, ",", "x"}}) {
    EXPECT_EQ(key_from_text(key_to_text(key)), key) << key_to_text(key);
  }
  EXPECT_EQ(key_to_text({"1", "ab"}), "31,6162");
}

TEST(SliceTest, SavedFormComesBack) {
  Slice slice;
  slice.id = {3, 1};
  slice.after = Key{"10"};
  slice.through = Key{"20"};
  slice.reached = Key{"15"};
  slice.rows = 5;
  slice.bytes = 500;
  slice.placed_at = 77;
  const auto saved = slice_from_json(slice.id, to_json(slice));
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(saved.value().after, slice.after);
  EXPECT_EQ(saved.value().through, slice.through);
  EXPECT_EQ(saved.value().reached, slice.reached);
  EXPECT_EQ(saved.value().rows, 5u);
  EXPECT_EQ(saved.value().bytes, 500u);
  EXPECT_EQ(saved.value().placed_at, 77u);
  EXPECT_FALSE(saved.value().done);
  EXPECT_FALSE(saved.value().whole);
}

TEST(SliceTest, SingleKeysComeBackAndAreAllThatIsRead) {
  Slice slice;
  slice.id = {3, 9};
  slice.only = {{"1", "a,b"}, {"2", ""}};
  const auto saved = slice_from_json(slice.id, to_json(slice));
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(saved.value().only, slice.only);
  Table table = items_table();
  table.columns[1].nullable = false;
  table.indexes = {unique_index("PRIMARY", {{0, 0}, {1, 0}})};
  slice.only = {{"1", "a"}, {"2", "b"}};
  slice.reached = Key{"7", "z"};
  const std::string sql = select_next(*plan_of(table), slice, 3);
  EXPECT_NE(sql.find("WHERE ((`id` = 1 AND `name` = "), std::string::npos) << sql;
  EXPECT_NE(sql.find(") OR (`id` = 2 AND `name` = "), std::string::npos) << sql;
  EXPECT_EQ(sql.find("> 7"), std::string::npos) << sql;
}

TEST(SliceTest, AbsentEndsStayAbsent) {
  Slice slice;
  slice.done = slice.whole = true;
  const auto saved = slice_from_json({3, 0}, to_json(slice));
  ASSERT_TRUE(saved.ok());
  EXPECT_FALSE(saved.value().after || saved.value().through || saved.value().reached);
  EXPECT_TRUE(saved.value().done);
  EXPECT_TRUE(saved.value().whole);
}

TEST(SliceTest, WhatIsNotJsonIsAnError) {
  for (const char* text : {"", "{", "[]", "7"}) {
    const auto saved = slice_from_json({3, 0}, text);
    ASSERT_FALSE(saved.ok()) << text;
    EXPECT_EQ(saved.error().code, Errc::malformed);
  }
}

TEST(RecordNameTest, ComesBackOrIsRefused) {
  EXPECT_EQ(record_name({3, 12}), "3.12");
  const auto id = parse_record_name("3.12");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->table, 3u);
  EXPECT_EQ(id->number, 12u);
  for (const char* name : {"", "3", "3.", ".1", "3.1x", "x.1", "3,1", "99999999999.0"})
    EXPECT_FALSE(parse_record_name(name)) << name;
}

TEST(SelectTest, FirstRowsOfATable) {
  const auto plan = plan_of(items_table());
  EXPECT_EQ(select_next(*plan, {}, 100), std::string(kFrom) + " ORDER BY `id` LIMIT 100");
}

TEST(SelectTest, GoesOnBehindWhatIsReached) {
  const auto plan = plan_of(items_table());
  Slice slice;
  slice.after = Key{"10"};
  slice.through = Key{"20"};
  EXPECT_EQ(select_next(*plan, slice, 5),
            std::string(kFrom) + " WHERE ((`id` > 10)) AND ((`id` <= 20)) ORDER BY `id` LIMIT 5");
  slice.reached = Key{"15"};
  EXPECT_EQ(select_next(*plan, slice, 5),
            std::string(kFrom) + " WHERE ((`id` > 15)) AND ((`id` <= 20)) ORDER BY `id` LIMIT 5");
}

TEST(SelectTest, KeyOfTwoColumnsIsComparedPartByPart) {
  Table table = items_table();
  table.columns[1] = integer_column("part");
  table.indexes = {unique_index("PRIMARY", {{0, 0}, {1, 0}})};
  Slice slice;
  slice.reached = Key{"1", "2"};
  const std::string text = select_next(*plan_of(table), slice, 5);
  EXPECT_NE(text.find("WHERE ((`id` > 1) OR (`id` = 1 AND `part` > 2)) ORDER BY `id`,`part`"),
            std::string::npos)
      << text;
}

TEST(SelectTest, ColumnsAreReadInTheirCanonicalText) {
  Table table = items_table();
  table.columns[0].zerofill = true;
  Column ratio = integer_column("ratio");
  ratio.kind = ColumnClass::floating;
  table.columns.push_back(ratio);
  EXPECT_EQ(select_all(*plan_of(table)),
            "SELECT `id`+0,`name`,CAST(`ratio` AS DOUBLE) FROM `shop`.`items`");
}

TEST(SelectTest, GeneratedKeyColumnIsReadAfterTheRest) {
  Table table = items_table();
  table.columns[0].generated = table.columns[0].stored = true;
  const auto plan = plan_of(table);
  EXPECT_EQ(selected_columns(*plan), (std::vector<std::size_t>{1, 0}));
}

TEST(SelectTest, NamesAreQuoted) {
  Table table = items_table();
  table.name.table = "it`ems";
  EXPECT_EQ(select_all(*plan_of(table)), "SELECT `id`,`name` FROM `shop`.`it``ems`");
}

}  // namespace
}  // namespace wherry::copy
