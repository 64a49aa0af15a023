#include "control/grants.h"

#include <gtest/gtest.h>

namespace wherry::control {
namespace {

// As MariaDB 10.11.19 printed them, the active role's lines included.
const std::vector<std::string> kMariadb = {
    "GRANT `r1` TO `u1`@`%`",
    "GRANT USAGE ON *.* TO `u1`@`%` IDENTIFIED BY PASSWORD "
    "'*B69027D44F6E5EDC07F1AEAD1477967B16F28227'",
    "GRANT ALL PRIVILEGES ON `shop`.* TO `u1`@`%`",
    "GRANT SELECT, BINLOG MONITOR ON *.* TO `r1`",
    "GRANT INSERT ON `a\\_b`.* TO `r1`",
    "SET DEFAULT ROLE `r1` FOR `u1`@`%`",
};

TEST(Grants, ReadsMariadbWithARole) {
  const Grants grants(kMariadb, false);
  EXPECT_TRUE(grants.everywhere("SELECT"));
  EXPECT_TRUE(grants.everywhere("BINLOG MONITOR"));
  EXPECT_TRUE(grants.everywhere("REPLICATION CLIENT"));
  EXPECT_FALSE(grants.everywhere("INSERT"));
  EXPECT_FALSE(grants.everywhere("REPLICATION SLAVE"));
  EXPECT_TRUE(grants.on_database("DROP", "shop"));
  EXPECT_FALSE(grants.on_database("DROP", "shop2"));
  EXPECT_TRUE(grants.on_database("INSERT", "a_b"));
  EXPECT_FALSE(grants.on_database("INSERT", "axb"));
}

TEST(Grants, AllOnADatabaseIsNothingOnTheServer) {
  const Grants grants({"GRANT ALL PRIVILEGES ON `shop`.* TO `u`@`%` WITH GRANT OPTION"}, false);
  EXPECT_FALSE(grants.on_database("REPLICATION SLAVE", "shop"));
  EXPECT_TRUE(grants.on_database("LOCK TABLES", "shop"));
}

TEST(Grants, AllEverywhereIsEverything) {
  const Grants grants({"GRANT ALL PRIVILEGES ON *.* TO `u2`@`%` IDENTIFIED BY PASSWORD '*B6'"},
                      false);
  EXPECT_TRUE(grants.everywhere("REPLICATION SLAVE"));
  EXPECT_TRUE(grants.on_table("SELECT", {"any", "table"}));
}

// As MySQL 9.7.4 printed them: static and dynamic privileges on two lines.
TEST(Grants, ReadsDynamicPrivilegesOfMysql) {
  const Grants grants({"GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `reader`@`%`",
                       "GRANT SHOW_ROUTINE,XA_RECOVER_ADMIN ON *.* TO `reader`@`%`",
                       "GRANT PROXY ON ``@`` TO `reader`@`%`"},
                      false);
  EXPECT_TRUE(grants.everywhere("XA_RECOVER_ADMIN"));
  EXPECT_TRUE(grants.everywhere("SHOW_ROUTINE"));
  EXPECT_FALSE(grants.everywhere("PROXY"));
}

TEST(Grants, APartialRevokeTakesFromWhatIsGivenEverywhere) {
  const Grants grants(
      {"GRANT SELECT ON *.* TO `u`@`%`", "REVOKE SELECT ON `secret`.* FROM `u`@`%`"}, true);
  EXPECT_TRUE(grants.on_database("SELECT", "shop"));
  EXPECT_FALSE(grants.on_database("SELECT", "secret"));
  EXPECT_FALSE(grants.on_table("SELECT", {"secret", "t"}));
}

TEST(Grants, NamesArePatternsUnlessTheServerTakesThemLiterally) {
  const std::vector<std::string> lines = {"GRANT SELECT ON `s%_`.* TO `u`@`%`"};
  EXPECT_TRUE(Grants(lines, false).on_database("SELECT", "shop"));
  EXPECT_FALSE(Grants(lines, false).on_database("SELECT", "s"));
  EXPECT_FALSE(Grants(lines, true).on_database("SELECT", "shop"));
  EXPECT_TRUE(Grants(lines, true).on_database("SELECT", "s%_"));
}

TEST(Grants, ReadsTablesAndLeavesColumnsAndRoutinesOut) {
  const Grants grants({"GRANT SELECT (`a`, `b`), INSERT ON `shop`.`t ON x` TO `u`@`%`",
                       "GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `u`@`%`",
                       "GRANT UPDATE ON \"shop\".\"quo\"\"ted\" TO \"u\"@\"%\""},
                      false);
  EXPECT_TRUE(grants.on_table("INSERT", {"shop", "t ON x"}));
  EXPECT_FALSE(grants.on_table("SELECT", {"shop", "t ON x"}));
  EXPECT_FALSE(grants.on_database("INSERT", "shop"));
  EXPECT_FALSE(grants.on_database("EXECUTE", "shop"));
  EXPECT_TRUE(grants.on_table("UPDATE", {"shop", "quo\"ted"}));
}

TEST(Grants, LinesThatItDoesNotKnowGrantNothing) {
  const Grants grants(
      {"", "GRANT", "GRANT SELECT", "GRANT SELECT ON", "GRANT SELECT ON `x", "whatever ON *.*"},
      false);
  EXPECT_FALSE(grants.everywhere("SELECT"));
  EXPECT_FALSE(grants.on_database("SELECT", "x"));
}

TEST(Grants, QuotesTheAccount) {
  EXPECT_EQ(quoted_account("a@b@%"), "'a@b'@'%'");
  EXPECT_EQ(quoted_account("o'x@h"), "'o\\'x'@'h'");
}

}  // namespace
}  // namespace wherry::control
