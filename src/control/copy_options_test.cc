#include "control/copy_options.h"

#include <gtest/gtest.h>

#include "control/exit_code.h"
#include "control/rename_rule.h"
#include "control/shard_rule.h"

namespace wherry::control {
namespace {

Result<CopyOptions> read(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"--source", "mysql://r:secret-1@a:1/", "--target",
                                        "mariadb://w@b/"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ProgramOptions program;
  return read_copy_options(arguments, program);
}

std::string refusal(std::vector<std::string> more) {
  const Result<CopyOptions> options = read(std::move(more));
  if (options.ok()) return "";
  EXPECT_EQ(exit_code(options.error()), ExitCode::usage);
  return options.error().what;
}

TEST(CopyOptionsTable, HasTheDefaultsOfTheManual) {
  const Result<CopyOptions> options = read({});
  ASSERT_TRUE(options.ok()) << options.error().what;
  EXPECT_EQ(options.value().source.host, "a");
  EXPECT_EQ(options.value().source.port, 1);
  EXPECT_EQ(options.value().target.port, 3306);
  EXPECT_EQ(options.value().verify, VerifyKind::checksum);
  EXPECT_EQ(options.value().cutover, CutoverMode::automatic);
  EXPECT_EQ(options.value().memory, 1ULL << 30);
  EXPECT_EQ(options.value().meta_database, "wherry");
  EXPECT_TRUE(options.value().target_binlog);
  EXPECT_FALSE(options.value().position_mode.has_value());
}

TEST(CopyOptionsTable, ReadsEveryKindOfValue) {
  const Result<CopyOptions> options =
      read({"--include",       "shop.*",     "--exclude",       "shop.tmp?",
            "--rename",        "shop=store", "--verify",        "none",
            "--cutover",       "manual",     "--api",           "127.0.0.1:0",
            "--max-downtime",  "2s",         "--memory",        "256MiB",
            "--rate",          "20000rows",  "--with",          "views,events",
            "--indexes",       "with",       "--target-binlog", "off",
            "--position-mode", "file",       "--map-collation", "a_ci=b_ci",
            "--lanes",         "8",          "--progress",      "json",
            "--existing",      "use"});
  ASSERT_TRUE(options.ok()) << options.error().what;
  const CopyOptions& copy = options.value();
  EXPECT_EQ(copy.include, std::vector<std::string>{"shop.*"});
  EXPECT_EQ(copy.exclude, std::vector<std::string>{"shop.tmp?"});
  EXPECT_EQ(copy.verify, VerifyKind::none);
  EXPECT_EQ(copy.max_downtime, std::chrono::seconds(2));
  EXPECT_EQ(copy.memory, 256ULL << 20);
  EXPECT_EQ(copy.rate_rows, 20000U);
  EXPECT_EQ(copy.rate_bytes, 0U);
  EXPECT_TRUE(copy.with_views && copy.with_events);
  EXPECT_FALSE(copy.with_triggers || copy.with_routines);
  EXPECT_FALSE(copy.target_binlog);
  EXPECT_EQ(copy.position_mode, PositionMode::file);
  EXPECT_EQ(copy.lanes, 8U);
  EXPECT_EQ(copy.progress, ProgressMode::json);
  EXPECT_EQ(copy.existing, ExistingMode::use);
  ASSERT_EQ(copy.collation_map.size(), 1U);
}

TEST(CopyOptionsTable, KeepsNoPasswordInTheUri) {
  const Result<CopyOptions> options = read({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().source.password, "secret-1");
  EXPECT_EQ(options.value().source_uri.find("secret-1"), std::string::npos);
}

TEST(CopyOptionsTable, RefusesWhatThisBuildDoesNotHave) {
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--verify", "inline"},
                                             {"--verify", "iterative"},
                                             {"--failover-candidate", "mysql://c/"},
                                             {"--failover-hook", "true"},
                                             {"--failover-policy", "wait"}}) {
    EXPECT_NE(refusal(option).find("this build does not have"), std::string::npos) << option[0];
  }
}

TEST(CopyOptionsTable, RefusesContradictions) {
  EXPECT_NE(refusal({"--cutover", "manual"}).find("--api or --state"), std::string::npos);
  EXPECT_NE(refusal({"--cutover-unlock", "true"}).find("--cutover-lock"), std::string::npos);
  EXPECT_NE(refusal({"--memory", "1MiB"}).find("64MiB"), std::string::npos);
  EXPECT_NE(refusal({"--api", "0.0.0.0:80"}).find("0.0.0.0"), std::string::npos);
  EXPECT_NE(refusal({"--meta-database", "MySQL"}).find("--meta-database"), std::string::npos);
  EXPECT_NE(refusal({"--rename", "a=b", "--rename", "a=c"}).find("twice"), std::string::npos);
  EXPECT_NE(refusal({"--with", "tables"}).find("views"), std::string::npos);
  EXPECT_NE(refusal({"--lanes", "0"}).find("from 1"), std::string::npos);
  EXPECT_NE(refusal({"--rate", "fast"}).find("--rate"), std::string::npos);
}

TEST(CopyOptionsTable, NeedsBothServers) {
  ProgramOptions program;
  const std::vector<std::string> one = {"--source", "mysql://a/"};
  EXPECT_FALSE(read_copy_options(one, program).ok());
  EXPECT_TRUE(read_check_options(one, program).ok());
  EXPECT_FALSE(read_check_options({}, program).ok());
}

TEST(CopyOptionsTable, NoMessageHoldsThePassword) {
  ProgramOptions program;
  const std::vector<std::string> wrong = {"--source", "mysql://u:secret-1@h:port/", "--target",
                                          "mysql://h/"};
  const Result<CopyOptions> options = read_copy_options(wrong, program);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().what.find("secret-1"), std::string::npos) << options.error().what;
}

