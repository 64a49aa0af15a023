#include "copy/definitions.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "copy/side_by_side.h"
#include "copy/target_names.h"
#include "mysql/schema_reader.h"
#include "mysql/setting_scope.h"
#include "sql/collations.h"
#include "sql/create_table.h"
#include "support/ascii.h"

namespace wherry::copy {
namespace {

using mysql::quote_name;
using mysql::quote_text;

constexpr unsigned kDuplicateKeyName = 1061;
constexpr unsigned kAlgorithmNotSupported = 1845;
constexpr unsigned kAlgorithmNotSupportedReason = 1846;
// Building indexes says nothing until it is done.
constexpr std::chrono::seconds kIndexTimeout{24 * 3600};

std::string full_name(const TableName& name) {
  return quote_name(name.database) + "." + quote_name(name.table);
}

sql::CollationMap to_map(const DefinitionOptions& options) {
  return {options.collation_map.begin(), options.collation_map.end()};
}

struct Ends {
  mysql::Session& source;
  mysql::Session& target;

  Dialect from() const { return source.facts().dialect; }
  Dialect to() const { return target.facts().dialect; }
};

// Definitions that the source accepted must be creatable: zero dates as defaults, parents that come
// later, wide rows. What follows may be forbidden to the account, or not exist, and is only tried.
Status prepare_target(mysql::Session& target, mysql::SettingScope& scope) {
  Status done =
      scope.set({{"foreign_key_checks", "0"},
                 {"sql_mode", "ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION"}});
  if (!done.ok()) return done;
  (void)scope.set({{"innodb_strict_mode", "0"}});
  (void)scope.set({{"explicit_defaults_for_timestamp", "1"}});
  if (!target.facts().is_mariadb()) {
    (void)scope.set({{"sql_require_primary_key", "0"}});
    (void)scope.set({{"sql_generate_invisible_primary_key", "0"}});
  }
  return Unit{};
}

Result<bool> keys_are_required(mysql::Session& target) {
  if (target.facts().is_mariadb() || target.facts().version < 80013) return false;
  Result<mysql::Rows> row = target.query("SELECT @@SESSION.sql_require_primary_key");
  if (!row.ok()) return row.error();
  return row.value().rows.at(0).at(0) == "1";
}

struct DatabaseDefaults {
  std::string charset;
  std::string collation;
};

Result<std::optional<DatabaseDefaults>> read_defaults(mysql::Session& session,
                                                      const std::string& database) {
  Result<mysql::Rows> rows = session.query(
      "SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME, SCHEMA_NAME FROM "
      "information_schema.SCHEMATA WHERE SCHEMA_NAME = " +
      quote_text(database));
  if (!rows.ok()) return rows.error().within("read database " + database);
  for (const auto& row : rows.value().rows) {
    if (row[2] != database) continue;
    return std::optional(DatabaseDefaults{row[0].value_or(""), row[1].value_or("")});
  }
  return std::optional<DatabaseDefaults>();
}

Result<DatabaseDefaults> translated(const Ends& ends, const DatabaseDefaults& defaults,
                                    const sql::CollationMap& map) {
  DatabaseDefaults out = defaults;
  if (ends.from() == ends.to() && !map.contains(defaults.collation)) return out;
  if (const auto mapped = map.find(defaults.collation); mapped != map.end()) {
    out.collation = mapped->second;
  } else {
    const auto twin = sql::collation_twin(defaults.collation, ends.from(), ends.to());
    if (!twin) {
      return Error{
          Errc::refused,
          fmt::format("collation {0} has no exact counterpart at the target; choose another, for "
                      "example by "
                      "--map-collation {0}={1}",
                      defaults.collation, sql::collation_proposal(defaults.collation, ends.to())),
          0};
    }
    out.collation = *twin;
  }
  out.charset = out.collation.substr(0, out.collation.find('_'));
  return out;
}

Result<bool> has_tables(mysql::Session& session, const std::string& database) {
  Result<mysql::Rows> rows = session.query(
      fmt::format("SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} LIMIT 1",
                  quote_text(database)));
  if (!rows.ok()) return rows.error();
  return !rows.value().rows.empty();
}

// The statement that makes the database, empty when there is nothing to do. One that is there keeps
// its settings unless it is still empty: statements that come later through the binlog rely on the
// defaults of the source.
Result<std::string> plan_database(const Ends& ends, const std::string& from, const std::string& to,
                                  const sql::CollationMap& map) {
  Result<std::optional<DatabaseDefaults>> read = read_defaults(ends.source, from);
  if (!read.ok()) return read.error();
  if (!read.value())
    return Error{Errc::lost, fmt::format("database {} is gone from the source", from), 0};
  Result<DatabaseDefaults> wanted = translated(ends, *read.value(), map);
  if (!wanted.ok()) return wanted.error().within("database " + from);
  Result<std::optional<DatabaseDefaults>> there = read_defaults(ends.target, to);
  if (!there.ok()) return there.error();
  const std::string clause =
      fmt::format("CHARACTER SET {} COLLATE {}", wanted.value().charset, wanted.value().collation);
  if (!there.value())
    return fmt::format("CREATE DATABASE IF NOT EXISTS {} {}", quote_name(to), clause);
  if (sql::collation_key(there.value()->collation) ==
      sql::collation_key(wanted.value().collation)) {
    return std::string();
  }
  Result<bool> used = has_tables(ends.target, to);
  if (!used.ok()) return used.error();
  const std::string alter = fmt::format("ALTER DATABASE {} {}", quote_name(to), clause);
  if (!used.value()) return alter;
  return Error{
      Errc::refused,
      fmt::format("database {0} exists at the target with collation {1}, the copy needs {2}: run "
                  "{3} if its tables may be kept, or give it the target's by --map-collation "
                  "{4}={1}, which holds for columns of that collation as well",
                  to, there.value()->collation, wanted.value().collation, alter,
                  read.value()->collation),
      0};
}

struct TableStep {
  const Ends& ends;
  const TargetNames& names;
  const DefinitionOptions& options;
  sql::CollationMap map;
  std::set<TableName> existing;
  bool keys_required = false;
};

// The source's definition as the target should have it, under its name there.
Result<sql::CreateTable> definition_for_target(const TableStep& step, const Route& route,
                                               std::string_view text) {
  Result<sql::CreateTable> table = sql::parse_create_table(text);
  if (!table.ok()) return table.error().within(route.source.to_string());
  sql::pin_collations(table.value());
  Status done = sql::translate(table.value(), step.ends.from(), step.ends.to(), step.map);
  if (!done.ok()) return done.error().within(route.source.to_string());
  sql::set_name(table.value(), route.target);
  sql::route_parents(table.value(), route.source.database,
                     [&](const TableName& parent) { return step.names.of(parent); });
  return table;
}

Status compare_existing(const Ends& ends, const Route& route, sql::CreateTable wanted,
                        bool late_indexes) {
  Result<std::string> text = mysql::read_create_table(ends.target, route.target);
  if (!text.ok()) return text.error();
  Result<sql::CreateTable> there = sql::parse_create_table(text.value());
  if (!there.ok()) return there.error().within(route.target.to_string());
  sql::set_name(there.value(), route.target);
  sql::route_parents(there.value(), route.target.database,
                     [](const TableName& parent) { return parent; });
  if (late_indexes) {  // they are added later, and by an earlier run may be there or not
    (void)sql::take_late_keys(wanted);
    (void)sql::take_late_keys(there.value());
  }
  const std::vector<std::string> lines = sql::differences(wanted, there.value());
  if (lines.empty()) return Unit{};
  std::string what = fmt::format("table {} exists at the target with another definition:",
                                 route.target.to_string());
  for (const std::string& line : lines) what += "\n  " + line;
  return Error{Errc::refused, what, 0};
}

// Base tables and views alike: a view takes the name as well.
Result<std::set<TableName>> existing_names(mysql::Session& target) {
  std::set<TableName> out;
  Result<mysql::Rows> rows =
      target.query("SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES");
  if (!rows.ok()) return rows.error().within("list the target's tables");
  for (const auto& row : rows.value().rows) out.insert({row[0].value_or(""), row[1].value_or("")});
  return out;
}

// What is to be made, in this order. A child's definition locks its parents: children come one by
// one.
struct Creations {
  std::vector<NamedStatement> databases, tables, children;
  std::map<TableName, sql::CreateTable> made;  // whole, by their names at the target
  LateKeys late;
};

bool has_primary_key(const sql::CreateTable& table) {
  return std::any_of(table.keys.begin(), table.keys.end(),
                     [](const std::string& key) { return key.starts_with("PRIMARY KEY"); });
}

// A table that goes where another one of the run went already must be made the same.
Status compare_with_first(const Route& route, const sql::CreateTable& first,
                          const sql::CreateTable& table) {
  const std::vector<std::string> lines = sql::differences(table, first);
  if (lines.empty()) return Unit{};
  std::string what =
      fmt::format("{} goes into {} as another table does, and has another definition:",
                  route.source.to_string(), route.target.to_string());
  for (const std::string& line : lines) what += "\n  " + line;
  return Error{Errc::refused, what, 0};
}

// Plans the statement that creates the table, or none when it is there already.
Status plan_table(const TableStep& step, const Route& route, std::string_view text,
                  Creations& out) {
  const bool exists = step.existing.contains(route.target);
  if (exists && !step.options.use_existing) {
    return Error{Errc::refused,
                 fmt::format("{} exists at the target (--existing use takes it as it is)",
                             route.target.to_string()),
                 0};
  }
  Result<sql::CreateTable> table = definition_for_target(step, route, text);
  if (!table.ok()) return table.error();
  const auto [first, fresh] = out.made.emplace(route.target, table.value());
  if (!fresh) return compare_with_first(route, first->second, table.value());
  const bool late = step.options.late_indexes && !step.options.small.contains(route.source);
  if (exists) {
    Status same = compare_existing(step.ends, route, table.value(), step.options.late_indexes);
    if (same.ok() && late) out.late[route.source] = sql::take_late_keys(table.value());
    return same;
  }
  if (step.keys_required && !has_primary_key(table.value())) {
    return Error{
        Errc::refused,
        fmt::format(
            "{} has no primary key, and the target demands one (sql_require_primary_key = ON); "
            "this account may not switch it off for its session",
            route.source.to_string()),
        0};
  }
  if (late) out.late[route.source] = sql::take_late_keys(table.value());
  std::vector<NamedStatement>& list =
      table.value().foreign_keys.empty() ? out.tables : out.children;
  list.push_back({"create " + route.target.to_string(), sql::to_text(table.value())});
  return Unit{};
}

std::set<std::pair<std::string, std::string>> databases_of(const std::vector<Route>& routes) {
  std::set<std::pair<std::string, std::string>> databases;
  for (const Route& route : routes)
    databases.insert({route.source.database, route.target.database});
  return databases;
}

Result<Creations> plan_all(const TableStep& step, const std::vector<Route>& routes) {
  Creations out;
  std::map<std::string, std::string> databases;
  for (const auto& [from, to] : databases_of(routes)) {
    Result<std::string> statement = plan_database(step.ends, from, to, step.map);
    if (!statement.ok()) return statement.error();
    const auto [first, fresh] = databases.emplace(to, statement.value());
    if (!fresh && first->second != statement.value()) {
      return Error{Errc::refused,
                   fmt::format("databases that go into {} have different default collations", to),
                   0};
    }
    if (fresh && !statement.value().empty())
      out.databases.push_back({"create database " + to, std::move(statement).value()});
  }
  std::vector<TableName> names;
  names.reserve(routes.size());
  for (const Route& route : routes) names.push_back(route.source);
  Result<std::vector<std::string>> texts = mysql::read_create_tables(step.ends.source, names);
  if (!texts.ok()) return texts.error();
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (Status planned = plan_table(step, routes[i], texts.value()[i], out); !planned.ok())
      return planned.error();
  }
  return out;
}

Status run_one_by_one(mysql::Session& session, const std::vector<NamedStatement>& statements) {
  for (const NamedStatement& one : statements) {
    if (Result<mysql::Outcome> done = session.execute(one.text); !done.ok())
      return done.error().within(one.what);
  }
  return Unit{};
}

// Servers sync their log for each table; side by side these syncs are shared.
Status create_tables_of(const TableStep& step, const std::vector<NamedStatement>& statements) {
  constexpr std::size_t kEnoughToShare = 16;
  if (statements.size() < kEnoughToShare || !step.options.open_target)
    return run_one_by_one(step.ends.target, statements);
  return run_side_by_side(statements, [&](const SessionCall& call) -> Status {
    Result<std::unique_ptr<mysql::Session>> session = step.options.open_target();
    if (!session.ok()) return session.error();
    mysql::SettingScope scope(*session.value());
    if (Status ready = prepare_target(*session.value(), scope); !ready.ok()) return ready;
    return call(*session.value());
  });
}

// "`name` (...)" of a key's definition: the name alone, folded as the servers compare it.
std::string key_name(const std::string& key) {
  if (ascii::starts_with(key, "PRIMARY")) return "primary";  // has no name of its own
  const std::size_t begin = key.find('`');
  std::size_t end = begin == std::string::npos ? begin : begin + 1;
  while (end < key.size()) {
    if (key[end] != '`')
      ++end;
    else if (end + 1 < key.size() && key[end + 1] == '`')
      end += 2;
    else
      break;
  }
  if (begin == std::string::npos || end >= key.size()) return key;
  return ascii::lower(key.substr(begin, end - begin));
}

// Those of the keys that the target's table does not have yet.
Result<std::vector<std::string>> missing_keys(mysql::Session& target, const TableName& table,
                                              const std::vector<std::string>& keys) {
  Result<std::string> text = mysql::read_create_table(target, table);
  if (!text.ok()) return text.error();
  Result<sql::CreateTable> there = sql::parse_create_table(text.value());
  if (!there.ok()) return there.error().within(table.to_string());
  std::set<std::string> present;
  for (const std::string& key : there.value().keys) present.insert(key_name(key));
  std::vector<std::string> missing;
  for (const std::string& key : keys) {
    if (!present.contains(key_name(key))) missing.push_back(key);
  }
  return missing;
}

Result<mysql::Outcome> add_keys(mysql::Session& target, const TableName& table,
                                const std::vector<std::string>& keys) {
  std::string alter = "ALTER TABLE " + full_name(table);
  for (const std::string& key : keys) alter += (&key == keys.data() ? " ADD " : ", ADD ") + key;
  Result<mysql::Outcome> done = target.execute(alter + ", ALGORITHM=INPLACE, LOCK=NONE");
  if (done.ok()) return done;
  const unsigned code = done.error().server_code;
  if (code != kAlgorithmNotSupported && code != kAlgorithmNotSupportedReason) return done;
  return target.execute(alter);
}

}  // namespace

