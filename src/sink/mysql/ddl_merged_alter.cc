// ALTER TABLE of tables that are merged into one. Each of them gets the same statement, at its own
// place of the stream: the first changes the target, the others are recognised as done. Between the
// two the rows of a table that is behind have the columns of before; docs/filters.md has the rule.
#include <fmt/format.h>

#include <algorithm>

#include "mysql/schema_reader.h"
#include "sink/mysql/ddl_runner.h"
#include "sql/added_columns.h"
#include "support/log.h"

namespace wherry::sink {

using dispatch::PlanPtr;
using dispatch::StatementEvent;

namespace {

Error refused(const StatementEvent& event, std::string_view why) {
  return {Errc::unsupported,
          fmt::format("{} is merged with others, and cannot be altered before them: {} -- {} (at "
                      "{}); see docs/filters.md, Altering merged tables",
                      event.statement.objects.front().name.to_string(), why,
                      sql::printable(event.statement, event.query.statement), event.position),
          0};
}

}  // namespace

bool DdlRunner::alters_merged(const StatementEvent& event) const {
  const std::vector<sql::NameSpan>& objects = event.statement.objects;
  return event.statement.kind == sql::Kind::alter_table && objects.size() == 1 &&
         catalog_.find(objects[0].name.database, objects[0].name.table) != nullptr;
}

Status DdlRunner::alter_merged(const StatementEvent& event) {
  const TableName& source = event.statement.objects.front().name;
  const auto behind = outrun_.find(source);
  return behind == outrun_.end() ? lead(event) : follow(event, behind->second);
}

// The first of the tables: the target is altered, and the others are behind it from here on.
Status DdlRunner::lead(const StatementEvent& event) {
  const TableName& source = event.statement.objects.front().name;
  const TableName target = selection_.route(source);
  Result<std::string> before = state_of(event);
  if (!before.ok()) return before.error();
  Result<Begun> begun = begun_before(event, before.value());
  if (!begun.ok()) return begun.error();
  if (begun.value() == Begun::no) {
    Result<std::string> text = mysql::read_create_table(*session_, target);
    if (!text.ok()) return text.error();
    if (Status fits = require_leadable(event, text.value()); !fits.ok()) return fits;
    records_.clear();
    for (const PlanPtr& other : catalog_.all()) {
      if (other->target != target || other->source.name == source) continue;
      outrun_[other->source.name] = text.value();
      records_.push_back(progress_.put_statement(record_of(*other, "")));
    }
    if (Status noted = note(event, "begun", before.value()); !noted.ok()) return noted;
  }
  if (begun.value() != Begun::and_ran) {
    const std::string text = sql::rewrite(event.statement, event.query.statement, selection_.route);
    if (Status done = execute(event, text); !done.ok()) return done;
  }
  if (Status done = take_definition(event, before.value()); !done.ok()) return done;
  log::info("apply", "ran at the target, for {} and those that are merged with it: {}",
            source.to_string(), sql::printable(event.statement, event.query.statement));
  return Unit{};
}

Status DdlRunner::require_leadable(const StatementEvent& event, const std::string& text) {
  const TableName& source = event.statement.objects.front().name;
  const TableName target = selection_.route(source);
  for (const auto& [other, definition] : outrun_) {
    if (selection_.route(other) == target)
      return refused(event,
                     fmt::format("{} has yet to get the statement before", other.to_string()));
  }
  Result<sql::CreateTable> present = sql::parse_create_table(text);
  if (!present.ok()) return present.error().within(target.to_string());
  if (!present.value().foreign_keys.empty()) return refused(event, "it has foreign keys");
  Result<sql::CreateTable> wanted = altered(event, text);
  if (!wanted.ok()) return wanted.error();
  sql::set_name(wanted.value(), target);
  sql::set_name(present.value(), target);
  const std::string why =
      sql::unlike_added_columns(present.value(), wanted.value(), session_->facts().dialect);
  return why.empty() ? Status(Unit{}) : Status(refused(event, why));
}

// One of the others: its definition becomes what the target's is already.
Status DdlRunner::follow(const StatementEvent& event, const std::string& definition) {
  const TableName& source = event.statement.objects.front().name;
  const TableName target = selection_.route(source);
  Result<std::string> text = mysql::read_create_table(*session_, target);
  if (!text.ok()) return text.error();
  Result<sql::CreateTable> present = sql::parse_create_table(text.value());
  if (!present.ok()) return present.error().within(target.to_string());
  Result<sql::CreateTable> wanted = altered(event, definition);
  if (!wanted.ok()) return wanted.error();
  sql::set_name(wanted.value(), target);
  sql::set_name(present.value(), target);
  const std::vector<std::string> lines = sql::differences(wanted.value(), present.value());
  if (!lines.empty())
    return refused(event, fmt::format("it would not become what {} is: {}", target.to_string(),
                                      fmt::join(lines, "; ")));
  outrun_.erase(source);
  if (Status done = take_definition(event, ""); !done.ok()) return done;
  log::info("apply", "is at the target already, by a table that {} is merged with: {}",
            source.to_string(), sql::printable(event.statement, event.query.statement));
  return Unit{};
}

// The table's rows have the columns of the target from here on.
Status DdlRunner::take_definition(const StatementEvent& event, const std::string& before) {
  records_.clear();
  keys_.clear();
  if (Status fresh = refresh(event); !fresh.ok())
    return fresh.error().within("read the definitions after a DDL");
  return note(event, "finished", before);
}

// What the statement makes of a definition, by the word of the server.
Result<sql::CreateTable> DdlRunner::altered(const StatementEvent& event,
                                            const std::string& definition) {
  Result<sql::CreateTable> table = sql::parse_create_table(definition);
  if (!table.ok()) return table.error();
  sql::set_name(table.value(), scratch());
  if (Status gone = drop_scratch(); !gone.ok()) return gone.error();
  Result<mysql::Outcome> made = session_->execute(sql::to_text(table.value()));
  if (!made.ok()) return made.error().within("make a table of the definition before");
  return scratch_after(event);
}

NamedRecord DdlRunner::record_of(const dispatch::TablePlan& plan, const std::string& key) const {
  const auto behind = outrun_.find(plan.source.name);
  return selection_.record(plan, key, behind == outrun_.end() ? "" : behind->second);
}

}  // namespace wherry::sink