TEST(ShardRules, BecomeConditions) {
  const auto read = [](const char* text) {
    const Result<RowFilter> rule = parse_shard(text);
    return rule.ok() ? rule.value().pattern + ": " + rule.value().expression : rule.error().what;
  };
  EXPECT_EQ(read("orders.tenant=5"), "*.orders: `tenant` = 5");
  EXPECT_EQ(read("shop.orders.tenant=-5.50"), "shop.orders: `tenant` = -5.50");
  EXPECT_EQ(read("shop.*.tenant=acme's"), "shop.*: `tenant` = 'acme''s'");
  EXPECT_EQ(read("o.t='5'"), "*.o: `t` = '5'");
  EXPECT_EQ(read("`a.b=c`.`t.u`=1"), "*.`a.b=c`: `t.u` = 1");
  for (const char* wrong :
       {"", "t", "t.c", "t.c=", "c=1", ".c=1", "t.=1", "a.b.c.d=1", "t.c='a", "!t.c=1"})
    EXPECT_FALSE(parse_shard(wrong).ok()) << wrong;
}

TEST(RenameRules, ReadsTablesDatabasesAndQuotedNames) {
  const Result<RenameRule> table = parse_rename("a.b=c.d");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table.value().to_table, "d");
  const Result<RenameRule> quoted = parse_rename("`a.b`.`x``=y`=c.d");
  ASSERT_TRUE(quoted.ok());
  EXPECT_EQ(quoted.value().from_database, "a.b");
  EXPECT_EQ(quoted.value().from_table, "x`=y");
  for (const char* wrong :
       {"", "a", "a=", "=a", "a.b=c", "a=b.c", "a.b.c=d", "a=b=c", "`a=b", "a.=b.c", "``=a"}) {
    EXPECT_FALSE(parse_rename(wrong).ok()) << wrong;
  }
}

TEST(RenameRules, ATableGoesBeforeItsDatabase) {
  const std::vector<RenameRule> rules = {{"a", "", "b", ""}, {"a", "t", "c", "u"}};
  EXPECT_EQ(renamed(rules, {"a", "t"}), (TableName{"c", "u"}));
  EXPECT_EQ(renamed(rules, {"a", "x"}), (TableName{"b", "x"}));
  EXPECT_EQ(renamed(rules, {"z", "t"}), (TableName{"z", "t"}));
}

std::vector<RenameRule> rename_rules(const std::vector<std::string>& texts) {
  std::vector<RenameRule> rules;
  for (const std::string& text : texts) rules.push_back(parse_rename(text).value());
  return rules;
}

TEST(RenameRules, PatternsSendManyTablesIntoOne) {
  const std::vector<RenameRule> rules =
      rename_rules({"shop_*=rest", "shop_?.*=none.t", "shop_*.orders=shop.orders",
                    "shop_3.orders=third.orders", "shop_9=nine", "`a*`=b"});
  EXPECT_EQ(renamed(rules, {"shop_1", "orders"}), (TableName{"none", "t"}));  // the first of them
  EXPECT_EQ(renamed(rules, {"shop_10", "orders"}), (TableName{"shop", "orders"}));
  EXPECT_EQ(renamed(rules, {"shop_3", "orders"}), (TableName{"third", "orders"}));
  EXPECT_EQ(renamed(rules, {"shop_10", "items"}), (TableName{"rest", "items"}));
  EXPECT_EQ(renamed(rules, {"shop_9", ""}), (TableName{"nine", ""}));
  EXPECT_EQ(renamed(rules, {"shop_8", ""}), (TableName{"rest", ""}));
  EXPECT_EQ(renamed(rules, {"a*", "x"}), (TableName{"b", "x"}));
  EXPECT_EQ(renamed(rules, {"ab", "x"}), (TableName{"ab", "x"}));
  for (const char* wrong : {"a.b=c.*", "a*=b*", "a*=b.c", "a*.t=b", "!a*=b"})
    EXPECT_FALSE(parse_rename(wrong).ok()) << wrong;
  EXPECT_TRUE(parse_rename("a=`b*`").ok());
}

TEST(RenameRules, TellWhoMayMeet) {
  const std::vector<RenameRule> rules =
      rename_rules({"a.t=x.t", "b.t=x.t", "c.t=y.t", "d=x", "e=x", "s_*.orders=s.orders", "u_*=u"});
  EXPECT_TRUE(may_merge(rules, {"a", "t"}));
  EXPECT_FALSE(may_merge(rules, {"c", "t"}));
  EXPECT_FALSE(may_merge(rules, {"d", "t"}));  // two databases into one: nobody asked for that
  EXPECT_TRUE(may_merge(rules, {"s_1", "orders"}));
  EXPECT_FALSE(may_merge(rules, {"s_1", "items"}));
  EXPECT_TRUE(may_merge(rules, {"u_1", "t"}));
  EXPECT_TRUE(may_merge(rules, {"a", ""}));
  EXPECT_TRUE(may_merge(rules, {"s_1", ""}));
  EXPECT_FALSE(may_merge(rules, {"c", ""}));
  EXPECT_FALSE(may_merge(rules, {"z", ""}));
}

}  // namespace
}  // namespace wherry::control
