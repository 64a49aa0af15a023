#include "control/preflight_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "control/finding.h"

namespace wherry::control {
namespace {

ServerView server(Dialect dialect) {
  ServerView view;
  const bool mariadb = dialect == Dialect::mariadb;
  view.facts.dialect = dialect;
  view.facts.version = mariadb ? 101119 : 90704;
  view.facts.version_text = mariadb ? "10.11.19-MariaDB" : "9.7.4";
  view.facts.server_id = 1;
  view.facts.server_uuid = "uuid-1";
  view.facts.gtid_on = true;
  view.account = "u@%";
  view.variables = {{"log_bin", "ON"},
                    {"binlog_format", "ROW"},
                    {"binlog_row_image", "FULL"},
                    {"local_infile", "ON"},
                    {"read_only", "OFF"},
                    {"lower_case_table_names", "0"},
                    {"max_allowed_packet", "64"},
                    {"innodb_page_size", "16384"},
                    {"gtid_mode", "ON"},
                    {"binlog_expire_logs_seconds", "864000"}};
  view.grants = Grants({"GRANT ALL PRIVILEGES ON *.* TO `u`@`%`"}, false);
  view.channels_known = true;
  view.collations = {{"utf8mb4_general_ci", 45}, {"latin1_swedish_ci", 8}};
  return view;
}

ServerView other(Dialect dialect) {
  ServerView view = server(dialect);
  view.facts.server_uuid = "uuid-2";
  view.facts.server_id = 2;
  return view;
}

Table table(std::string name, std::string engine = "InnoDB") {
  Table out;
  out.name = {"shop", std::move(name)};
  out.engine = std::move(engine);
  Column id;
  id.name = "id";
  id.kind = ColumnClass::integer;
  id.nullable = false;
  out.columns.push_back(id);
  Index primary;
  primary.name = "PRIMARY";
  primary.parts = {{0, 0}};
  primary.unique = primary.primary = true;
  out.indexes.push_back(primary);
  return out;
}

Table keyless(std::string name) {
  Table out = table(std::move(name));
  out.indexes.clear();
  return out;
}

Table with_text(const std::string& collation, bool unique) {
  Table out = table("texts");
  Column text;
  text.name = "word";
  text.collation = collation;
  out.columns.push_back(text);
  if (unique) {
    Index index;
    index.name = "word";
    index.parts = {{1, 0}};
    index.unique = true;
    out.indexes.push_back(index);
  }
  return out;
}

SourceObjects objects() {
  SourceObjects out;
  out.prepared_xa = 0;
  out.transactional_engines = {"innodb"};
  return out;
}

std::vector<Finding> source(const ServerView& view, const std::vector<Table>& tables = {table("t")},
                            const SourceObjects& seen = objects(),
                            const CopyOptions& options = {}) {
  return judge_source(view, seen, tables, options);
}
std::vector<Finding> target(const ServerView& view, const std::vector<Table>& tables = {table("t")},
                            const TargetObjects& seen = {}, const CopyOptions& options = {}) {
  return judge_target(view, seen, tables, options);
}

// Whether a finding of that severity has the words in what it says.
bool has(const std::vector<Finding>& findings, Severity severity, std::string_view words) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    const std::string text = finding.subject + ": " + finding.message + " -> " + finding.remedy;
    return finding.severity == severity && text.find(words) != std::string::npos;
  });
}
bool may_start(const std::vector<Finding>& findings) { return verdict(findings).ok(); }

TEST(PreflightSource, AGoodServerMayStart) {
  EXPECT_TRUE(may_start(source(server(Dialect::mysql))))
      << findings_table(source(server(Dialect::mysql)));
  EXPECT_TRUE(may_start(source(server(Dialect::mariadb))));
}

TEST(PreflightSource, RefusesEachWrongSetting) {
  struct Wrong {
    const char* name;
    const char* value;
  };
  for (const Wrong& wrong :
       {Wrong{"log_bin", "OFF"}, Wrong{"binlog_format", "MIXED"},
        Wrong{"binlog_row_image", "MINIMAL"}, Wrong{"binlog_row_image", "FULL_NODUP"}}) {
    ServerView view = server(Dialect::mariadb);
    view.variables[wrong.name] = wrong.value;
    EXPECT_FALSE(may_start(source(view))) << wrong.name;
  }
}

