// Statements about tables that are merged into one. What one of them does to itself must not happen
// to all of them, so such statements stop the run, but for two: a new table that is made as the
// others are joins them, and an ALTER TABLE that all of them get (ddl_merged_alter.cc).
#include <fmt/core.h>

#include <algorithm>

#include "mysql/schema_reader.h"
#include "sink/mysql/ddl_runner.h"
#include "sql/create_table.h"
#include "support/log.h"

namespace wherry::sink {

using dispatch::StatementEvent;

namespace {

constexpr unsigned kNoSuchTable = 1146;
constexpr unsigned kUnknownDatabase = 1049;
constexpr std::string_view kScratch = "new_definition";

bool creates_table(sql::Kind kind) {
  return kind == sql::Kind::create_table || kind == sql::Kind::create_table_like;
}

}  // namespace

Result<bool> DdlRunner::on_merged(const StatementEvent& event) {
  const sql::Statement& statement = event.statement;
  const bool of_database = statement.objects.empty();
  const bool any = of_database
                       ? selection_.merges({statement.database, ""})
                       : std::any_of(statement.objects.begin(), statement.objects.end(),
                                     [&](const sql::NameSpan& object) {
                                       const bool changes = object.role == sql::NameRole::subject ||
                                                            object.role == sql::NameRole::new_name;
                                       return changes && selection_.follows(object.name) &&
                                              selection_.merges(object.name);
                                     });
  if (!any) return false;
  if (statement.kind == sql::Kind::create_database) {
    // Where the database itself is renamed its target is there, or is made by the first of them.
    if (selection_.route_database(statement.database) == statement.database) return false;
    Result<mysql::Rows> there = session_->query(
        "SHOW CREATE DATABASE " + quote_name(selection_.route_database(statement.database)));
    if (!there.ok() && there.error().server_code == kUnknownDatabase) return false;
    if (!there.ok()) return there.error();
    records_.clear();
    if (Status noted = note(event, "finished", ""); !noted.ok()) return noted.error();
    return true;
  }
  if (creates_table(statement.kind) && !event.rows_follow) return adopt(event);
  if (alters_merged(event)) {
    if (Status done = alter_merged(event); !done.ok()) return done.error();
    return true;
  }
  return Error{
      Errc::unsupported,
      fmt::format("a statement changes a table that is merged with others, and what becomes "
                  "of the others cannot be told from it: {} (at {}); see docs/copy.md, "
                  "Merging tables",
                  sql::printable(statement, event.query.statement), event.position),
      0};
}

// A new table among those that are merged. False: it is the first of them, and is made.
Result<bool> DdlRunner::adopt(const StatementEvent& event) {
  const TableName target = selection_.route(event.statement.objects.front().name);
  Result<std::string> there = mysql::read_create_table(*session_, target);
  if (!there.ok()) {
    const unsigned code = there.error().server_code;
    if (there.error().code != Errc::lost && code != kNoSuchTable && code != kUnknownDatabase)
      return there.error();
    Result<mysql::Outcome> made =
        session_->execute("CREATE DATABASE IF NOT EXISTS " + quote_name(target.database));
    if (!made.ok()) return made.error();
    return false;
  }
  if (Status same = require_same_definition(event, target, there.value()); !same.ok())
    return same.error();
  records_.clear();
  keys_.clear();
  if (Status fresh = refresh(event); !fresh.ok())
    return fresh.error().within("read the definitions after a DDL");
  if (Status noted = note(event, "finished", ""); !noted.ok()) return noted.error();
  log::info("apply", "{} goes into {}, which is there",
            event.statement.objects.front().name.to_string(), target.to_string());
  return true;
}

TableName DdlRunner::scratch() const { return {target_.meta_database, std::string(kScratch)}; }

Status DdlRunner::drop_scratch() {
  Result<mysql::Outcome> gone = session_->execute(
      "DROP TABLE IF EXISTS " + quote_name(scratch().database) + "." + quote_name(scratch().table));
  return gone.ok() ? Status(Unit{}) : Status(gone.error());
}

// The server itself says what the statement makes, under another name.
Result<sql::CreateTable> DdlRunner::scratch_after(const StatementEvent& event) {
  const TableName& subject = event.statement.objects.front().name;
  Status made = execute(
      event, sql::rewrite(event.statement, event.query.statement, [&](const TableName& name) {
        return name == subject ? scratch() : selection_.route(name);
      }));
  if (!made.ok()) return made.error();
  Result<std::string> text = mysql::read_create_table(*session_, scratch());
  if (Status gone = drop_scratch(); !gone.ok()) return gone.error();
  if (!text.ok()) return text.error();
  Result<sql::CreateTable> table = sql::parse_create_table(text.value());
  return table.ok() ? std::move(table) : table.error().within(subject.to_string());
}

Status DdlRunner::require_same_definition(const StatementEvent& event, const TableName& target,
                                          const std::string& there) {
  const TableName& subject = event.statement.objects.front().name;
  if (Status gone = drop_scratch(); !gone.ok()) return gone;
  Result<sql::CreateTable> wanted = scratch_after(event);
  if (!wanted.ok()) return wanted.error();
  Result<sql::CreateTable> present = sql::parse_create_table(there);
  if (!present.ok()) return present.error().within(target.to_string());
  sql::set_name(wanted.value(), target);
  sql::set_name(present.value(), target);
  const std::vector<std::string> lines = sql::differences(wanted.value(), present.value());
  if (lines.empty()) return Unit{};
  std::string what =
      fmt::format("{} would be merged into {}, and has another definition:", subject.to_string(),
                  target.to_string());
  for (const std::string& line : lines) what += "\n  " + line;
  return Error{Errc::unsupported, what, 0};
}

}  // namespace wherry::sink
