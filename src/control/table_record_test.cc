// A table's record survives the way through wherry.progress, and a damaged one is told.

#include "control/table_record.h"

#include <gtest/gtest.h>

namespace wherry::control {
namespace {

TableRecord record() {
  return {7,
          {"shop", "a`b"},
          {"store", "c"},
          "`id` int",
          {"KEY `x` (`v`)", "KEY `y` (`v`,`w`)"},
          "",
          {},
          {}};
}

TEST(TableRecord, ComesBackAsItWas) {
  const auto back = to_table_record(to_named(record()));
  ASSERT_TRUE(back.ok()) << back.error().what;
  EXPECT_EQ(back.value().id, 7u);
  EXPECT_EQ(back.value().source, record().source);
  EXPECT_EQ(back.value().target, record().target);
  EXPECT_EQ(back.value().key, record().key);
  EXPECT_EQ(back.value().late, record().late);
}

TEST(TableRecord, KeepsTheShapeWhereThereIsOne) {
  EXPECT_FALSE(to_table_record(to_named(record())).value().shape);
  TableRecord shaped = record();
  shaped.outrun = "CREATE TABLE `c`";
  shaped.shape.emplace();
  shaped.shape->columns.resize(1);
  shaped.shape->columns[0].name = "id";
  const auto back = to_table_record(to_named(shaped));
  ASSERT_TRUE(back.ok()) << back.error().what;
  EXPECT_EQ(back.value().outrun, shaped.outrun);
  ASSERT_TRUE(back.value().shape);
  EXPECT_EQ(back.value().shape->columns.at(0).name, "id");
}

TEST(TableRecord, DamageIsAnError) {
  const sink::NamedRecord whole = to_named(record());
  for (const char* body : {"", "[]", "{}", "{\"database\":1}"})
    EXPECT_FALSE(to_table_record({"table", "7", body}).ok()) << body;
  EXPECT_FALSE(to_table_record({"table", "seven", whole.body}).ok());
}

}  // namespace
}  // namespace wherry::control
