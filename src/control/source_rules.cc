#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "control/preflight_rules.h"
#include "control/privileges.h"
#include "dispatch/tables.h"
#include "mysql/session.h"
#include "support/ascii.h"
#include "support/units.h"

namespace wherry::control {
namespace {

constexpr unsigned kMysqlOldest = 80000;
constexpr unsigned kMariadbOldest = 100500;
constexpr double kShortRetentionHours = 24;

// Whether an --include names one table instead of a pattern.
bool names_a_table(const std::string& pattern) {
  return pattern.find('.') != std::string::npos && pattern.find_first_of("*?") == std::string::npos;
}

// One judgement: appends to the list that is being made.
class SourceJudge {
 public:
  SourceJudge(const ServerView& view, const SourceObjects& objects,
              const std::vector<Table>& tables, const CopyOptions& options)
      : view_(view), objects_(objects), tables_(tables), options_(options) {}

  std::vector<Finding> run() {
    version();
    binlog();
    positions();
    replica();
    prepared_transactions();
    keys();
    engines();
    foreign_key_actions();
    privileges();
    other_objects();
    retention();
    sizes();
    return std::move(findings_);
  }

 private:
  void add(Severity severity, std::string message, std::string remedy) {
    findings_.push_back({severity, "source", std::move(message), std::move(remedy)});
  }
  void add_table(Severity severity, const TableName& table, std::string message,
                 std::string remedy) {
    findings_.push_back(
        {severity, "table " + table.to_string(), std::move(message), std::move(remedy)});
  }
  bool without_gtids() const {
    if (options_.position_mode) return *options_.position_mode == PositionMode::file;
    return !view_.facts.gtid_on;
  }

  void version();
  void binlog();
  void positions();
  void replica();
  void channel(const ReplicaChannel& channel);
  void prepared_transactions();
  void keys();
  void engines();
  dispatch::CascadeParents cascade_parents() const;
  void foreign_key_actions();
  void privileges();
  void hidden_tables();
  void other_objects();
  void retention();
  void sizes();

