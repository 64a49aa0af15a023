#include "sink/mysql/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "support/hash.h"

namespace wherry::sink {
namespace {

// MySQL takes no longer ones.
std::string lock_text(const std::string& name) {
  constexpr std::size_t kNameMax = 64;
  return name.size() <= kNameMax ? name : fmt::format("wherry.{:016x}", hash64(name));
}

std::uint64_t number_of(const mysql::Field& field) {
  return std::strtoull(field.value_or("0").c_str(), nullptr, 10);
}

}  // namespace

std::string to_text(const Ranges& ranges) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    if (first == last) {
      fmt::format_to(out, "{}", first);
    } else {
      fmt::format_to(out, "{}-{}", first, last);
    }
  }
  return text;
}

Ranges parse_ranges(std::string_view text) {
  Ranges ranges;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::uint64_t first = 0;
    at = std::from_chars(at, end, first).ptr;
    std::uint64_t last = first;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    ranges.emplace_back(first, last);
    if (at < end && *at != ',') break;
    ++at;
  }
  return ranges;
}

void add_to(Ranges& ranges, std::uint64_t number) {
  if (!ranges.empty() && ranges.back().second + 1 == number) {
    ranges.back().second = number;
    return;
  }
  if (ranges.empty() || ranges.back().second < number) {
    ranges.emplace_back(number, number);
    return;
  }
  // Out of order: an XA transaction that was prepared before and runs now.
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), std::pair(number, ~std::uint64_t{0}));
  if (after != ranges.begin() && std::prev(after)->second >= number) return;
  ranges.insert(after, {number, number});
}

void drop_through(Ranges& ranges, std::uint64_t number) {
  const auto keep = std::find_if(ranges.begin(), ranges.end(),
                                 [&](const auto& range) { return range.second > number; });
  ranges.erase(ranges.begin(), keep);
  if (!ranges.empty() && ranges.front().first <= number) ranges.front().first = number + 1;
}

void LaneRecord::add_done(std::uint64_t cseq, const std::string& identity) {
  if (done.empty() || cseq > done.back().second) done_last = identity;
  add_to(done, cseq);
}

void LaneRecord::drop_done(std::uint64_t through) {
  drop_through(done, through);
  if (done.empty()) done_last.clear();
}

std::string done_text(const LaneRecord& record) {
  std::string text = to_text(record.done);
  if (!record.done_last.empty()) text += "=" + record.done_last;
  return text;
}

void parse_done(std::string_view text, LaneRecord& into) {
  const std::size_t equals = std::min(text.find('='), text.size());
  into.done = parse_ranges(text.substr(0, equals));
  into.done_last = text.substr(std::min(equals + 1, text.size()));
}

std::string Progress::table(std::string_view name) const {
  return quote_name(database_) + "." + quote_name(name);
}

Status Progress::create(mysql::Session& session) const {
  const std::vector<std::string> statements = {
      fmt::format("CREATE DATABASE IF NOT EXISTS {} CHARACTER SET utf8mb4", quote_name(database_)),
      fmt::format(
          "CREATE TABLE IF NOT EXISTS {} (job VARCHAR(64) NOT NULL, kind VARCHAR(16) NOT NULL, "
          "name VARCHAR(255) NOT NULL, "
          "epoch BIGINT UNSIGNED NOT NULL DEFAULT 0, seq BIGINT UNSIGNED NOT NULL DEFAULT 0, "
          "connection BIGINT UNSIGNED NOT NULL DEFAULT 0, low_cseq BIGINT UNSIGNED NOT NULL "
          "DEFAULT 0, "
          "low_file VARCHAR(512) NOT NULL DEFAULT '', low_offset BIGINT UNSIGNED NOT NULL DEFAULT "
          "0, low_gtid LONGTEXT, "
          "low_commit_us BIGINT UNSIGNED NOT NULL DEFAULT 0, last_gtid VARCHAR(255) NOT NULL "
          "DEFAULT '', done LONGTEXT, "
          "body LONGTEXT, updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE "
          "CURRENT_TIMESTAMP(6), "
          "PRIMARY KEY (job, kind, name)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 "
          "COLLATE=utf8mb4_bin",
          table("progress")),
      fmt::format(
          "CREATE TABLE IF NOT EXISTS {} (job VARCHAR(64) NOT NULL, cseq BIGINT UNSIGNED NOT NULL, "
          "state VARCHAR(16) NOT NULL, "
          "statement LONGTEXT, position VARCHAR(512) NOT NULL DEFAULT '', before_state LONGTEXT, "
          "updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE "
          "CURRENT_TIMESTAMP(6), PRIMARY KEY (job)) "
          "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
          table("ddl_progress")),
      fmt::format("CREATE TABLE IF NOT EXISTS {} (job VARCHAR(64) NOT NULL, epoch BIGINT UNSIGNED "
                  "NOT NULL, owner VARCHAR(255) NOT NULL, "
                  "taken TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), PRIMARY KEY (job)) "
                  "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 "
                  "COLLATE=utf8mb4_bin",
                  table("lease"))};
  for (const std::string& statement : statements) {
    Result<mysql::Outcome> done = session.execute(statement);
    if (!done.ok()) return done.error().within("create the progress tables at the target");
  }
  return Unit{};
}

