#include "copy/chunk_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "copy/chunk_rows.h"
#include "mysql/binlog_position.h"
#include "source/binlog_dump.h"
#include "support/ascii.h"
#include "support/log.h"

namespace wherry::copy {

using dispatch::Chunk;
using dispatch::PlanPtr;
using dispatch::SnapshotPoint;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kTableDefinitionChanged = 1412;
constexpr unsigned kUnknownColumn = 1054;
constexpr unsigned kNoSuchTable = 1146;
constexpr unsigned kNoSuchIndex = 1176;
constexpr unsigned kFailuresMax = 50;  // in a row, with pauses: far more than any passing trouble
constexpr unsigned kHoldTriesUnlocked =
    3;  // of a table without a key, before its writers are stopped for a moment

Result<std::string> status_value(const mysql::Rows& rows, std::string_view name) {
  for (const auto& row : rows.rows) {
    if (ascii::same(row[0].value_or(""), name)) return row[1].value_or("");
  }
  return Error{Errc::unsupported, fmt::format("the source does not report {}", name), 0};
}

Hash128 identity_of(const dispatch::TablePlan& plan, const Key& key) {
  std::vector<dispatch::KeyValue> values(plan.source.columns.size());
  for (std::size_t i = 0; i < key.size(); ++i) values[plan.key[i]].text = key[i];
  return dispatch::KeyReader::identity(plan, values);
}

}  // namespace

Status ChunkReader::run() {
  while (!stopping_ && !links_.slices.all_committed()) {
    if (!links_.may_read()) return Unit{};
    std::optional<Slice> slice = links_.slices.take(100ms);
    if (!slice) continue;
    Status done = read_slice(*slice);
    if (done.ok()) {
      failures_ = 0;
      continue;
    }
    if (stopping_) return Unit{};
    links_.slices.again(slice->id);
    if (!may_heal(done.error()) || ++failures_ > kFailuresMax)
      return done.error().within("snapshot");
    log::debug("copy", "a chunk is read again: {}", done.error().what);
    std::this_thread::sleep_for(
        std::min<std::chrono::milliseconds>(2000ms, 10ms * (1U << std::min(failures_, 8U))));
  }
  return Unit{};
}

// A lost connection heals; so does a definition that the stream has not caught up with yet.
bool ChunkReader::may_heal(const Error& error) const {
  if (error.code == Errc::network || error.code == Errc::timeout || error.code == Errc::conflict)
    return true;
  const unsigned code = error.server_code;
  return code == kTableDefinitionChanged || code == kUnknownColumn || code == kNoSuchTable ||
         code == kNoSuchIndex || code == 1205 || code == 1213 || code == 1317;
}

Status ChunkReader::read_slice(const Slice& slice) {
  const PlanPtr plan = links_.catalog.find(slice.id.table);
  if (plan == nullptr)
    return Error{Errc::conflict, fmt::format("table {} is no longer followed", slice.id.table), 0};
  if (plan->source.columns.empty())
    return Error{Errc::conflict, plan->source.name.to_string() + " is about to change", 0};
  return slice.whole ? read_whole(plan, slice) : read_keyed(plan, slice);
}

std::uint64_t ChunkReader::rows_wanted(const dispatch::TablePlan& plan) const {
  if (const std::uint64_t rows = links_.chunk_rows(); rows != 0) return rows;
  const std::uint64_t average =
      plan.source.rows_estimate == 0
          ? 256
          : std::max<std::uint64_t>(1, plan.source.data_bytes_estimate / plan.source.rows_estimate);
  return std::clamp<std::uint64_t>(options_.chunk_bytes / average, 1, 50000);
}

