#include "sink/mysql/ddl_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "mysql/schema_reader.h"
#include "sink/mysql/retry.h"
#include "sql/added_indexes.h"
#include "support/hash.h"
#include "support/log.h"

namespace wherry::sink {

using dispatch::PlanPtr;
using dispatch::StatementEvent;

namespace {

constexpr unsigned kNoSuchTable = 1146;
constexpr unsigned kUnknownDatabase = 1049;

// Bits of sql_mode that MySQL and MariaDB know by the same meaning: the others are refused by one
// of them (NO_AUTO_CREATE_USER), or mean something else there.
constexpr std::uint64_t kSharedModes = 0xEFFC'00EF;
// Collations from this number on are of one of the two only.
constexpr std::uint32_t kOwnCollations = 248;
constexpr std::uint32_t kMysqlUtf8mb4 = 255;  // how MySQL names utf8mb4
constexpr std::uint64_t kAllModes = ~std::uint64_t{0};

bool is_database_level(sql::Kind kind) {
  return kind == sql::Kind::create_database || kind == sql::Kind::alter_database ||
         kind == sql::Kind::drop_database;
}

}  // namespace

DdlRunner::DdlRunner(TargetOptions target, const Links& links, DdlSelection selection,
                     LaneRecord start)
    : target_(std::move(target)),
      epoch_(links.epoch),
      progress_(links.progress),
      board_(links.board),
      catalog_(links.catalog),
      selection_(std::move(selection)),
      record_(std::move(start)),
      outrun_(links.outrun) {}

Status DdlRunner::connect() {
  if (session_ != nullptr) return Unit{};
  Result<std::unique_ptr<mysql::Session>> session = open_apply_session(target_);
  if (!session.ok()) return session.error();
  if (Status owned = progress_.own_lane(*session.value(), kLane); !owned.ok()) return owned;
  // So that a session that uses the table is waited for in steps, between which it is said.
  Result<mysql::Outcome> set = session.value()->execute(
      fmt::format("SET SESSION lock_wait_timeout = {}", target_.lock_wait.count()));
  if (!set.ok()) return set.error();
  session_ = std::move(session).value();
  return Unit{};
}

Status DdlRunner::run(const StatementEvent& event) {
  if (Status same = require_same_filter(event); !same.ok()) return same;
  if (Status connected = connect(); !connected.ok()) return connected;
  const Result<bool> merged = on_merged(event);
  if (!merged.ok()) return merged.error();
  if (merged.value()) return Unit{};
  const Result<bool> later = put_off(event);
  if (!later.ok()) return later.error();
  if (later.value()) return Unit{};
  for (const PlanPtr& plan : affected(event)) {
    ++plan->state->epoch;
    if (Status settled = selection_.settle(*plan); !settled.ok())
      return settled.error().within("before a DDL");
  }
  Result<std::string> before = state_of(event);
  if (!before.ok()) return before.error();
  Result<Begun> begun = begun_before(event, before.value());
  if (!begun.ok()) return begun.error();
  if (Status known = remember_keys(event); !known.ok()) return known;
  if (begun.value() != Begun::and_ran) {
    if (Status noted = note(event, "begun", before.value()); !noted.ok()) return noted;
    const std::string text = sql::rewrite(event.statement, event.query.statement, selection_.route);
    if (Status done = execute(event, text); !done.ok()) return done;
  }
  records_.clear();
  if (Status fresh = refresh(event); !fresh.ok())
    return fresh.error().within("read the definitions after a DDL");
  if (Status noted = note(event, "finished", before.value()); !noted.ok()) return noted;
  log::info("apply", "ran at the target: {}",
            sql::printable(event.statement, event.query.statement));
  return Unit{};
}

// Rows that come under another name, or into another table, without row events were chosen by the
// filter of where they were.
Status DdlRunner::require_same_filter(const StatementEvent& event) const {
  const std::vector<sql::NameSpan>& objects = event.statement.objects;
  const bool exchanges = event.statement.kind == sql::Kind::alter_table;
  for (std::size_t i = 0; i + 1 < objects.size(); ++i) {
    const sql::NameSpan& to = objects[i + 1];
    const bool meets =
        to.role == sql::NameRole::new_name || (exchanges && to.role == sql::NameRole::subject);
    if (!meets || !selection_.follows(objects[i].name)) continue;
    if (selection_.filter_text(objects[i].name) == selection_.filter_text(to.name)) continue;
    return Error{
        Errc::unsupported,
        fmt::format("rows of {} would go over to {}, which where and skip treat otherwise, "
                    "by {} (at {}); let their patterns match both",
                    objects[i].name.to_string(), to.name.to_string(),
                    sql::printable(event.statement, event.query.statement), event.position),
        0};
  }
  return Unit{};
}

// A long build would hold up every other table. What it changes is seen by no row, so the statement
// counts as finished as soon as the index stands among those that the table still lacks.
Result<bool> DdlRunner::put_off(const StatementEvent& event) {
  if (event.statement.objects.size() != 1) return false;
  const TableName& name = event.statement.objects[0].name;
  const PlanPtr plan = catalog_.find(name.database, name.table);
  std::vector<std::string> keys =
      sql::added_indexes(event.statement, event.query.statement, event.mode);
  if (plan == nullptr || keys.empty()) return false;
  Status done = selection_.put_off(*plan, std::move(keys), [&] {
    records_ = {progress_.put_statement(record_of(*plan, ""))};
    return note(event, "finished", "");
  });
  if (!done.ok()) return done.error();
  log::info("apply", "is run beside the stream: {}",
            sql::printable(event.statement, event.query.statement));
  return true;
}

// Which key the slices of each table are cut by. Noted with the statement's beginning: after a
// crash the definitions at the target may be the new ones already.
Status DdlRunner::remember_keys(const StatementEvent& event) {
  keys_.clear();
  records_.clear();
  for (const PlanPtr& plan : affected(event)) {
    if (!plan->state->open()) continue;
    Result<Table> table = mysql::read_table(*session_, plan->target);
    if (!table.ok() && table.error().code == Errc::lost) continue;  // it ran before a crash
    if (!table.ok()) return table.error();
    const std::string& key = keys_[plan->id] = key_signature(table.value());
    records_.push_back(progress_.put_statement(record_of(*plan, key)));
  }
  return Unit{};
}

// A statement that a run before this one began ran if the objects have changed since.
Result<DdlRunner::Begun> DdlRunner::begun_before(const StatementEvent& event,
                                                 const std::string& before) {
  Result<mysql::Rows> row = session_->query(
      fmt::format("SELECT state, before_state FROM {} WHERE job = '{}' AND cseq = {}",
                  progress_.table("ddl_progress"), progress_.job(), event.cseq));
  if (!row.ok()) return row.error().within("read ddl_progress");
  if (row.value().rows.empty()) return Begun::no;
  const bool finished = row.value().rows[0][0].value_or("") == "finished";
  return finished || row.value().rows[0][1].value_or("") != before ? Begun::and_ran
                                                                   : Begun::not_run;
}

Status DdlRunner::note(const StatementEvent& event, std::string_view state,
                       const std::string& before) {
  LaneRecord next = record_;
  next.low = board_.low();
  next.drop_done(next.low.cseq);
  // A group that goes on with rows (CREATE TABLE ... SELECT) is finished by the lane that writes
  // them.
  if (state == "finished" && !event.rows_follow) next.add_done(event.cseq, "");
  std::string sql = fmt::format(
      "BEGIN;{};REPLACE INTO {} (job, cseq, state, statement, position, before_state) VALUES "
      "('{}', {}, '{}', {}, {}, {})",
      progress_.lane_statement(epoch_, next), progress_.table("ddl_progress"), progress_.job(),
      event.cseq, state, quote_text(event.query.statement), quote_text(event.position),
      quote_text(before));
  for (const std::string& statement : records_) sql += ";" + statement;
  Result<std::vector<mysql::Outcome>> done = session_->execute_all(sql + ";COMMIT");
  if (!done.ok()) return done.error().within("write ddl_progress");
  if (done.value()[1].affected != 1)
    return Error{Errc::conflict, "fenced: another run has taken over the target", 0};
  record_ = next;
  ++record_.seq;
  return Unit{};
}

// The settings under which the source ran the statement.
std::vector<std::string> DdlRunner::settings(const StatementEvent& event) const {
  const decode::QueryView& query = event.query;
  std::vector<std::string> out;
  std::string set = fmt::format("SET timestamp = {}, foreign_key_checks = 0", event.timestamp);
  const bool alike = event.mode.dialect == session_->facts().dialect;
  const bool of_database = is_database_level(event.statement.kind);
  // What inherits from the server's collation is a database: elsewhere one that is not known there
  // makes no difference.
  const auto has = [&](std::uint32_t collation) {
    return collation != 0 && (alike || of_database || collation < kOwnCollations);
  };
  if (query.sql_mode) {
    set += fmt::format(", sql_mode = {}", *query.sql_mode & (alike ? kAllModes : kSharedModes));
  }
  if (!alike && query.charset_client == kMysqlUtf8mb4)
    set += ", character_set_client = utf8mb4";
  else if (query.charset_client != 0)
    set += fmt::format(", character_set_client = {}", query.charset_client);
  if (has(query.collation_connection))
    set += fmt::format(", collation_connection = {}", query.collation_connection);
  if (has(query.collation_server))
    set += fmt::format(", collation_server = {}", query.collation_server);
  if (!query.time_zone.empty()) set += fmt::format(", time_zone = {}", quote_text(query.time_zone));
  if (query.explicit_defaults_for_timestamp)
    set += fmt::format(", explicit_defaults_for_timestamp = {}",
                       *query.explicit_defaults_for_timestamp ? 1 : 0);
  if (query.default_collation_for_utf8mb4 != 0 && !session_->facts().is_mariadb()) {
    set += fmt::format(", default_collation_for_utf8mb4 = {}", query.default_collation_for_utf8mb4);
  }
  out.push_back(std::move(set));
  if (!query.database.empty())
    out.push_back("USE " + quote_name(selection_.route_database(std::string(query.database))));
  return out;
}

Status DdlRunner::execute(const StatementEvent& event, const std::string& text) {
  RetryClock clock(std::chrono::seconds(60));
  for (;;) {
    Status done = connect();
    for (const std::string& setting : done.ok() ? settings(event) : std::vector<std::string>()) {
      // A database that the statement itself drops, or that only the source has, cannot be entered.
      Result<mysql::Outcome> set = session_->execute(setting);
      if (!set.ok() && set.error().server_code != kUnknownDatabase) done = set.error();
    }
    if (done.ok()) {
      session_->set_read_timeout(std::chrono::hours(24));
      Result<mysql::Outcome> ran = session_->execute(text);
      done = ran.ok() ? Status(Unit{}) : Status(ran.error());
    }
    // The statement's settings end with its session.
    session_.reset();
    if (Status connected = connect(); !connected.ok()) return connected;
    if (done.ok()) {
      waiting_for_.with([](std::string& words) { words.clear(); });
      return done;
    }
    const Retry retry = clock.next(done.error());
    const bool unknown = done.error().code == Errc::network;
    if (!retry.again || unknown) {
      return Error{
          done.error().code,
          fmt::format("a statement of the source failed at the target: {} -- {} (at {})",
                      done.error().what, sql::printable(event.statement, text), event.position),
          done.error().server_code};
    }
    const std::string waits = describe_wait(target_, retry, done.error());
    waiting_for_.with([&](std::string& words) { words = waits; });
    if (retry.tell) log::warning("apply", "a statement waits for {}", waits);
    if (!retry_pause(retry.pause, [&] { return board_.closed(); }))
      return Error{Errc::interrupted, "the run ends", 0};
  }
}

// A digest of how the objects look now: definition and, where the server tells, their internal ids,
// so that a TRUNCATE or a rename of equal tables shows.
Result<std::string> DdlRunner::state_of(const StatementEvent& event) {
  std::string text;
  std::set<TableName> names;
  for (const sql::NameSpan& object : event.statement.objects)
    names.insert(selection_.route(object.name));
  for (const TableName& name : names) {
    Result<std::string> create = mysql::read_create_table(*session_, name);
    text += create.ok() ? create.value() : fmt::format("none ({})", create.error().server_code);
    Result<mysql::Rows> id = session_->query(
        fmt::format("SELECT TABLE_ID FROM information_schema.{} WHERE NAME = {}",
                    session_->facts().is_mariadb() ? "INNODB_SYS_TABLES" : "INNODB_TABLES",
                    quote_text(name.database + "/" + name.table)));
    if (id.ok() && !id.value().rows.empty()) text += id.value().rows[0][0].value_or("");
  }
  if (is_database_level(event.statement.kind)) {
    Result<mysql::Rows> row = session_->query(
        "SHOW CREATE DATABASE " + quote_name(selection_.route_database(event.statement.database)));
    text += row.ok() && !row.value().rows.empty() ? row.value().rows[0][1].value_or("") : "none";
  }
  const Hash128 digest = hash128(text);
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::vector<PlanPtr> DdlRunner::affected(const StatementEvent& event) const {
  std::vector<PlanPtr> plans;
  if (event.statement.kind == sql::Kind::drop_database) {
    for (const PlanPtr& plan : catalog_.all()) {
      if (plan->source.name.database == event.statement.database) plans.push_back(plan);
    }
  }
  for (const sql::NameSpan& object : event.statement.objects) {
    if (object.role == sql::NameRole::model || object.role == sql::NameRole::referenced) continue;
    if (PlanPtr plan = catalog_.find(object.name.database, object.name.table))
      plans.push_back(std::move(plan));
  }
  return plans;
}

Status DdlRunner::refresh(const StatementEvent& event) {
  const std::vector<PlanPtr> before = affected(event);
  const std::vector<sql::NameSpan>& objects = event.statement.objects;
  for (const PlanPtr& plan : before) catalog_.remove(plan->source.name);
  std::set<std::uint32_t> placed;
  // A rename moves the plan, its number and the state of its copy to the new name.
  std::map<TableName, PlanPtr> now;
  for (const PlanPtr& plan : before) now[plan->source.name] = plan;
  for (std::size_t i = 0; i + 1 < objects.size(); ++i) {
    const auto from = now.find(objects[i].name);
    if (objects[i + 1].role != sql::NameRole::new_name || from == now.end()) continue;
    PlanPtr moved = from->second;
    now.erase(from);
    now[objects[i + 1].name] = std::move(moved);
  }
  std::set<TableName> names;
  for (const sql::NameSpan& object : objects) {
    if (object.role != sql::NameRole::model && object.role != sql::NameRole::referenced)
      names.insert(object.name);
  }
  for (const auto& [name, plan] : now) names.insert(name);
  for (const TableName& name : names) {
    const PlanPtr origin = now.contains(name) ? now[name] : nullptr;
    if (Status done = refresh_table(name, origin); !done.ok()) return done;
    if (PlanPtr plan = catalog_.find(name.database, name.table)) placed.insert(plan->id);
  }
  for (const PlanPtr& plan : before) {
    ++plan->state->epoch;
    if (placed.contains(plan->id)) continue;
    selection_.dropped(plan->id);
    records_.push_back(drop_table_statement(progress_, plan->id));
    records_.push_back(drop_slices_statement(progress_, plan->id));
  }
  for (const PlanPtr& plan : dispatch::with_cascades(catalog_.all())) {
    const PlanPtr old = catalog_.find(plan->id);
    catalog_.put(plan);
    if (!plan->state->open() || plan->whole() == old->whole()) continue;
    if (Status anew = restart(*plan); !anew.ok()) return anew;
  }
  return Unit{};
}

Status DdlRunner::refresh_table(const TableName& source, const PlanPtr& origin) {
  const TableName target = selection_.route(source);
  Result<Table> table = mysql::read_table(*session_, target);
  if (!table.ok()) {
    if (table.error().code == Errc::lost || table.error().server_code == kNoSuchTable)
      return Unit{};
    return table.error();
  }
  Table shape = std::move(table).value();
  shape.name = source;
  if (shape.versioned) {
    return Error{Errc::unsupported,
                 fmt::format("{} became system-versioned: its history would be another at the "
                             "target; drop the versioning, or copy anew with --exclude",
                             source.to_string()),
                 0};
  }
  for (ForeignKey& key : shape.foreign_keys) {
    // Parents by the source's names, as row events will have them.
    for (const PlanPtr& plan : catalog_.all()) {
      if (plan->target == key.parent) key.parent = plan->source.name;
    }
  }
  auto state = origin != nullptr ? origin->state : std::make_shared<dispatch::TableState>();
  const std::uint32_t id = origin != nullptr ? origin->id : catalog_.next_id();
  const std::string key = key_signature(shape);
  Result<dispatch::ChangeFilterPtr> filter = selection_.filter(shape);
  if (!filter.ok()) return filter.error();
  const PlanPtr plan = dispatch::make_plan(id, std::move(shape), target, std::move(state),
                                           std::move(filter).value());
  catalog_.put(plan);
  records_.push_back(progress_.put_statement(record_of(*plan, key)));
  const auto before = keys_.find(id);
  if (before == keys_.end() || before->second == key) return Unit{};
  return restart(*plan);
}

// Where a slice stands is told by the key that it was cut by: under another one nobody knows which
// rows are at the target. So there are none, and the table is read from its beginning. The same
// where foreign keys make it one that is read whole.
Status DdlRunner::restart(const dispatch::TablePlan& plan) {
  if (selection_.restart == nullptr) return Unit{};
  log::info("copy", "{} is copied anew: its keys changed", plan.source.name.to_string());
  Result<std::vector<mysql::Outcome>> emptied = session_->execute_all(
      fmt::format("SET foreign_key_checks = 0;TRUNCATE TABLE {}.{}",
                  quote_name(plan.target.database), quote_name(plan.target.table)));
  if (!emptied.ok()) return emptied.error().within("empty " + plan.target.to_string());
  plan.state->rows_copied = plan.state->bytes_copied = 0;
  records_.push_back(drop_slices_statement(progress_, plan.id));
  records_.push_back(progress_.put_statement(selection_.restart(plan)));
  return Unit{};
}

}  // namespace wherry::sink