Result<std::optional<SavedProgress>> Progress::load(mysql::Session& session) const {
  constexpr unsigned kUnknownDatabase = 1049;
  constexpr unsigned kNoSuchTable = 1146;
  Result<mysql::Rows> lease =
      session.query(fmt::format("SELECT epoch FROM {} WHERE job = '{}'", table("lease"), job_));
  if (!lease.ok()) {
    if (lease.error().server_code == kNoSuchTable || lease.error().server_code == kUnknownDatabase)
      return std::optional<SavedProgress>();
    return lease.error().within("read the saved progress");
  }
  if (lease.value().rows.empty()) return std::optional<SavedProgress>();
  SavedProgress saved;
  saved.epoch = number_of(lease.value().rows[0][0]);
  Result<mysql::Rows> rows =
      session.query(fmt::format("SELECT kind, name, seq, connection, low_cseq, low_file, "
                                "low_offset, low_gtid, low_commit_us, last_gtid, done, body "
                                "FROM {} WHERE job = '{}' ORDER BY kind, name",
                                table("progress"), job_));
  if (!rows.ok()) return rows.error().within("read the saved progress");
  for (const auto& row : rows.value().rows) {
    if (row[0].value_or("") != "lane") {
      saved.records.push_back({row[0].value_or(""), row[1].value_or(""), row[11].value_or("")});
      continue;
    }
    LaneRecord lane;
    lane.lane = static_cast<unsigned>(number_of(row[1]));
    lane.seq = number_of(row[2]);
    lane.connection = number_of(row[3]);
    lane.low.cseq = number_of(row[4]);
    lane.low.position.file = {row[5].value_or(""), number_of(row[6])};
    lane.low.position.gtid = row[7].value_or("");
    lane.low.commit_us = number_of(row[8]);
    lane.low.gtid = row[9].value_or("");
    parse_done(row[10].value_or(""), lane);
    saved.lanes.push_back(std::move(lane));
  }
  return std::optional<SavedProgress>(std::move(saved));
}

std::string Progress::lock_name() const {
  return quote_text(lock_text(fmt::format("{}.{}", database_, job_)));
}

Error Progress::held_by_another(mysql::Session& session) const {
  Result<mysql::Rows> holder = session.query(fmt::format("SELECT IS_USED_LOCK({})", lock_name()));
  const std::string id = holder.ok() ? holder.value().rows.at(0)[0].value_or("?") : "?";
  return {Errc::refused,
          fmt::format("another run holds the lease {} at the target (its connection there is {}); "
                      "stop it first, or use another --meta-database",
                      table("lease"), id),
          0};
}

Status Progress::end_predecessor(mysql::Session& session, unsigned lane) const {
  // The lock tells which session it is: connection numbers begin anew with each start of a server.
  Result<mysql::Rows> holder =
      session.query(fmt::format("SELECT IS_USED_LOCK({})", lane_lock(lane)));
  if (!holder.ok()) return holder.error().within("look for a lost session of the lane");
  if (!holder.value().rows.at(0)[0]) return Unit{};
  // It may end by itself in this very moment: whether it is gone shows when its lock is taken.
  (void)session.execute("KILL " + *holder.value().rows[0][0]);
  return Unit{};
}

