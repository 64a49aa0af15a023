#include "copy/object_text.h"

#include <gtest/gtest.h>

namespace wherry::copy {
namespace {

constexpr sql::StatementMode kPlain{Dialect::mariadb, false, false};
constexpr sql::StatementMode kAnsi{Dialect::mysql, true, false};

TEST(ObjectText, QualifiesTheOwnName) {
  EXPECT_EQ(with_database("CREATE DEFINER=`procedure`@`%` PROCEDURE `p`(in x int) select `p`",
                          "d`b", kPlain),
            "CREATE DEFINER=`procedure`@`%` PROCEDURE `d``b`.`p`(in x int) select `p`");
  EXPECT_EQ(with_database(
                R"(CREATE DEFINER="root"@"localhost" FUNCTION "f1"(x int) RETURNS int return 1)",
                "d", kAnsi),
            R"(CREATE DEFINER="root"@"localhost" FUNCTION `d`.`f1`(x int) RETURNS int return 1)");
  EXPECT_EQ(
      with_database(
          "CREATE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW `x`.`v` AS select 1",
          "y", kPlain),
      "CREATE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW `y`.`v` AS select 1");
  EXPECT_FALSE(with_database("no statement", "d", kPlain));
}

TEST(ObjectText, TakesTheDefinerAway) {
  EXPECT_EQ(
      without_definer(
          "CREATE DEFINER=`root`@`localhost` TRIGGER t BEFORE INSERT ON q FOR EACH ROW set @a = 1",
          kPlain),
      "CREATE TRIGGER t BEFORE INSERT ON q FOR EACH ROW set @a = 1");
  EXPECT_EQ(
      without_definer(
          "CREATE ALGORITHM=UNDEFINED DEFINER=`a b`@`%` SQL SECURITY DEFINER VIEW `v` AS select 1",
          kPlain),
      "CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW `v` AS select 1");
  EXPECT_EQ(without_definer(
                "CREATE DEFINER=\"r\"@\"h\" EVENT e ON SCHEDULE EVERY 1 DAY DO select 'DEFINER=x'",
                kAnsi),
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO select 'DEFINER=x'");
  const std::string none = "CREATE PROCEDURE `p`() select 'DEFINER=`a`@`b` x'";
  EXPECT_EQ(without_definer(none, kPlain), none);
}

TEST(ObjectText, RoutesTriggers) {
  EXPECT_EQ(
      route_trigger(
          "CREATE DEFINER=`r`@`h` trigger tr1 before insert on child for each row set new.on = 2",
          "d", std::nullopt, kPlain),
      "CREATE DEFINER=`r`@`h` trigger `d`.`tr1` before insert on `d`.`child` for each row set "
      "new.on = 2");
  EXPECT_EQ(
      route_trigger("CREATE TRIGGER `on`.`on` AFTER DELETE ON `on`.`t` FOR EACH ROW delete from x",
                    "d", "t2", kPlain),
      "CREATE TRIGGER `d`.`on` AFTER DELETE ON `d`.`t2` FOR EACH ROW delete from x");
}

TEST(ObjectText, DisablesEventsAndNothingElse) {
  EXPECT_EQ(disabled_event("CREATE EVENT `enable` ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 "
                           "00:00:00' ON COMPLETION NOT "
                           "PRESERVE ENABLE COMMENT 'PRESERVE ENABLE' DO select 'PRESERVE ENABLE'",
                           kPlain),
            "CREATE EVENT `enable` ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' ON "
            "COMPLETION NOT "
            "PRESERVE DISABLE COMMENT 'PRESERVE ENABLE' DO select 'PRESERVE ENABLE'");
  const std::string off =
      "CREATE EVENT `e` ON SCHEDULE AT '2031-01-01' ON COMPLETION PRESERVE DISABLE DO begin end";
  EXPECT_EQ(disabled_event(off, kPlain), off);
}

TEST(ObjectText, RoutesTablesOfViews) {
  const TargetNames names(
      std::vector<Route>{{{"a", "t1"}, {"b", "t2"}}, {{"a", "same"}, {"b", "same"}}});
  EXPECT_EQ(route_view("CREATE VIEW `b`.`v` AS select `a`.`t1`.`a` AS `a`,`x`.`t1` AS "
                       "`y`,'`a`.`t1`' from (`a`.`t1` join "
                       "`a`.`other` `x` on(`t1`.`a` = `x`.`a`))",
                       names, kPlain),
            "CREATE VIEW `b`.`v` AS select `b`.`t2`.`a` AS `a`,`x`.`t1` AS `y`,'`a`.`t1`' from "
            "(`b`.`t2` join "
            "`b`.`other` `x` on(`t1`.`a` = `x`.`a`))");
  const TargetNames nothing(std::vector<Route>{{{"a", "t1"}, {"a", "t1"}}});
  const std::string text = "CREATE VIEW `a`.`v` AS select 1 from `a`.`t1`";
  EXPECT_EQ(route_view(text, nothing, kPlain), text);
}

TEST(TargetNames, FollowTheDatabaseWhereItIsClear) {
  const TargetNames names(std::vector<Route>{
      {{"a", "t"}, {"b", "u"}}, {{"c", "t"}, {"c", "t"}}, {{"c", "v"}, {"d", "v"}}});
  EXPECT_EQ(names.of({"a", "t"}), (TableName{"b", "u"}));
  EXPECT_EQ(names.of({"a", "other"}), (TableName{"b", "other"}));
  EXPECT_EQ(names.of({"c", "other"}), (TableName{"c", "other"}));
  EXPECT_EQ(names.of({"z", "t"}), (TableName{"z", "t"}));
  EXPECT_TRUE(names.is_routed({"a", "t"}));
  EXPECT_FALSE(names.is_routed({"a", "other"}));
  EXPECT_FALSE(names.databases().at("c").has_value());
}

}  // namespace
}  // namespace wherry::copy