TEST(PreflightSource, AServerThatIsTooOldIsRefused) {
  ServerView view = server(Dialect::mysql);
  view.facts.version = 50744;
  EXPECT_TRUE(has(source(view), Severity::refusal, "too old"));
}

TEST(PreflightSource, PrintsTheGrantThatIsMissing) {
  ServerView view = server(Dialect::mysql);
  view.grants = Grants({"GRANT SELECT ON `shop`.* TO `u`@`%`"}, false);
  EXPECT_TRUE(has(source(view), Severity::refusal,
                  "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'u'@'%';"));
  view = server(Dialect::mariadb);
  view.grants = Grants({"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `u`@`%`"}, false);
  EXPECT_TRUE(has(source(view), Severity::refusal, "GRANT SELECT ON `shop`.* TO 'u'@'%';"));
}

TEST(PreflightSource, TheReplicationRightsAreEnough) {
  ServerView view = server(Dialect::mariadb);
  view.grants =
      Grants({"GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `u`@`%`"}, false);
  EXPECT_TRUE(may_start(source(view)));
}

TEST(PreflightSource, APatternOverTablesThatTheAccountCannotSeeIsRefused) {
  ServerView view = server(Dialect::mariadb);
  view.grants = Grants({"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `u`@`%`",
                        "GRANT SELECT ON `shop`.`t` TO `u`@`%`"},
                       false);
  CopyOptions options;
  options.include = {"shop.*"};
  EXPECT_TRUE(has(source(view, {table("t")}, objects(), options), Severity::refusal,
                  "only some tables of shop"));
  options.include = {"shop.t"};
  EXPECT_TRUE(may_start(source(view, {table("t")}, objects(), options)));
  view.grants = Grants({"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `u`@`%`",
                        "GRANT SELECT ON `shop`.* TO `u`@`%`"},
                       false);
  EXPECT_TRUE(may_start(source(view)));
  EXPECT_TRUE(has(source(view), Severity::warning, "cannot see every database"));
}

TEST(PreflightSource, KeylessTablesNeedALockOnMysqlOnly) {
  ServerView view = server(Dialect::mysql);
  view.grants = Grants(
      {"GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT, XA_RECOVER_ADMIN ON *.* TO `u`@`%`"},
      false);
  EXPECT_TRUE(may_start(source(view)));
  Table elsewhere = table("t");
  elsewhere.name.database = "other";
  const std::vector<Finding> both = source(view, {keyless("k"), elsewhere});
  EXPECT_TRUE(has(both, Severity::refusal, "GRANT LOCK TABLES ON `shop`.*"));
  EXPECT_FALSE(has(both, Severity::refusal, "`other`"));
  const std::vector<Finding> findings = source(server(Dialect::mariadb), {keyless("k")});
  EXPECT_TRUE(may_start(findings));
  EXPECT_TRUE(has(findings, Severity::warning, "table shop.k"));
}

TEST(PreflightSource, EnginesWithoutTransactionsAreRefusedByName) {
  EXPECT_TRUE(has(source(server(Dialect::mariadb), {table("m", "MyISAM")}), Severity::refusal,
                  "table shop.m: engine MyISAM"));
}

TEST(PreflightSource, CirclesOfForeignKeyActionsOverTablesAreRefusedUnlessLogged) {
  const auto child_of = [](Table child, const std::string& parent, bool cascades) {
    ForeignKey key;
    key.parent = {"shop", parent};
    key.cascades = cascades;
    child.foreign_keys.push_back(key);
    return child;
  };
  const Table self = child_of(table("a"), "a", true);
  EXPECT_TRUE(may_start(source(server(Dialect::mariadb), {self})));
  const std::vector<Table> open = {child_of(table("a"), "b", true),
                                   child_of(table("b"), "a", false)};
  EXPECT_TRUE(may_start(source(server(Dialect::mariadb), open)));
  const std::vector<Table> circle = {child_of(table("a"), "b", true),
                                     child_of(table("b"), "a", true)};
  EXPECT_TRUE(has(source(server(Dialect::mariadb), circle), Severity::refusal, "shop.a, shop.b"));
  EXPECT_TRUE(may_start(source(server(Dialect::mysql), circle)));
}

