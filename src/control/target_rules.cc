#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "control/preflight_rules.h"
#include "control/privileges.h"
#include "control/rename_rule.h"
#include "support/ascii.h"
#include "support/units.h"

namespace wherry::control {
namespace {

constexpr unsigned kMysqlOldest = 80019;  // lists of rows in a statement (VALUES ROW)
constexpr unsigned kMariadbOldest = 100500;

class TargetJudge {
 public:
  TargetJudge(const ServerView& view, const TargetObjects& objects,
              const std::vector<Table>& tables, const CopyOptions& options)
      : view_(view), objects_(objects), tables_(tables), options_(options) {
    for (const Table& table : tables) {
      routed_.push_back(folded(renamed(options.rename, table.name)));
      routed_names_.insert(routed_.back());
    }
  }

  std::vector<Finding> run() {
    version();
    writable();
    replica();
    binlog();
    primary_keys();
    existing();
    triggers();
    collisions();
    loading();
    privileges();
    return std::move(findings_);
  }

 private:
  void add(Severity severity, std::string message, std::string remedy) {
    findings_.push_back({severity, "target", std::move(message), std::move(remedy)});
  }
  // Names as the target compares them.
  TableName folded(TableName name) const {
    if (view_.number("lower_case_table_names") == 0) return name;
    return {ascii::lower(name.database), ascii::lower(name.table)};
  }
  // Whether the table may go where others do: see merge_findings().
  bool is_meant(const Table& table) const { return may_merge(options_.rename, table.name); }
  bool is_routed(const TableName& name) const { return routed_names_.count(folded(name)) > 0; }

  void version();
  void writable();
  void replica();
  void binlog();
  void primary_keys();
  void existing();
  void triggers();
  void collisions();
  void loading();
  void privileges();

  const ServerView& view_;
  const TargetObjects& objects_;
  const std::vector<Table>& tables_;
  const CopyOptions& options_;
  std::vector<TableName> routed_;  // where each table goes, in the order of tables_
  std::set<TableName> routed_names_;
  std::vector<Finding> findings_;
};

void TargetJudge::version() {
  const bool mariadb = view_.facts.is_mariadb();
  add(Severity::note, fmt::format("{} {}", mariadb ? "MariaDB" : "MySQL", view_.facts.version_text),
      "");
  if (view_.facts.version < (mariadb ? kMariadbOldest : kMysqlOldest)) {
    add(Severity::refusal, fmt::format("version {} is too old", view_.facts.version_text),
        "MySQL from 8.0.19 and MariaDB from 10.5 are known");
  }
}

// MariaDB 12 spells read_only as OFF, ON and stricter words.
void TargetJudge::writable() {
  for (const char* name : {"super_read_only", "read_only", "innodb_read_only"}) {
    const std::string value = view_.variable(name);
    if (value.empty() || ascii::same(value, "off") || value == "0") continue;
    add(Severity::refusal, fmt::format("{} is {}", name, value),
        fmt::format("SET GLOBAL {} = OFF;", name));
    return;
  }
}

void TargetJudge::replica() {
  for (const ReplicaChannel& channel : view_.channels) {
    const auto host = channel.find("Master_Host");
    add(Severity::warning,
        fmt::format("it replicates from {}: what comes from there is written beside the copy",
                    host == channel.end() ? "another server" : host->second),
        "STOP REPLICA; (MariaDB: STOP ALL SLAVES;) unless that is meant");
  }
}

// InnoDB refuses to write at READ COMMITTED while statements are logged.
void TargetJudge::binlog() {
  if (!view_.is_on("log_bin") || !options_.target_binlog) return;
  if (!ascii::same(view_.variable("binlog_format"), "STATEMENT")) return;
  add(Severity::refusal,
      "binlog_format is STATEMENT: row writes at READ COMMITTED would be refused",
      "SET GLOBAL binlog_format = 'ROW'; or --target-binlog off");
}

void TargetJudge::primary_keys() {
  const bool required =
      view_.is_on("sql_require_primary_key") || view_.is_on("innodb_force_primary_key");
  const bool generated = view_.is_on("sql_generate_invisible_primary_key");
  for (const Table& table : tables_) {
    const bool primary = std::any_of(table.indexes.begin(), table.indexes.end(),
                                     [](const Index& index) { return index.primary; });
    if (primary) continue;
    if (required && !generated) {
      findings_.push_back(
          {Severity::refusal, "table " + table.name.to_string(),
           "it has no primary key and the target demands one (sql_require_primary_key)",
           "add a primary key at the source, or SET GLOBAL sql_require_primary_key = OFF;"});
    } else if (generated) {
      findings_.push_back({Severity::warning, "table " + table.name.to_string(),
                           "the target will add an invisible primary key to it "
                           "(sql_generate_invisible_primary_key)",
                           ""});
    }
  }
}

void TargetJudge::existing() {
  if (options_.resume || options_.existing == ExistingMode::use) return;
  for (const TableName& name : objects_.tables) {
    if (!is_routed(name)) continue;
    findings_.push_back(
        {Severity::refusal, "table " + name.to_string(), "it is already at the target",
         "drop it, or --existing use to write into it, or --resume to go on with an earlier run"});
  }
}

void TargetJudge::triggers() {
  if (options_.resume && options_.with_triggers) return;
  for (const auto& [table, name] : objects_.triggers) {
    if (!is_routed(table)) continue;
    findings_.push_back(
        {Severity::refusal, "table " + table.to_string(),
         fmt::format("trigger {} at the target would fire on every row that is written", name),
         "drop it and create it again after the copy"});
  }
}

void TargetJudge::collisions() {
  std::map<TableName, std::size_t> seen;  // the first that goes there
  for (std::size_t i = 0; i < routed_.size(); ++i) {
    if (ascii::same(routed_[i].database, options_.meta_database)) {
      findings_.push_back(
          {Severity::refusal, "table " + tables_[i].name.to_string(),
           fmt::format("it would go into the database {}, which is kept for progress",
                       options_.meta_database),
           "choose another with --meta-database or --rename"});
    }
    const auto [first, fresh] = seen.emplace(routed_[i], i);
    if (fresh || (is_meant(tables_[first->second]) && is_meant(tables_[i]))) continue;
    findings_.push_back(
        {Severity::refusal, "table " + tables_[i].name.to_string(),
         fmt::format("two tables would become {} at the target", routed_[i].to_string()),
         "look at --rename, and at names that differ by case only; to merge tables rename each of "
         "them by a pattern, or by a rule of its own"});
  }
}

void TargetJudge::loading() {
  if (!view_.is_on("local_infile")) {
    add(Severity::warning,
        "local_infile is off: rows are written by INSERT, which takes up to twice the time of "
        "LOAD DATA",
        "SET GLOBAL local_infile = ON;");
  }
}

void TargetJudge::privileges() {
  std::vector<TableName> names;
  for (const Table& table : tables_) names.push_back(renamed(options_.rename, table.name));
  names.push_back({options_.meta_database, "progress"});
  for (Finding& finding : missing_grants(view_, target_needs(view_, options_), names, "target")) {
    findings_.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<Finding> judge_target(const ServerView& view, const TargetObjects& objects,
                                  const std::vector<Table>& tables, const CopyOptions& options) {
  return TargetJudge(view, objects, tables, options).run();
}

}  // namespace wherry::control