Status Progress::own_lane(mysql::Session& session, unsigned lane) const {
  if (Status ended = end_predecessor(session, lane); !ended.ok()) return ended;
  Result<mysql::Rows> taken =
      session.query(fmt::format("SELECT GET_LOCK({}, 30)", lane_lock(lane)));
  if (!taken.ok()) return taken.error().within("take the lane's lock");
  if (taken.value().rows.at(0)[0].value_or("0") == "1") return Unit{};
  return Error{Errc::network, "a lost session of the lane still lives at the target", 0};
}

std::string Progress::lane_lock(unsigned lane) const {
  return quote_text(lock_text(fmt::format("{}.{}.{}", database_, job_, lane)));
}

Status Progress::require_free(mysql::Session& session) const {
  Result<mysql::Rows> holder = session.query(fmt::format("SELECT IS_USED_LOCK({})", lock_name()));
  if (!holder.ok()) return holder.error().within("look at the lease");
  if (holder.value().rows.at(0)[0]) return held_by_another(session);
  return Unit{};
}

Result<std::uint64_t> Progress::claim(mysql::Session& session, const SavedProgress* saved) const {
  // A run that was killed lets go as soon as the server notices its closed connection.
  Result<mysql::Rows> taken = session.query(fmt::format("SELECT GET_LOCK({}, 5)", lock_name()));
  if (!taken.ok()) return taken.error().within("take the lease");
  if (taken.value().rows.at(0)[0].value_or("0") != "1") return held_by_another(session);
  for (std::size_t i = 0; saved != nullptr && i < saved->lanes.size(); ++i) {
    if (Status ended = end_predecessor(session, saved->lanes[i].lane); !ended.ok())
      return ended.error();
  }
  Result<mysql::Outcome> raised = session.execute(fmt::format(
      "INSERT INTO {} (job, epoch, owner) VALUES ('{}', 1, CONCAT(USER(), ' connection ', "
      "CONNECTION_ID())) ON DUPLICATE KEY UPDATE epoch = epoch + 1, owner = VALUES(owner), "
      "taken = CURRENT_TIMESTAMP(6)",
      table("lease"), job_));
  if (!raised.ok()) return raised.error().within("raise the lease's epoch");
  return read_epoch(session);
}

Result<std::uint64_t> Progress::read_epoch(mysql::Session& session) const {
  Result<mysql::Rows> row =
      session.query(fmt::format("SELECT epoch FROM {} WHERE job = '{}'", table("lease"), job_));
  if (!row.ok()) return row.error().within("read the lease's epoch");
  if (row.value().rows.empty()) return Error{Errc::conflict, "the lease is gone", 0};
  return number_of(row.value().rows[0][0]);
}

Status Progress::reclaim(mysql::Session& session, std::uint64_t epoch) const {
  Result<mysql::Rows> taken = session.query(fmt::format("SELECT GET_LOCK({}, 5)", lock_name()));
  if (!taken.ok()) return taken.error().within("take the lease again");
  if (taken.value().rows.at(0)[0].value_or("0") != "1") {
    return Error{Errc::conflict, held_by_another(session).what, 0};
  }
  Result<std::uint64_t> now = read_epoch(session);
  if (!now.ok()) return now.error();
  if (now.value() != epoch) return Error{Errc::conflict, "fenced: another run had the lease", 0};
  return Unit{};
}

Result<std::optional<SavedProgress>> Progress::load_locked(mysql::Session& session) const {
  Result<mysql::Outcome> begun = session.execute("BEGIN");
  if (!begun.ok()) return begun.error();
  Result<mysql::Rows> locked = session.query(fmt::format(
      "SELECT seq FROM {} WHERE job = '{}' AND kind = 'lane' FOR UPDATE", table("progress"), job_));
  if (!locked.ok()) return locked.error().within("wait for the lanes of the run before");
  Result<std::optional<SavedProgress>> saved = load(session);
  Result<mysql::Outcome> ended = session.execute("COMMIT");
  if (!ended.ok()) return ended.error();
  return saved;
}