TEST(PreflightSource, SystemVersionedTablesAreRefusedByName) {
  SourceObjects seen = objects();
  seen.versioned = {{"shop", "other"}};
  EXPECT_TRUE(may_start(source(server(Dialect::mariadb), {table("t")}, seen)));
  const auto findings = source(server(Dialect::mariadb), {table("other")}, seen);
  EXPECT_TRUE(has(findings, Severity::refusal, "DROP SYSTEM VERSIONING"));
  EXPECT_TRUE(has(findings, Severity::refusal, "shop.other"));
}

TEST(PreflightSource, PreparedXaTransactionsAreRefused) {
  SourceObjects seen = objects();
  seen.prepared_xa = 2;
  EXPECT_TRUE(
      has(source(server(Dialect::mysql), {table("t")}, seen), Severity::refusal, "2 prepared XA"));
}

TEST(PreflightSource, PositionsByGtidNeedGtids) {
  ServerView view = server(Dialect::mysql);
  view.facts.gtid_on = false;
  view.variables["gtid_mode"] = "OFF";
  CopyOptions options;
  options.position_mode = PositionMode::gtid;
  EXPECT_TRUE(
      has(source(view, {table("t")}, objects(), options), Severity::refusal, "gtid_mode is OFF"));
  view.grants =
      Grants({"GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `u`@`%`"}, false);
  EXPECT_TRUE(has(source(view), Severity::refusal, "GRANT RELOAD ON *.*"));
}

TEST(PreflightSource, AReplicaMustLogAllThatItReplicates) {
  ServerView view = server(Dialect::mariadb);
  view.channels = {{{"Master_Host", "up"}}};
  view.variables["log_slave_updates"] = "OFF";
  EXPECT_TRUE(has(source(view), Severity::refusal, "does not log"));
  view.variables["log_slave_updates"] = "ON";
  EXPECT_TRUE(may_start(source(view)));
  view.channels[0]["Replicate_Wild_Ignore_Table"] = "shop.%";
  EXPECT_TRUE(has(source(view), Severity::refusal, "Replicate_Wild_Ignore_Table = shop.%"));
}

TEST(PreflightSource, FiltersOfTheBinaryLogAreRefused) {
  SourceObjects seen = objects();
  seen.binlog_ignore_db = "shop";
  EXPECT_TRUE(has(source(server(Dialect::mysql), {table("t")}, seen), Severity::refusal,
                  "binlog_ignore_db 'shop'"));
}

TEST(PreflightSource, ShortRetentionIsAWarning) {
  ServerView view = server(Dialect::mysql);
  view.variables["binlog_expire_logs_seconds"] = "3600";
  EXPECT_TRUE(has(source(view), Severity::warning, "kept for 1h"));
  view = server(Dialect::mariadb);
  view.variables.erase("binlog_expire_logs_seconds");
  view.variables["expire_logs_days"] = "0.5";
  EXPECT_TRUE(has(source(view), Severity::warning, "kept for 12h"));
}

TEST(PreflightSource, NothingSelectedIsRefused) {
  EXPECT_TRUE(has(source(server(Dialect::mysql), {}), Severity::refusal, "no table is selected"));
}

TEST(PreflightTarget, AGoodServerMayStart) {
  EXPECT_TRUE(may_start(target(server(Dialect::mysql))))
      << findings_table(target(server(Dialect::mysql)));
}

TEST(PreflightTarget, ReadOnlyIsRefused) {
  for (const char* name : {"read_only", "super_read_only", "innodb_read_only"}) {
    ServerView view = server(Dialect::mysql);
    view.variables[name] = "ON";
    EXPECT_TRUE(has(target(view), Severity::refusal, name));
  }
  ServerView view = server(Dialect::mariadb);
  view.variables["read_only"] = "NO_LOCK_NO_ADMIN";
  EXPECT_FALSE(may_start(target(view)));
}

