#include "mysql/schema_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "mysql/schema_rows.h"
#include "mysql/setting_scope.h"

namespace wherry::mysql {
namespace {

constexpr std::string_view kTables =
    "SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE, TABLE_ROWS, DATA_LENGTH, TABLE_TYPE FROM "
    "information_schema.TABLES "
    "WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND {}";
constexpr std::string_view kColumns =
    "SELECT TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, "
    "CHARACTER_SET_NAME, COLLATION_NAME, CHARACTER_OCTET_LENGTH, DATETIME_PRECISION, IS_NULLABLE, "
    "EXTRA, "
    "GENERATION_EXPRESSION FROM information_schema.COLUMNS WHERE {}";
constexpr std::string_view kIndexes =
    "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE, "
    "INDEX_TYPE FROM information_schema.STATISTICS WHERE {}";
constexpr std::string_view kForeignColumns =
    "SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME, "
    "REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME "
    "FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL AND {}";
constexpr std::string_view kForeignRules =
    "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE "
    "FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE {}";

constexpr std::array<std::string_view, 5> kSystemDatabases = {
    "mysql", "information_schema", "performance_schema", "sys", "ndbinfo"};
// Both servers look single databases up directly, and open every table of every other clause.
constexpr std::size_t kDatabasesNamedMax = 8;

bool shows_hidden_keys(const Session& session) {
  return !session.facts().is_mariadb() && session.facts().version >= 80030;
}

const Setting& hidden_keys() {
  static const Setting kShown = {"show_gipk_in_create_table_and_information_schema", "1"};
  return kShown;
}

// MySQL hides its generated invisible primary keys, and shows estimates up to a day old, unless
// told.
Status prepare_information_schema(const Session& session, SettingScope& scope) {
  if (session.facts().is_mariadb() || session.facts().version < 80000) return Unit{};
  std::vector<Setting> settings = {{"information_schema_stats_expiry", "0"}};
  if (shows_hidden_keys(session)) settings.push_back(hidden_keys());
  return scope.set(settings);
}

// Runs one query once per clause and adds its rows to `into`.
Status collect(Session& session, std::string_view query, const std::vector<std::string>& clauses,
               Rows& into) {
  for (const std::string& clause : clauses) {
    Result<Rows> rows = session.query(fmt::format(fmt::runtime(query), clause));
    if (!rows.ok()) return rows.error().within("read information_schema");
    into.names = std::move(rows.value().names);
    std::move(rows.value().rows.begin(), rows.value().rows.end(), std::back_inserter(into.rows));
  }
  return Unit{};
}

Status collect_details(Session& session, const std::vector<std::string>& tables,
                       const std::vector<std::string>& constraints, SchemaRows& rows) {
  Status done = collect(session, kColumns, tables, rows.columns);
  if (done.ok()) done = collect(session, kIndexes, tables, rows.indexes);
  if (done.ok()) done = collect(session, kForeignColumns, tables, rows.foreign_columns);
  if (done.ok()) done = collect(session, kForeignRules, constraints, rows.foreign_rules);
  return done;
}

// What only SHOW CREATE TABLE tells, for the few tables that need it.
Status complete(Session& session, const SchemaRows& rows, std::vector<Table>& tables) {
  if (!session.facts().is_mariadb()) return Unit{};
  const std::vector<TableName> hidden = without_rules(tables, rows);
  for (Table& table : tables) {
    const bool rules = std::binary_search(hidden.begin(), hidden.end(), table.name);
    const bool period =
        std::any_of(table.indexes.begin(), table.indexes.end(),
                    [&](const Index& index) { return may_lack_overlaps(table, index); });
    if (!rules && !period) continue;
    Result<std::string> text = read_create_table(session, table.name);
    if (!text.ok() && text.error().code == Errc::lost) continue;  // dropped meanwhile
    if (!text.ok()) return text.error();
    if (rules) mark_cascades(table, text.value());
    if (period) mark_without_overlaps(table, text.value());
  }
  return Unit{};
}

bool is_system(std::string_view database) {
  return std::find(kSystemDatabases.begin(), kSystemDatabases.end(), database) !=
         kSystemDatabases.end();
}

// The clause that names all user databases by the given column.
std::string user_databases(std::string_view column) {
  std::string names;
  for (const std::string_view name : kSystemDatabases)
    names += (names.empty() ? "" : ", ") + quote_text(name);
  return fmt::format("{} NOT IN ({})", column, names);
}

}  // namespace

Result<std::vector<Table>> read_tables(Session& session,
                                       const std::function<bool(const TableName&)>& wanted) {
  SettingScope scope(session);
  Status done = prepare_information_schema(session, scope);
  if (!done.ok()) return done.error();
  SchemaRows rows;
  done = collect(session, kTables, {user_databases("TABLE_SCHEMA")}, rows.tables);
  if (!done.ok()) return done.error();

  std::set<TableName> names;
  std::set<std::string> databases;
  for (const auto& row : rows.tables.rows) {
    TableName name{row[0].value_or(""), row[1].value_or("")};
    if (!wanted(name)) continue;
    databases.insert(name.database);
    names.insert(std::move(name));
  }
  std::vector<std::string> by_table;
  std::vector<std::string> by_constraint;
  if (databases.size() > kDatabasesNamedMax) {
    by_table.push_back(user_databases("TABLE_SCHEMA"));
    by_constraint.push_back(user_databases("CONSTRAINT_SCHEMA"));
  } else {
    for (const std::string& database : databases) {
      by_table.push_back("TABLE_SCHEMA = " + quote_text(database));
      by_constraint.push_back("CONSTRAINT_SCHEMA = " + quote_text(database));
    }
  }
  done = collect_details(session, by_table, by_constraint, rows);
  if (!done.ok()) return done.error();
  std::vector<Table> tables =
      to_tables(rows, [&](const TableName& name) { return names.contains(name); });
  done = complete(session, rows, tables);
  if (!done.ok()) return done.error();
  return tables;
}

Result<Table> read_table(Session& session, const TableName& name) {
  SettingScope scope(session);
  Status done = prepare_information_schema(session, scope);
  const std::string table = quote_text(name.table);
  const std::string by_table =
      fmt::format("TABLE_SCHEMA = {} AND TABLE_NAME = {}", quote_text(name.database), table);
  const std::string by_constraint =
      fmt::format("CONSTRAINT_SCHEMA = {} AND TABLE_NAME = {}", quote_text(name.database), table);
  SchemaRows rows;
  if (done.ok()) done = collect(session, kTables, {by_table}, rows.tables);
  if (done.ok()) done = collect_details(session, {by_table}, {by_constraint}, rows);
  if (!done.ok()) return done.error();
  // The servers compare these names without case where they were told to; here the bytes decide.
  std::vector<Table> tables = to_tables(rows, [&](const TableName& one) { return one == name; });
  if (tables.empty() || is_system(name.database))
    return Error{Errc::lost, "there is no table " + name.to_string(), 0};
  done = complete(session, rows, tables);
  if (!done.ok()) return done.error();
  return std::move(tables.front());
}

namespace {

// In a session that is set up for it.
Result<std::string> show_create_table(Session& session, const TableName& name) {
  Result<Rows> rows = session.query(
      fmt::format("SHOW CREATE TABLE {}.{}", quote_name(name.database), quote_name(name.table)));
  if (!rows.ok()) {
    Error error = rows.error().within("definition of " + name.to_string());
    if (error.server_code == 1146 || error.server_code == 1049) error.code = Errc::lost;
    return error;
  }
  if (rows.value().rows.empty() || rows.value().rows[0].size() < 2 || !rows.value().rows[0][1]) {
    return Error{Errc::malformed, "SHOW CREATE TABLE of " + name.to_string() + " returned nothing",
                 0};
  }
  return *rows.value().rows[0][1];
}

}  // namespace

Result<std::vector<std::string>> read_create_tables(Session& session,
                                                    const std::vector<TableName>& names) {
  SettingScope scope(session);
  // ANSI_QUOTES and its like change the quotes of names or leave options out.
  std::vector<Setting> settings = {{"sql_quote_show_create", "1"}, {"sql_mode", ""}};
  if (shows_hidden_keys(session)) settings.push_back(hidden_keys());
  if (Status done = scope.set(settings); !done.ok()) return done.error();
  std::vector<std::string> texts;
  for (const TableName& name : names) {
    Result<std::string> text = show_create_table(session, name);
    if (!text.ok()) return text.error();
    texts.push_back(std::move(text).value());
  }
  return texts;
}

Result<std::string> read_create_table(Session& session, const TableName& name) {
  Result<std::vector<std::string>> texts = read_create_tables(session, {name});
  if (!texts.ok()) return texts.error();
  return std::move(texts.value().front());
}

}  // namespace wherry::mysql