Result<SnapshotPoint> ChunkReader::open_snapshot(const source::Lease& lease,
                                                 mysql::Session& session) {
  SnapshotPoint point;
  const bool mariadb = session.facts().is_mariadb();
  if (mariadb) {
    Result<mysql::Outcome> opened =
        session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    if (!opened.ok()) return opened.error();
    Result<mysql::Rows> status = session.query("SHOW STATUS LIKE 'binlog_snapshot_%'");
    if (!status.ok()) return status.error();
    Result<std::string> file = status_value(status.value(), "binlog_snapshot_file");
    Result<std::string> offset = status_value(status.value(), "binlog_snapshot_position");
    if (!file.ok()) return file.error();
    if (!offset.ok()) return offset.error();
    point.exact = true;
    point.high = {file.value(), std::strtoull(offset.value().c_str(), nullptr, 10)};
    return point;
  }
  if (options_.by_gtid) {
    // The executed set before is never ahead of the read; the file and position after cover all of
    // it.
    Result<mysql::Rows> low = session.query("SELECT @@GLOBAL.gtid_executed");
    if (!low.ok()) return low.error();
    point.low = low.value().rows.at(0)[0].value_or("");
    Result<mysql::Outcome> opened =
        session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    if (!opened.ok()) return opened.error();
    Result<Position> high = mysql::current_position(session);
    if (!high.ok()) return high.error();
    point.high = high.value().file;
    return point;
  }
  // Without GTIDs only a moment without commits gives a point.
  Result<source::SourceSession> locker = lease.session();
  if (!locker.ok()) return locker.error();
  Result<mysql::Outcome> locked = locker.value()->execute("FLUSH TABLES WITH READ LOCK");
  if (!locked.ok())
    return locked.error().within("a position by file on MySQL needs a momentary global read lock");
  Result<mysql::Outcome> opened =
      session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  Result<Position> at = mysql::current_position(*locker.value());
  Result<mysql::Outcome> unlocked = locker.value()->execute("UNLOCK TABLES");
  if (!unlocked.ok()) locker.value().spoil();
  if (!opened.ok()) return opened.error();
  if (!at.ok()) return at.error();
  if (!unlocked.ok()) return unlocked.error();
  point.exact = true;
  point.high = at.value().file;
  return point;
}

// A row that alone is a large part of a budget is taken into memory once no other such row is
// there. False: the run ends.
bool ChunkReader::admit(Chunk& chunk, const mysql::FieldView* fields, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < width; ++i) bytes += fields[i].size;
  if (bytes >= options_.chunk_bytes_max && !chunk.large) {
    chunk.large = links_.large_budget.charge(1);
    if (!chunk.large) stopping_ = true;
  }
  return !stopping_;
}

Status ChunkReader::read_keyed(const PlanPtr& plan, const Slice& slice) {
  auto chunk = std::make_shared<Chunk>();
  chunk->charge = links_.budget.charge(options_.chunk_bytes);
  if (!chunk->charge) return Unit{};
  chunk->plan = plan;
  chunk->slice = slice.id;
  chunk->epoch = plan->state->epoch.load(std::memory_order_acquire);
  plan->state->started.store(true, std::memory_order_release);
  // The epoch must be this plan's: a DDL raises it before and after it replaces the plan.
  if (links_.catalog.find(slice.id.table) != plan)
    return Error{Errc::conflict, "the table is changing", 0};
  const source::Lease lease = links_.runtime.lease();
  chunk->generation = lease.generation().number();
  Result<source::SourceSession> session = lease.session();
  if (!session.ok()) return session.error();
  Result<SnapshotPoint> point = open_snapshot(lease, *session.value());
  if (!point.ok()) {
    session.value().spoil();
    return point.error().within("open a snapshot");
  }
  chunk->point = std::move(point).value();
  const std::uint64_t wanted =
      slice.only.empty() ? rows_wanted(*plan) : std::uint64_t{slice.only.size()} + 1;
  for (const Key& key : slice.only) chunk->wanted.push_back(identity_of(*plan, key));
  ChunkRows rows(*plan);
  bool cut = false;
  Status added = Unit{};
  const auto taken = [&] { return chunk->rows + chunk->filtered; };
  Status read = session.value()->stream(select_next(*plan, slice, wanted),
                                        [&](const mysql::FieldView* fields, std::size_t width) {
                                          if (!admit(*chunk, fields, width)) return false;
                                          added = rows.add(*chunk, fields);
                                          if (!added.ok()) return false;
                                          cut = chunk->lines.size() >= options_.chunk_bytes_max &&
                                                taken() < wanted && slice.only.empty();
                                          if (cut) session.value().spoil();
                                          return !cut && !stopping_;
                                        });
  if (!added.ok()) {
    session.value().spoil();
    return added;
  }
  if (read.ok() && !cut) {
    if (Result<mysql::Outcome> closed = session.value()->execute("ROLLBACK"); !closed.ok())
      session.value().spoil();
  } else {
    session.value().spoil();
  }
  if (!read.ok()) return read.error().within("read " + plan->source.name.to_string());
  chunk->last = !cut && taken() < wanted;
  if (taken() > 0) chunk->last_key = rows.last_key();
  chunk->charge.resize(chunk->byte_size());
  links_.read(taken(), chunk->lines.size());
  links_.inbox.put(std::move(chunk));
  return Unit{};
}