Status Progress::clear(mysql::Session& session) const {
  for (const char* name : {"progress", "ddl_progress"}) {
    Result<mysql::Outcome> done =
        session.execute(fmt::format("DELETE FROM {} WHERE job = '{}'", table(name), job_));
    if (!done.ok()) return done.error().within("clear the progress of an earlier run");
  }
  return Unit{};
}

Status Progress::begin_lanes(mysql::Session& session, std::uint64_t epoch,
                             const std::vector<LaneRecord>& records) const {
  std::string sql = fmt::format("BEGIN;DELETE FROM {} WHERE job = '{}' AND kind = 'lane'",
                                table("progress"), job_);
  for (const LaneRecord& record : records) {
    sql += fmt::format(
        ";INSERT INTO {} (job, kind, name, epoch, seq, low_cseq, low_file, low_offset, low_gtid, "
        "low_commit_us, last_gtid, done) "
        "VALUES ('{}', 'lane', '{}', {}, {}, {}, {}, {}, {}, {}, {}, {})",
        table("progress"), job_, record.lane, epoch, record.seq, record.low.cseq,
        quote_text(record.low.position.file.file), record.low.position.file.offset,
        quote_text(record.low.position.gtid), record.low.commit_us, quote_text(record.low.gtid),
        quote_text(done_text(record)));
  }
  Result<std::vector<mysql::Outcome>> done = session.execute_all(sql + ";COMMIT");
  if (!done.ok()) return done.error().within("begin the lanes");
  return Unit{};
}

std::string Progress::lane_statement(std::uint64_t epoch, const LaneRecord& next) const {
  return fmt::format(
      "UPDATE {} SET seq = seq + 1, connection = CONNECTION_ID(), low_cseq = {}, low_file = {}, "
      "low_offset = {}, low_gtid = {}, low_commit_us = {}, "
      "last_gtid = {}, done = {} WHERE job = '{}' AND kind = 'lane' AND name = '{}' AND epoch = "
      "{} AND seq = {}",
      table("progress"), next.low.cseq, quote_text(next.low.position.file.file),
      next.low.position.file.offset, quote_text(next.low.position.gtid), next.low.commit_us,
      quote_text(next.low.gtid), quote_text(done_text(next)), job_, next.lane, epoch, next.seq);
}

Result<std::uint64_t> Progress::locked_seq(mysql::Session& session, std::uint64_t epoch,
                                           unsigned lane) const {
  Result<mysql::Rows> row =
      session.query(fmt::format("SELECT seq FROM {} WHERE job = '{}' AND kind = 'lane' AND name = "
                                "'{}' AND epoch = {} FOR UPDATE",
                                table("progress"), job_, lane, epoch));
  if (!row.ok()) return row.error();
  if (row.value().rows.empty()) return Error{Errc::conflict, "another run took over the target", 0};
  return number_of(row.value().rows[0][0]);
}

std::string Progress::put_statement(const NamedRecord& record) const {
  return fmt::format(
      "INSERT INTO {} (job, kind, name, body) VALUES ('{}', {}, {}, {}) ON DUPLICATE KEY UPDATE "
      "body = VALUES(body)",
      table("progress"), job_, quote_text(record.kind), quote_text(record.name),
      quote_text(record.body));
}

Status Progress::drop(mysql::Session& session) const {
  Result<mysql::Outcome> done =
      session.execute(fmt::format("DROP DATABASE IF EXISTS {}", quote_name(database_)));
  if (!done.ok()) return done.error();
  return Unit{};
}

Status put_record(mysql::Session& session, const Progress& progress, const NamedRecord& record) {
  Result<mysql::Outcome> done = session.execute(progress.put_statement(record));
  if (!done.ok()) return done.error().within("write progress at the target");
  return Unit{};
}

std::string drop_slices_statement(const Progress& progress, std::uint32_t number) {
  return fmt::format("DELETE FROM {} WHERE job = '{}' AND kind = 'slice' AND name LIKE '{}.%'",
                     progress.table("progress"), progress.job(), number);
}

std::string drop_table_statement(const Progress& progress, std::uint32_t number) {
  return fmt::format("DELETE FROM {} WHERE job = '{}' AND kind = 'table' AND name = '{}'",
                     progress.table("progress"), progress.job(), number);
}

}  // namespace wherry::sink