TEST(PreflightTarget, ExistingTablesAreRefusedUnlessAskedFor) {
  TargetObjects seen;
  seen.tables = {{"shop", "t"}, {"shop", "unrelated"}};
  EXPECT_TRUE(
      has(target(server(Dialect::mysql), {table("t")}, seen), Severity::refusal, "table shop.t"));
  EXPECT_FALSE(
      has(target(server(Dialect::mysql), {table("t")}, seen), Severity::refusal, "unrelated"));
  CopyOptions options;
  options.existing = ExistingMode::use;
  EXPECT_TRUE(may_start(target(server(Dialect::mysql), {table("t")}, seen, options)));
  options.existing = ExistingMode::error;
  options.resume = true;
  EXPECT_TRUE(may_start(target(server(Dialect::mysql), {table("t")}, seen, options)));
}

TEST(PreflightTarget, ExistingTablesAreFoundUnderTheirNewName) {
  TargetObjects seen;
  seen.tables = {{"store", "t"}};
  CopyOptions options;
  options.rename = {{"shop", "", "store", ""}};
  EXPECT_TRUE(has(target(server(Dialect::mysql), {table("t")}, seen, options), Severity::refusal,
                  "store.t"));
}

TEST(PreflightTarget, TriggersAreRefusedEvenOnExistingTables) {
  TargetObjects seen;
  seen.triggers = {{{"shop", "t"}, "tr1"}, {{"shop", "other"}, "tr2"}};
  CopyOptions options;
  options.existing = ExistingMode::use;
  const std::vector<Finding> findings = target(server(Dialect::mysql), {table("t")}, seen, options);
  EXPECT_TRUE(has(findings, Severity::refusal, "tr1"));
  EXPECT_FALSE(has(findings, Severity::refusal, "tr2"));
}

TEST(PreflightTarget, TablesThatWouldMeetUnderOneNameAreRefused) {
  CopyOptions options;
  options.rename = {{"shop", "a", "shop", "b"}};
  EXPECT_TRUE(has(target(server(Dialect::mysql), {table("a"), table("b")}, {}, options),
                  Severity::refusal, "shop.b"));
  // Each of them is sent there.
  options.rename = {{"shop", "a", "x", "t"}, {"shop", "b", "x", "t"}};
  EXPECT_FALSE(has(target(server(Dialect::mysql), {table("a"), table("b")}, {}, options),
                   Severity::refusal, "x.t"));
  ServerView view = server(Dialect::mysql);
  view.variables["lower_case_table_names"] = "1";
  EXPECT_TRUE(has(target(view, {table("T"), table("t")}), Severity::refusal, "shop.t"));
}

TEST(PreflightTarget, ARequiredPrimaryKeyConcernsTablesWithoutOne) {
  ServerView view = server(Dialect::mysql);
  view.variables["sql_require_primary_key"] = "ON";
  EXPECT_TRUE(may_start(target(view)));
  EXPECT_TRUE(has(target(view, {keyless("k")}), Severity::refusal, "sql_require_primary_key"));
}

TEST(PreflightTarget, PrintsTheGrantsForTablesAndForProgress) {
  ServerView view = server(Dialect::mysql);
  view.grants = Grants({"GRANT SELECT, INSERT, UPDATE, DELETE ON `shop`.* TO `u`@`%`"}, false);
  const std::vector<Finding> findings = target(view);
  EXPECT_TRUE(has(findings, Severity::refusal,
                  "GRANT CREATE, DROP, ALTER, INDEX, REFERENCES ON `shop`.* TO 'u'@'%';"));
  EXPECT_TRUE(has(findings, Severity::refusal, "ON `wherry`.*"));
}

TEST(PreflightTarget, LeavingTheBinlogOutNeedsARight) {
  ServerView view = server(Dialect::mariadb);
  view.grants = Grants({"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, "
                        "REFERENCES ON *.* TO `u`@`%`"},
                       false);
  CopyOptions options;
  EXPECT_TRUE(may_start(target(view, {table("t")}, {}, options)));
  options.target_binlog = false;
  EXPECT_TRUE(
      has(target(view, {table("t")}, {}, options), Severity::refusal, "GRANT BINLOG ADMIN"));
}

