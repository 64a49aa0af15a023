// A table's columns and keys come back from their record as they were, and damage is told.

#include "control/table_shape.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wherry::control {
namespace {

Table items() {
  Table table;
  table.engine = "InnoDB";
  Column id;
  id.name = "i`d";
  id.kind = ColumnClass::integer;
  id.type = "int(10) unsigned";
  id.data_type = "int";
  id.is_unsigned = id.zerofill = id.auto_increment = true;
  id.nullable = false;
  Column text;
  text.name = "text";
  text.kind = ColumnClass::text;
  text.type = text.data_type = "text";
  text.charset = "utf8mb4";
  text.collation = "utf8mb4_bin";
  text.length = 65535;
  text.invisible = true;
  Column at;
  at.name = "at";
  at.kind = ColumnClass::timestamp;
  at.fraction = 6;
  at.generated = at.stored = true;
  table.columns = {id, text, at};
  table.indexes = {{"PRIMARY", {{0, 0}}, true, true, false}, {"x", {{1, 20}, {2, 0}}, true}};
  table.foreign_keys = {{"f", {0}, {"shop", "parents"}, {"id"}, true}};
  return table;
}

TEST(TableShape, ComesBackAsItWas) {
  const auto json = shape_json(items());
  const Result<Table> back = shape_from_json(nlohmann::json::parse(json.dump()));
  ASSERT_TRUE(back.ok()) << back.error().what;
  EXPECT_EQ(shape_json(back.value()), json);
  ASSERT_EQ(back.value().columns.size(), 3u);
  const Column& id = back.value().columns[0];
  EXPECT_EQ(id.name, "i`d");
  EXPECT_EQ(id.kind, ColumnClass::integer);
  EXPECT_TRUE(id.is_unsigned && id.zerofill && id.auto_increment && !id.nullable);
  EXPECT_EQ(back.value().columns[1].collation, "utf8mb4_bin");
  EXPECT_EQ(back.value().columns[1].length, 65535u);
  EXPECT_TRUE(back.value().columns[1].nullable && back.value().columns[1].invisible);
  EXPECT_EQ(back.value().columns[2].fraction, 6);
  EXPECT_TRUE(back.value().columns[2].generated && back.value().columns[2].stored);
  EXPECT_EQ(key_signature(back.value()), key_signature(items()));
  EXPECT_EQ(back.value().indexes[1].parts[0].prefix_length, 20u);
  EXPECT_EQ(back.value().foreign_keys[0].parent.to_string(), "shop.parents");
  EXPECT_TRUE(back.value().foreign_keys[0].cascades);
}

TEST(TableShape, DamageIsAnError) {
  const auto whole = shape_json(items());
  for (const char* key : {"columns", "indexes", "foreign_keys", "engine"}) {
    auto without = whole;
    without.erase(key);
    EXPECT_FALSE(shape_from_json(without).ok()) << key;
  }
  auto beyond = whole;
  beyond["indexes"][1]["parts"][0][0] = 3;
  EXPECT_FALSE(shape_from_json(beyond).ok());
  auto unknown = whole;
  unknown["columns"][0]["class"] = 200;
  EXPECT_FALSE(shape_from_json(unknown).ok());
  auto text = whole;
  text["columns"][0]["length"] = "wide";
  EXPECT_FALSE(shape_from_json(text).ok());
}

}  // namespace
}  // namespace wherry::control
