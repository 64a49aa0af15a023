#include "feed/stream_walk.h"

#include <fmt/core.h>

#include "feed/event_filter.h"

namespace wherry::feed {
namespace {

using decode::EventRole;
using decode::EventType;

constexpr std::uint64_t kAnsiQuotes = 4;
constexpr std::uint64_t kNoBackslashEscapes = 1ULL << 20;

std::string gtid_text(const decode::Group& group, std::string_view source) {
  if (group.gtid.number == 0) return "";
  if (!source.empty()) return fmt::format("{}:{}", source, group.gtid.number);
  return fmt::format("{}-{}-{}", group.gtid.domain, group.gtid.server, group.gtid.number);
}

bool is_query(EventType type) {
  return type == EventType::query || type == EventType::mariadb_query_compressed;
}

}  // namespace

StreamWalk::StreamWalk(store::Log& log, const StreamPoint& from, const TableRules& rules,
                       XaBook& book, const StreamWalkOptions& options)
    : log_(log),
      rules_(rules),
      book_(book),
      options_(options),
      from_(from),
      done_(from.cseq - 1),
      tables_(rules, options.only) {
  BatchReaderOptions reading = options.reader;
  reading.wanted = [filter = std::make_shared<EventFilter>(rules, options.only)](
                       const store::Event& event) { return filter->wants(event); };
  reader_ = std::make_unique<BatchReader>(log, from.cseq - 1, reading);
}

StreamWalk::~StreamWalk() = default;

Result<const StreamStep*> StreamWalk::next(std::chrono::milliseconds wait) {
  if (batch_ == nullptr || place_.group == batch_->groups.size()) {
    Result<std::unique_ptr<decode::Batch>> batch = reader_->next(wait);
    if (!batch.ok()) return batch.error();
    batch_ = std::move(batch).value();
    place_.group = 0;
    if (batch_ == nullptr) return nullptr;
  }
  for (; place_.group < batch_->groups.size(); ++place_.group, place_.event = 0) {
    const decode::Group& group = batch_->groups[place_.group];
    if (group.opens && place_.event == 0) place_.learned = place_.followed = false;
    Result<bool> stop = walk(group);
    if (!stop.ok()) return stop.error();
    if (stop.value()) return &step_;
    if (group.closes) done_ = group.cseq;
  }
  return nullptr;
}

// True: up to a step that is to be looked at. False: to the end of the group.
Result<bool> StreamWalk::walk(const decode::Group& group) {
  while (prepared_ != nullptr || place_.event < group.event_count) {
    if (prepared_ != nullptr) {
      Result<bool> stop = take_prepared();
      if (!stop.ok() || stop.value()) return stop;
      prepared_.reset();
      continue;
    }
    if (!place_.learned) {
      if (Status learned = learn(group); !learned.ok()) return learned.error();
    }
    const std::uint32_t index = group.first_event + place_.event++;
    place_.number = batch_->numbers[index];
    Result<bool> stop = take(batch_->events[index]);
    if (!stop.ok()) return stop.error().within(step_.position);
    if (stop.value()) return true;
  }
  return false;
}

// What all steps of a group say. Most groups of a busy source have none for this walk.
Status StreamWalk::learn(const decode::Group& group) {
  place_.learned = true;
  place_.facts = group;
  std::string source;
  if (!group.closes) {
    Result<CommitFacts> facts = commit_of(log_, group.cseq);
    if (!facts.ok()) return facts.error();
    place_.facts = facts.value().group;
    source = facts.value().gtid_source;
  } else if (group.gtid.number != 0 && group.gtid.source < batch_->gtid_sources.size()) {
    source = batch_->gtid_sources[group.gtid.source];
  }
  step_.origin = {group.cseq, place_.facts.commit_us, gtid_text(place_.facts, source)};
  step_.position =
      fmt::format("{}:{} ({})", batch_->file, place_.facts.end_offset, step_.origin.gtid);
  return Unit{};
}

// True: the step is to be looked at.
Result<bool> StreamWalk::take(const decode::EventRef& event) {
  step_.at = {step_.origin.cseq, place_.number};
  step_.batch = batch_.get();
  step_.event = &event;
  step_.table = nullptr;
  if (is_query(event.type)) return take_statement(event);
  switch (decode::role_of(event.type, event.flags)) {
    case EventRole::table_map: {
      Status taken = tables_.table_map(batch_->body(event), batch_->format);
      if (!taken.ok()) return taken.error();
      return false;
    }
    case EventRole::rows:
      return take_rows(event);
    case EventRole::transaction:
      if (event.type != EventType::xa_prepare || !keeps_book() ||
          place_.facts.end != decode::GroupEnd::xa_prepare)
        return false;
      break;
    case EventRole::frame:
    case EventRole::payload:
    case EventRole::statement_rows:
    case EventRole::harmless:
    case EventRole::unknown:
      return false;
  }
  Result<decode::XaPrepare> prepare = decode::decode_xa_prepare(batch_->body(event));
  if (!prepare.ok()) return prepare.error();
  book_.prepared(prepare.value().xid, step_.origin.cseq);
  return false;
}

Result<bool> StreamWalk::take_rows(const decode::EventRef& event) {
  if (place_.facts.end == decode::GroupEnd::xa_prepare && !options_.prepared_rows) return false;
  Result<std::uint64_t> id =
      decode::RowsReader::table_id(batch_->header(event), batch_->body(event), *batch_->format);
  if (!id.ok()) return id.error();
  Result<dispatch::RowTablePtr> table = tables_.find(id.value());
  if (!table.ok()) return table.error();
  if (table.value() == nullptr) return false;
  if (place_.facts.end == decode::GroupEnd::rollback) {
    return Error{Errc::unsupported,
                 fmt::format("a transaction that changed {} was rolled back in part; which of its "
                             "rows stayed cannot be told",
                             table.value()->source.to_string()),
                 0};
  }
  place_.followed = true;
  if (step_.at < from_) return false;
  step_.kind = StreamStep::Kind::rows;
  step_.table = std::move(table).value();
  return true;
}

Result<bool> StreamWalk::take_statement(const decode::EventRef& event) {
  if (options_.prepared_rows || place_.facts.alter_start) return false;
  Result<decode::QueryView> query =
      decode::decode_query(batch_->header(event), batch_->body(event), *batch_->format);
  if (!query.ok()) return query.error();
  const std::uint64_t mode = query.value().sql_mode.value_or(0);
  step_.statement = sql::classify(
      query.value().statement, query.value().database,
      {batch_->format->dialect, (mode & kAnsiQuotes) != 0, (mode & kNoBackslashEscapes) != 0});
  const sql::Kind kind = step_.statement.kind;
  if (kind == sql::Kind::xa_commit || kind == sql::Kind::xa_rollback) {
    Status taken = take_xa(step_.statement);
    if (!taken.ok()) return taken.error();
    return false;
  }
  if (kind == sql::Kind::rollback_to_savepoint && place_.followed) {
    return Error{Errc::unsupported,
                 fmt::format("{} takes back rows that were logged before it",
                             sql::printable(step_.statement, query.value().statement)),
                 0};
  }
  if (step_.statement.policy == sql::Policy::control || step_.at < from_) return false;
  step_.kind = StreamStep::Kind::statement;
  step_.text = query.value().statement;
  step_.database = query.value().database;
  return true;
}

Status StreamWalk::take_xa(const sql::Statement& statement) {
  if (statement.kind == sql::Kind::xa_rollback) {
    if (keeps_book()) book_.rolled_back(statement.xid);
    return Unit{};
  }
  const auto rows = book_.committed(statement.xid, step_.origin.cseq);
  if (!rows) {
    return Error{
        Errc::unsupported,
        fmt::format("XA COMMIT {}: its rows were logged before this feed began and are not "
                    "known",
                    statement.xid),
        0};
  }
  StreamWalkOptions options = options_;
  options.prepared_rows = true;
  prepared_ = std::make_unique<StreamWalk>(log_, StreamPoint{*rows, 0}, rules_, book_, options);
  return Unit{};
}

// True: a row event of the XA transaction that commits here. False: there are no more.
Result<bool> StreamWalk::take_prepared() {
  while (prepared_->done() < prepared_->from_.cseq) {
    Result<const StreamStep*> step = prepared_->next(std::chrono::milliseconds(0));
    if (!step.ok()) return step.error().within("rows of an XA transaction");
    if (step.value() == nullptr) continue;
    if (step.value()->at.cseq != prepared_->from_.cseq) break;
    // Numbers behind the COMMIT's own, the same for a walk that sees the rows of one table only.
    step_.at = {step_.origin.cseq, place_.number + 1 + step.value()->at.row};
    if (step_.at < from_) continue;
    step_.kind = StreamStep::Kind::rows;
    step_.table = step.value()->table;
    step_.batch = step.value()->batch;
    step_.event = step.value()->event;
    return true;
  }
  return false;
}

}  // namespace wherry::feed