TEST(PreflightTarget, StatementFormatIsRefusedAndNoLocalInfileIsAWarning) {
  ServerView view = server(Dialect::mysql);
  view.variables["binlog_format"] = "STATEMENT";
  view.variables["local_infile"] = "OFF";
  EXPECT_TRUE(has(target(view), Severity::refusal, "STATEMENT"));
  EXPECT_TRUE(has(target(view), Severity::warning, "local_infile"));
}

std::vector<Finding> pair(const ServerView& from, const ServerView& to,
                          const std::vector<Table>& tables = {table("t")},
                          const CopyOptions& options = {}) {
  return judge_pair(from, to, tables, options);
}

TEST(PreflightPair, TwoGoodServersMayStart) {
  EXPECT_TRUE(pair(server(Dialect::mysql), other(Dialect::mysql)).empty());
  EXPECT_TRUE(pair(server(Dialect::mysql), other(Dialect::mariadb)).empty());
}

TEST(PreflightPair, TheSourceItselfIsRefused) {
  EXPECT_TRUE(has(pair(server(Dialect::mysql), server(Dialect::mysql)), Severity::refusal,
                  "source itself"));
}

TEST(PreflightPair, OneClusterIsRefused) {
  ServerView from = server(Dialect::mariadb);
  ServerView to = other(Dialect::mariadb);
  from.cluster = to.cluster = "c1";
  EXPECT_TRUE(has(pair(from, to), Severity::refusal, "same cluster"));
}

TEST(PreflightPair, ReplicationBetweenTheTwoIsRefused) {
  ServerView from = server(Dialect::mariadb);
  ServerView to = other(Dialect::mariadb);
  to.channels = {{{"Master_Server_Id", "1"}}};
  EXPECT_TRUE(has(pair(from, to), Severity::refusal, "written twice"));
  to.channels.clear();
  from.channels = {{{"Master_UUID", "uuid-2"}}};
  EXPECT_TRUE(has(pair(from, to), Severity::refusal, "come back"));
  from.channels = {{{"Master_UUID", "uuid-9"}, {"Master_Server_Id", "2"}}};
  EXPECT_TRUE(may_start(pair(from, to)));
}

TEST(PreflightPair, UnequalCaseOfNamesIsRefused) {
  ServerView to = other(Dialect::mysql);
  to.variables["lower_case_table_names"] = "1";
  EXPECT_TRUE(has(pair(server(Dialect::mysql), to), Severity::refusal, "lower_case_table_names"));
}

TEST(PreflightPair, ASmallerPacketIsAWarning) {
  ServerView to = other(Dialect::mysql);
  to.variables["max_allowed_packet"] = "16";
  EXPECT_TRUE(has(pair(server(Dialect::mysql), to), Severity::warning,
                  "SET GLOBAL max_allowed_packet = 64;"));
}

TEST(PreflightPair, UniqueTextNeedsAnExactTwin) {
  ServerView from = server(Dialect::mysql);
  from.collations["utf8mb4_0900_ai_ci"] = 255;
  ServerView to = other(Dialect::mariadb);
  EXPECT_TRUE(may_start(pair(from, to, {with_text("utf8mb4_general_ci", true)})));
  EXPECT_TRUE(has(pair(from, to, {with_text("utf8mb4_0900_ai_ci", true)}), Severity::refusal,
                  "unique column word"));
  EXPECT_TRUE(has(pair(from, to, {with_text("utf8mb4_0900_ai_ci", false)}), Severity::warning,
                  "1 columns"));
  // MariaDB 11.4 knows the name, but not the rules.
  to.collations["utf8mb4_0900_ai_ci"] = 255;
  EXPECT_FALSE(may_start(pair(from, to, {with_text("utf8mb4_0900_ai_ci", true)})));
  CopyOptions options;
  options.collation_map = {{"utf8mb4_0900_ai_ci", "utf8mb4_general_ci"}};
  EXPECT_TRUE(may_start(pair(from, to, {with_text("utf8mb4_0900_ai_ci", true)}, options)));
  options.collation_map = {{"utf8mb4_0900_ai_ci", "no_such_ci"}};
  EXPECT_TRUE(has(pair(from, to, {with_text("utf8mb4_0900_ai_ci", true)}, options),
                  Severity::refusal, "no_such_ci"));
}

