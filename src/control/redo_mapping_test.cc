#include "control/redo_mapping.h"

#include <gtest/gtest.h>

#include "control/rename_rule.h"

namespace wherry::control {
namespace {

TEST(RedoMapping, ComesBackAsItWas) {
  RedoMapping mapping;
  mapping.job = "feed:a";
  mapping.include = {"shop.*"};
  mapping.rename = {parse_rename("a.b=c.d").value(), parse_rename("s_*.t=s.t").value()};
  mapping.skip = {{"shop.t", true, false, true}};
  mapping.where = {{"shop.*", "v > 'x'"}};
  mapping.policies = {{sql::Kind::drop_table, sql::Policy::ignore}};
  mapping.fold_names = true;
  const Result<RedoMapping> read = parse_redo_mapping(to_json(mapping));
  ASSERT_TRUE(read.ok()) << read.error().what;
  const RedoMapping& back = read.value();
  EXPECT_EQ(renamed(back.rename, {"a", "b"}), (TableName{"c", "d"}));
  EXPECT_EQ(renamed(back.rename, {"s_7", "t"}), (TableName{"s", "t"}));
  ASSERT_EQ(back.skip.size(), 1u);
  EXPECT_TRUE(back.skip[0].inserts && !back.skip[0].updates && back.skip[0].deletes);
  ASSERT_EQ(back.where.size(), 1u);
  EXPECT_EQ(back.where[0].pattern + back.where[0].expression, "shop.*v > 'x'");
  EXPECT_EQ(back.policies, mapping.policies);
  EXPECT_EQ(to_json(back), to_json(mapping));
}

TEST(RedoMapping, DamageIsAnError) {
  for (
      const char* text :
      {"", "{}", "[]", R"({"version":1})",
       R"({"version":1,"job":"a","include":[],"exclude":[],"rename":[["a"]],"policies":{},"by_gtid":true,"fold_names":false})",
       R"({"version":1,"job":"a","include":[],"exclude":[],"rename":[],"filters":[{}],"policies":{},"by_gtid":true,"fold_names":false})"})
    EXPECT_FALSE(parse_redo_mapping(text).ok()) << text;
}

}  // namespace
}  // namespace wherry::control