Result<LateKeys> create_tables(mysql::Session& source, mysql::Session& target,
                               const std::vector<Route>& routes, const DefinitionOptions& options) {
  const Ends ends{source, target};
  const TargetNames names(routes);
  mysql::SettingScope scope(target);
  Status done = prepare_target(target, scope);
  if (!done.ok()) return done.error();
  TableStep step{ends, names, options, to_map(options), {}, false};
  Result<bool> required = keys_are_required(target);
  if (!required.ok()) return required.error();
  step.keys_required = required.value();

  Result<std::set<TableName>> existing = existing_names(target);
  if (!existing.ok()) return existing.error();
  step.existing = std::move(existing).value();
  // Everything is looked at before anything is created: a refusal leaves the target as it was.
  Result<Creations> creations = plan_all(step, routes);
  if (!creations.ok()) return creations.error();
  done = run_one_by_one(target, creations.value().databases);
  if (done.ok()) done = create_tables_of(step, creations.value().tables);
  if (done.ok()) done = run_one_by_one(target, creations.value().children);
  if (!done.ok()) return done.error();
  return std::move(creations.value().late);
}

Result<std::vector<std::string>> refused_databases(mysql::Session& source, mysql::Session& target,
                                                   const std::vector<Route>& routes,
                                                   const DefinitionOptions& options) {
  std::vector<std::string> refusals;
  for (const auto& [from, to] : databases_of(routes)) {
    Result<std::string> statement = plan_database({source, target}, from, to, to_map(options));
    if (statement.ok()) continue;
    if (statement.error().code != Errc::refused) return statement.error();
    refusals.push_back(statement.error().what);
  }
  return refusals;
}

Status add_late_indexes(mysql::Session& target, const TableName& table,
                        const std::vector<std::string>& wanted) {
  mysql::SettingScope scope(target);
  Status ready = prepare_target(target, scope);
  if (!ready.ok()) return ready;
  // A statement of a session that was lost may still have added them after they were looked for.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<std::vector<std::string>> keys = missing_keys(target, table, wanted);
    if (!keys.ok()) return keys.error();
    if (keys.value().empty()) return Unit{};
    target.set_read_timeout(kIndexTimeout);
    Result<mysql::Outcome> done = add_keys(target, table, keys.value());
    target.set_read_timeout(mysql::SessionOptions{}.read_timeout);
    if (done.ok()) return Unit{};
    if (done.error().server_code != kDuplicateKeyName || attempt > 0) {
      return done.error().within("add indexes to " + table.to_string());
    }
  }
  return Unit{};
}

}  // namespace wherry::copy