  const ServerView& view_;
  const SourceObjects& objects_;
  const std::vector<Table>& tables_;
  const CopyOptions& options_;
  std::vector<Finding> findings_;
};

void SourceJudge::version() {
  const bool mariadb = view_.facts.is_mariadb();
  add(Severity::note, fmt::format("{} {}", mariadb ? "MariaDB" : "MySQL", view_.facts.version_text),
      "");
  if (view_.facts.version < (mariadb ? kMariadbOldest : kMysqlOldest)) {
    add(Severity::refusal, fmt::format("version {} is too old", view_.facts.version_text),
        "MySQL from 8.0 and MariaDB from 10.5 are known");
  }
}

void SourceJudge::binlog() {
  if (!view_.is_on("log_bin")) {
    add(Severity::refusal, "the binary log is off: changes made during the copy would be lost",
        "start the server with --log-bin and --binlog-format=ROW");
    return;
  }
  const auto must_be = [&](const std::string& name, std::string_view wanted, std::string_view why) {
    const std::string value = view_.variable(name);
    if (value.empty() || ascii::same(value, wanted)) return;
    add(Severity::refusal, fmt::format("{} is {}: {}", name, value, why),
        fmt::format(
            "SET GLOBAL {} = '{}'; sessions that are open keep the old value until they reconnect",
            name, wanted));
  };
  must_be("binlog_format", "ROW", "statements cannot be followed, only rows");
  must_be("binlog_row_image", "FULL", "a copy needs whole rows");
  if (!objects_.binlog_do_db.empty() || !objects_.binlog_ignore_db.empty()) {
    add(Severity::refusal,
        fmt::format(
            "the binary log leaves databases out (binlog_do_db '{}', binlog_ignore_db '{}')",
            objects_.binlog_do_db, objects_.binlog_ignore_db),
        "remove binlog-do-db and binlog-ignore-db from the server's configuration and restart it");
  }
  if (ascii::same(view_.variable("binlog_checksum"), "none")) {
    add(Severity::warning, "binlog_checksum is NONE: a damaged event may go unnoticed",
        "SET GLOBAL binlog_checksum = CRC32;");
  }
  const std::string metadata = view_.variable("binlog_row_metadata");
  if (!metadata.empty() && !ascii::same(metadata, "FULL")) {
    add(Severity::note,
        fmt::format("binlog_row_metadata is {}: columns are taken from the schema", metadata),
        "SET GLOBAL binlog_row_metadata = FULL; lets every event name its columns");
  }
}

void SourceJudge::positions() {
  if (view_.facts.is_mariadb()) return;
  if (options_.position_mode == PositionMode::gtid && !view_.facts.gtid_on) {
    add(Severity::refusal,
        fmt::format("--position-mode gtid, but gtid_mode is {}", view_.variable("gtid_mode")),
        "set gtid_mode = ON, or use --position-mode file");
  } else if (without_gtids()) {
    add(Severity::note,
        "positions are kept by file: the copy can be resumed at this server only, and each read of "
        "a chunk takes "
        "a global read lock for a moment",
        "set gtid_mode = ON where that is not wanted");
  }
}

void SourceJudge::channel(const ReplicaChannel& channel) {
  static constexpr const char* kFilters[] = {
      "Replicate_Do_DB",        "Replicate_Ignore_DB",     "Replicate_Do_Table",
      "Replicate_Ignore_Table", "Replicate_Wild_Do_Table", "Replicate_Wild_Ignore_Table",
      "Replicate_Rewrite_DB",   "Replicate_Do_Domain_Ids", "Replicate_Ignore_Domain_Ids"};
  for (const char* name : kFilters) {
    const auto found = channel.find(name);
    if (found == channel.end() || found->second.empty()) continue;
    add(Severity::refusal,
        fmt::format("it is a replica that filters: {} = {}", name, found->second),
        "copy from its own source, or remove the filter");
  }
}

void SourceJudge::replica() {
  if (view_.channels.empty()) return;
  const std::string newer = view_.variable("log_replica_updates");
  const bool logs = view_.is_on(newer.empty() ? "log_slave_updates" : "log_replica_updates");
  if (!logs) {
    add(Severity::refusal, "it is a replica and does not log what it replicates",
        "start it with --log-slave-updates (MySQL: --log-replica-updates), or copy from its own "
        "source");
  } else {
    const auto host = view_.channels[0].find("Master_Host");
    add(Severity::note,
        fmt::format("it is a replica of {}: its own lag adds to ours, and fencing must happen at "
                    "its source",
                    host == view_.channels[0].end() ? "another server" : host->second),
        "");
  }
  for (const ReplicaChannel& one : view_.channels) channel(one);
}

void SourceJudge::prepared_transactions() {
  if (!objects_.prepared_xa || *objects_.prepared_xa == 0) return;
  add(Severity::refusal,
      fmt::format("{} prepared XA transactions are open: their rows came before the copy's first "
                  "position and their "
                  "commit will come after it",
                  *objects_.prepared_xa),
      "XA COMMIT or XA ROLLBACK what XA RECOVER lists");
}

void SourceJudge::keys() {
  for (const Table& table : tables_) {
    if (row_key(table) != nullptr) continue;
    add_table(Severity::warning, table.name,
              "it has no usable key (NOT NULL, unique, whole columns): it is copied in one read "
              "and its changes "
              "are found by comparing whole rows",
              "add a primary key");
  }
}

void SourceJudge::engines() {
  for (const Table& table : tables_) {
    const std::string engine = ascii::lower(table.engine);
    if (engine == "innodb") continue;
    if (objects_.transactional_engines.count(engine) > 0) {
      add_table(Severity::warning, table.name,
                fmt::format("engine {}: only InnoDB is tested", table.engine), "");
      continue;
    }
    add_table(Severity::refusal, table.name,
              fmt::format("engine {} has no transactions, so it cannot be read at a position",
                          table.engine),
              "ALTER TABLE ... ENGINE = InnoDB, or leave it out with --exclude");
  }
  for (const TableName& table : objects_.versioned) {
    const bool selected = std::any_of(tables_.begin(), tables_.end(),
                                      [&](const Table& one) { return one.name == table; });
    if (!selected) continue;
    add_table(Severity::refusal, table,
              "it is system-versioned: the times of its rows and their history are kept by the "
              "server and would be others at the target",
              "ALTER TABLE ... DROP SYSTEM VERSIONING, or leave it out with --exclude");
  }
}

dispatch::CascadeParents SourceJudge::cascade_parents() const {
  dispatch::CascadeParents parents;
  for (const Table& table : tables_) dispatch::add_parents(parents, table);
  return parents;
}

// What such actions do to other tables than the one that is written to is logged from MySQL 9.6 on.
// Without that each table of a circle would have to be read at the same moment as all others.
void SourceJudge::foreign_key_actions() {
  if (!view_.facts.is_mariadb() && view_.facts.version >= 90600) return;
  const dispatch::CascadeParents parents = cascade_parents();
  for (const Table& table : tables_) {
    const std::set<TableName> circle = dispatch::circle_of(parents, table.name);
    if (circle.size() < 2) continue;
    std::string names;
    for (const TableName& one : circle) names += (names.empty() ? "" : ", ") + one.to_string();
    add_table(
        Severity::refusal, table.name,
        fmt::format("foreign keys with actions form a circle over several tables ({}), and the "
                    "source's log does not tell what the actions change",
                    names),
        "let one of the keys go without an action while the copy runs, or leave the tables "
        "out with --exclude");
  }
}

void SourceJudge::privileges() {
  SourceTraits traits;
  const dispatch::CascadeParents parents = cascade_parents();
  for (const Table& table : tables_) {
    if (row_key(table) == nullptr || !dispatch::circle_of(parents, table.name).empty())
      traits.keyless.insert(table.name.database);
  }
  traits.without_gtids = without_gtids();
  std::vector<TableName> names;
  for (const Table& table : tables_) names.push_back(table.name);
  for (Finding& finding :
       missing_grants(view_, source_needs(view_, options_, traits), names, "source")) {
    findings_.push_back(std::move(finding));
  }
  hidden_tables();
}

// A server shows an account only what it may read, so a pattern would pass over the rest in
// silence.
void SourceJudge::hidden_tables() {
  if (view_.grants.everywhere("SELECT")) return;
  const bool all_named =
      !options_.include.empty() &&
      std::all_of(options_.include.begin(), options_.include.end(), names_a_table);
  if (all_named) return;
  if (options_.include.empty()) {
    add(Severity::warning,
        "the account cannot see every database, and what it cannot see is not copied",
        "name what is meant with --include");
  }
  std::set<std::string> databases;
  for (const Table& table : tables_) databases.insert(table.name.database);
  for (const std::string& database : databases) {
    if (view_.grants.on_database("SELECT", database)) continue;
    add(Severity::refusal,
        fmt::format("the account may read only some tables of {}: others would be left out unseen",
                    database),
        fmt::format("GRANT SELECT ON {}.* TO {}; or name each table with --include",
                    mysql::quote_name(database), quoted_account(view_.account)));
  }
}

void SourceJudge::other_objects() {
  const auto left_out = [&](std::size_t count, bool wanted, std::string_view word) {
    if (count == 0 || wanted) return;
    add(Severity::note, fmt::format("{} {} are not copied", count, word),
        fmt::format("--with {}", word));
  };
  left_out(objects_.views, options_.with_views, "views");
  left_out(objects_.triggers, options_.with_triggers, "triggers");
  left_out(objects_.routines, options_.with_routines, "routines");
  left_out(objects_.events, options_.with_events, "events");
  if (objects_.sequences > 0) {
    add(Severity::warning, fmt::format("{} sequences are not copied", objects_.sequences),
        "create them at the target before its application starts");
  }
  add(Severity::note, "accounts, roles and grants are not copied", "create them at the target");
}

void SourceJudge::retention() {
  double hours = static_cast<double>(view_.number("binlog_expire_logs_seconds")) / 3600;
  if (hours == 0) hours = std::strtod(view_.variable("expire_logs_days").c_str(), nullptr) * 24;
  if (!view_.is_on("log_bin")) return;
  if (hours == 0) {
    add(Severity::note, "the binary log is never purged by age", "");
    return;
  }
  const auto time = std::chrono::milliseconds(std::llround(hours * 3'600'000));
  const std::string kept =
      fmt::format("the binary log is kept for {}: the copy must not fall further behind",
                  format_duration(time));
  if (hours < kShortRetentionHours) {
    add(Severity::warning, kept,
        view_.facts.is_mariadb() && view_.variable("binlog_expire_logs_seconds").empty()
            ? "SET GLOBAL expire_logs_days = 7;"
            : "SET GLOBAL binlog_expire_logs_seconds = 604800;");
  } else {
    add(Severity::note, kept, "");
  }
}

void SourceJudge::sizes() {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  for (const Table& table : tables_) {
    rows += table.rows_estimate;
    bytes += table.data_bytes_estimate;
  }
  if (tables_.empty()) {
    add(Severity::refusal, "no table is selected",
        "look at --include and --exclude, and at what the account may see");
    return;
  }
  add(Severity::note,
      fmt::format("{} tables, about {} rows, {} of data", tables_.size(), rows,
                  format_bytes(bytes)),
      "");
}

}  // namespace

std::vector<Finding> judge_source(const ServerView& view, const SourceObjects& objects,
                                  const std::vector<Table>& tables, const CopyOptions& options) {
  return SourceJudge(view, objects, tables, options).run();
}

}  // namespace wherry::control
