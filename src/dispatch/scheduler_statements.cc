// The statements among transactions: DDL, XA outcomes, savepoints, what is ignored and what stops.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "dispatch/scheduler.h"
#include "support/ascii.h"

namespace wherry::dispatch {
namespace {

constexpr std::uint64_t kAnsiQuotes = 4;
constexpr std::uint64_t kNoBackslashEscapes = 1ULL << 20;

std::string place_of(const decode::Batch& batch, const decode::Group& group) {
  const decode::GtidRef& gtid = group.gtid;
  std::string text;
  if (gtid.number != 0) {
    text = batch.format->dialect == Dialect::mysql && !batch.gtid_sources.empty()
               ? fmt::format("{}:{}", batch.gtid_sources[gtid.source], gtid.number)
               : fmt::format("{}-{}-{}", gtid.domain, gtid.server, gtid.number);
  }
  return fmt::format("{}:{} ({})", batch.file, group.end_offset, text);
}

bool is_query(decode::EventType type) {
  return type == decode::EventType::query || type == decode::EventType::mariadb_query_compressed;
}

bool inside_transaction(sql::Kind kind) {
  return kind == sql::Kind::savepoint || kind == sql::Kind::rollback_to_savepoint ||
         kind == sql::Kind::release_savepoint;
}

}  // namespace

Result<bool> Scheduler::on_statements(const SharedWork& work, std::uint32_t index,
                                      bool& one_by_one) {
  const decode::Batch& batch = *work->batch;
  const decode::Group& group = batch.groups[index];
  bool handled = false;
  for (std::uint32_t i = group.first_event; i < group.first_event + group.event_count; ++i) {
    const decode::EventRef& event = batch.events[i];
    if (!is_query(event.type)) continue;
    StatementEvent statement;
    Result<decode::QueryView> query =
        decode::decode_query(batch.header(event), batch.body(event), *batch.format);
    if (!query.ok()) return query.error();
    statement.query = std::move(query).value();
    statement.cseq = group.cseq;
    statement.timestamp = event.timestamp;
    statement.position = place_of(batch, group);
    const std::uint64_t mode = statement.query.sql_mode.value_or(0);
    statement.mode = {options_.dialect, (mode & kAnsiQuotes) != 0,
                      (mode & kNoBackslashEscapes) != 0};
    statement.statement =
        sql::classify(statement.query.statement, statement.query.database, statement.mode);
    for (sql::NameSpan& object : statement.statement.objects) {
      if (!options_.fold_names) break;
      object.name = {ascii::lower(object.name.database), ascii::lower(object.name.table)};
    }
    if (inside_transaction(statement.statement.kind)) {
      one_by_one = true;
      continue;
    }
    Result<bool> done = on_statement(work, index, std::move(statement));
    if (!done.ok()) return done.error();
    handled |= done.value();
  }
  return handled;
}

// True: the group needs nothing more.
Result<bool> Scheduler::on_statement(const SharedWork& work, std::uint32_t index,
                                     StatementEvent event) {
  const decode::Batch& batch = *work->batch;
  const decode::Group& group = batch.groups[index];
  const sql::Kind kind = event.statement.kind;
  if (kind == sql::Kind::xa_commit || kind == sql::Kind::xa_rollback)
    return on_xa_end(work, index, event);
  const auto policy = options_.policies.find(kind);
  switch (policy == options_.policies.end() ? event.statement.policy : policy->second) {
    case sql::Policy::control:
      return false;
    case sql::Policy::ignore:
      count_ignored(std::string(sql::to_string(kind)));
      break;
    case sql::Policy::apply: {
      if (group.alter_start) break;  // announced; it runs at its COMMIT
      event.rows_follow = group.event_count > 1 && group.end != decode::GroupEnd::statement;
      Result<bool> ran = on_ddl(event);
      if (!ran.ok()) return ran.error();
      if (ran.value()) scan_.bar_open(batch, group);
      if (event.rows_follow) return false;
      if (ran.value()) {
        links_.board.scheduled(batch, group, true);
        return true;
      }
      break;
    }
    case sql::Policy::stop: {
      bool crosses = false;
      if (!event.statement.objects.empty() && !touches_followed(event.statement, crosses)) {
        count_ignored(std::string(sql::to_string(kind)));
        break;
      }
      return Error{
          Errc::unsupported,
          fmt::format("the source's binlog holds a statement that cannot be followed, at {}: {}",
                      event.position, sql::printable(event.statement, event.query.statement)),
          0};
    }
  }
  if (group.end == decode::GroupEnd::statement) {
    finish(batch, group);
    return true;
  }
  return false;
}

bool Scheduler::touches_followed(const sql::Statement& statement, bool& crosses) const {
  bool any = false;
  bool all = true;
  for (const sql::NameSpan& object : statement.objects) {
    if (object.role == sql::NameRole::referenced)
      continue;  // a parent named by a foreign key stays as it is
    const bool followed = links_.statements.follows(object.name);
    any |= followed;
    all &= followed;
  }
  if (statement.objects.empty()) any = all = links_.statements.follows_database(statement.database);
  crosses = any && !all;
  return any;
}

// True: it ran. False: it is none of ours.
Result<bool> Scheduler::on_ddl(const StatementEvent& event) {
  bool crosses = false;
  if (!touches_followed(event.statement, crosses)) {
    count_ignored(fmt::format("{} of other tables", sql::to_string(event.statement.kind)));
    return false;
  }
  if (crosses) {
    return Error{
        Errc::unsupported,
        fmt::format("a statement touches tables inside and outside the selection, at {}: {}; copy "
                    "all of them, or none",
                    event.position, sql::printable(event.statement, event.query.statement)),
        0};
  }
  // A table that is held takes its rows from before the statement.
  Touched touched;
  for (const PlanPtr& plan : links_.catalog.all()) touched.tables.insert(plan->id);
  if (Status waited = wait_while_held(touched); !waited.ok()) return waited.error();
  let_through(event.cseq);
  if (!router_.drain() || !links_.board.wait_for_fence({event.cseq}))
    return Error{Errc::interrupted, "the run ends", 0};
  Status ran = links_.statements.run(event);
  if (!ran.ok()) return ran.error();
  return true;
}

Status Scheduler::prepare_xa(const SharedWork& work, std::uint32_t index) {
  const decode::Batch& batch = *work->batch;
  const decode::Group& group = batch.groups[index];
  if (Status resolved = scan_.resolve(*work, group); !resolved.ok()) return resolved;
  const decode::EventRef& last = batch.events[group.first_event + group.event_count - 1];
  Result<decode::XaPrepare> prepare = decode::decode_xa_prepare(batch.body(last));
  if (!prepare.ok()) return prepare.error();
  prepared_[prepare.value().xid] = {work, index};
  // Not done: no resume point passes a transaction that only memory holds.
  links_.board.scheduled(batch, group, false);
  return Unit{};
}

Result<bool> Scheduler::on_xa_end(const SharedWork& work, std::uint32_t index,
                                  const StatementEvent& event) {
  const decode::Batch& batch = *work->batch;
  const decode::Group& group = batch.groups[index];
  const auto found = prepared_.find(event.statement.xid);
  const bool commits = event.statement.kind == sql::Kind::xa_commit;
  if (found == prepared_.end()) {
    if (!commits) {
      finish(batch, group);
      return true;
    }
    return Error{
        Errc::unsupported,
        fmt::format(
            "XA COMMIT {} at {}: its rows were logged before this run began and are not known",
            event.statement.xid, event.position),
        0};
  }
  const Prepared prepared = found->second;
  prepared_.erase(found);
  const decode::Group& rows = prepared.work->batch->groups[prepared.index];
  Result<Touched> touched = Touched{};
  if (commits) {
    // A snapshot between PREPARE and COMMIT does not show the rows: they change here.
    touched = scan_.scan(*prepared.work, rows, {batch, group});
    if (!touched.ok()) return touched.error();
    if (Status waited = wait_while_held(touched.value()); !waited.ok()) return waited.error();
    if (Status noted = read_moved_again(touched.value()); !noted.ok()) return noted.error();
  }
  counters_.filtered += touched.value().filtered;
  const bool runs = commits && touched.value().followed;
  links_.board.scheduled(batch, group, !runs);
  if (!runs) {
    links_.board.committed(0, 0, {rows.cseq});
    return true;
  }
  counters_.changes += touched.value().rows;
  Work piece = make_work(prepared.work, prepared.index, touched.value().one_by_one);
  piece.also_cseq = group.cseq;
  router_.send(std::move(piece), touched.value(),
               touched.value().one_by_one ? 0 : LaneRouter::kAnyLane);
  return true;
}

}  // namespace wherry::dispatch