TEST(PreflightPair, ACollationOfTheSameNameAndAnotherNumberIsNoTwin) {
  ServerView from = server(Dialect::mysql);
  ServerView to = other(Dialect::mariadb);
  from.collations["utf8mb4_croatian_ci"] = 245;
  to.collations["utf8mb4_croatian_ci"] = 608;
  EXPECT_EQ(collation_twin("utf8mb4_croatian_ci", from, to), "");
  to.collations["utf8mb4_croatian_ci"] = 245;
  EXPECT_EQ(collation_twin("utf8mb4_croatian_ci", from, to), "utf8mb4_croatian_ci");
  from.collations["utf8_general_ci"] = to.collations["utf8mb3_general_ci"] = 33;
  EXPECT_EQ(collation_twin("utf8_general_ci", from, to), "utf8mb3_general_ci");
}

TEST(PreflightPair, ProposesTheSameRulesUnderTheirOtherName) {
  ServerView from = server(Dialect::mysql);
  from.collations["utf8mb4_0900_bin"] = 309;
  ServerView to = other(Dialect::mariadb);
  to.collations["utf8mb4_nopad_bin"] = 1070;
  to.collations["utf8mb4_uca1400_nopad_as_cs"] = std::nullopt;
  EXPECT_TRUE(has(pair(from, to, {with_text("utf8mb4_0900_bin", true)}), Severity::refusal,
                  "--map-collation utf8mb4_0900_bin=utf8mb4_nopad_bin"));
  from = server(Dialect::mariadb);
  to = other(Dialect::mysql);
  EXPECT_TRUE(has(pair(from, to, {with_text("latin1_swedish_nopad_ci", true)}), Severity::refusal,
                  "--map-collation latin1_swedish_nopad_ci=latin1_swedish_ci"));
}

TEST(PreflightPair, ACharacterSetThatTheTargetLacksIsRefusedOnAnyColumn) {
  EXPECT_TRUE(has(pair(server(Dialect::mysql), other(Dialect::mariadb),
                       {with_text("gb18030_chinese_ci", false)}),
                  Severity::refusal, "character set gb18030"));
}

TEST(PreflightPair, TypesThatTheTargetLacksAreRefused) {
  Table uuid = table("u");
  uuid.columns[0].kind = ColumnClass::uuid;
  uuid.columns[0].data_type = "uuid";
  EXPECT_TRUE(has(pair(server(Dialect::mariadb), other(Dialect::mysql), {uuid}), Severity::refusal,
                  "column id is uuid"));
  EXPECT_TRUE(may_start(pair(server(Dialect::mariadb), other(Dialect::mariadb), {uuid})));
  Table functional = table("f");
  functional.indexes.push_back({"low", {}, false, false, true});
  EXPECT_TRUE(has(pair(server(Dialect::mysql), other(Dialect::mariadb), {functional}),
                  Severity::refusal, "index low"));
}

TEST(PreflightVerdict, NamesEveryRefusalAndItsRemedy) {
  const std::vector<Finding> findings = {{Severity::note, "source", "fine", ""},
                                         {Severity::refusal, "target", "it is full", "empty it"}};
  const Status status = verdict(findings);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Errc::refused);
  EXPECT_EQ(status.error().what, "target: it is full; remedy: empty it");
  EXPECT_TRUE(verdict({{Severity::warning, "x", "y", ""}}).ok());
  EXPECT_EQ(verdict({{Severity::refusal, "table a.x", "it is old", ""},
                     {Severity::refusal, "table a.y", "it is old", ""},
                     {Severity::refusal, "table a.z", "it is new", ""}})
                .error()
                .what,
            "2 tables: it is old: a.x, a.y\ntable a.z: it is new");
  EXPECT_EQ(warning_texts({{Severity::warning, "x", "y", "z"}, {Severity::note, "a", "b", ""}}),
            std::vector<std::string>{"x: y"});
}

}  // namespace
}  // namespace wherry::control