// Fixes the point of the stream where a table without a key takes its place: changes of it wait
// there.
Status ChunkReader::hold(const PlanPtr& plan, const source::Lease& lease, mysql::Session& session,
                         SnapshotPoint& point) {
  for (unsigned attempt = 0; !stopping_; ++attempt) {
    std::optional<source::SourceSession> locker;
    if (attempt >= kHoldTriesUnlocked) {
      Result<source::SourceSession> lent = lease.session();
      if (!lent.ok()) return lent.error();
      locker.emplace(std::move(lent).value());
      locker->spoil();
      Result<mysql::Outcome> locked = (*locker)->execute(
          fmt::format("LOCK TABLES {}.{} READ", quote_name(plan->source.name.database),
                      quote_name(plan->source.name.table)));
      if (!locked.ok())
        return locked.error().within(fmt::format(
            "{} has no key and changes all the time; LOCK TABLES is needed for a moment",
            plan->source.name.to_string()));
    }
    Result<SnapshotPoint> opened = open_snapshot(lease, session);
    if (!opened.ok()) return opened.error();
    point = opened.value();
    point.settled = locker.has_value();
    auto request = std::make_shared<dispatch::HoldRequest>();
    request->plan = plan;
    request->point = point;
    if (!links_.inbox.put(request)) return Error{Errc::interrupted, "the run ends", 0};
    while (!stopping_ && !request->answer.wait_for(200ms, [](auto answer) {
      return answer != dispatch::HoldRequest::Answer::none;
    })) {
    }
    if (request->answer.read([](auto answer) { return answer; }) ==
        dispatch::HoldRequest::Answer::granted)
      return Unit{};
    if (Result<mysql::Outcome> closed = session.execute("ROLLBACK"); !closed.ok())
      return closed.error();
  }
  return Error{Errc::interrupted, "the run ends", 0};
}

Status ChunkReader::read_whole(const PlanPtr& plan, const Slice& slice) {
  const std::uint64_t epoch = plan->state->epoch.load(std::memory_order_acquire);
  const source::Lease lease = links_.runtime.lease();
  Result<source::SourceSession> session = lease.session();
  if (!session.ok()) return session.error();
  session.value().spoil();
  SnapshotPoint point;
  if (Status held = hold(plan, lease, *session.value(), point); !held.ok()) return held;
  const auto begin = [&]() -> std::shared_ptr<Chunk> {
    auto chunk = std::make_shared<Chunk>();
    chunk->charge = links_.whole_budget.charge(options_.chunk_bytes);
    chunk->plan = plan;
    chunk->slice = slice.id;
    chunk->epoch = epoch;
    chunk->generation = lease.generation().number();
    chunk->point = point;
    chunk->whole = true;
    chunk->opaque = true;
    return chunk;
  };
  std::shared_ptr<Chunk> chunk = begin();
  ChunkRows rows(*plan);
  Status added = Unit{};
  Status read =
      session.value()->stream(select_all(*plan), [&](const mysql::FieldView* fields, std::size_t) {
        added = rows.add(*chunk, fields);
        if (!added.ok()) return false;
        if (chunk->lines.size() < options_.chunk_bytes) return !stopping_.load();
        links_.read(chunk->rows, chunk->lines.size());
        chunk->charge.resize(chunk->byte_size());
        if (!links_.inbox.put(std::move(chunk))) stopping_ = true;
        chunk = begin();
        return !stopping_.load();
      });
  if (stopping_) return Unit{};
  if (!added.ok()) return added;
  // Part of the rows may be placed: only a fresh start of the table could mend it.
  if (!read.ok())
    return Error{
        Errc::lost,
        fmt::format(
            "the only snapshot of {} (a table without a key) broke: {}; resume to copy it again",
            plan->source.name.to_string(), read.error().what),
        0};
  chunk->last = true;
  chunk->charge.resize(chunk->byte_size());
  links_.read(chunk->rows, chunk->lines.size());
  links_.inbox.put(std::move(chunk));
  return Unit{};
}

}  // namespace wherry::copy
