#include "sink/mysql/syncpoint_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "mysql/binlog_position.h"
#include "sink/mysql/retry.h"
#include "support/quote.h"

namespace wherry::sink {
namespace {

constexpr std::chrono::seconds kGiveUpAfter{300};

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

SyncpointWriter::SyncpointWriter(TargetOptions target, const SyncpointOptions& options,
                                 const Progress& progress, std::uint64_t epoch,
                                 SyncpointCalls calls)
    : target_(std::move(target)),
      options_(options),
      progress_(progress),
      epoch_(epoch),
      calls_(std::move(calls)) {}

bool SyncpointWriter::due(std::uint64_t commit_us) {
  bool wanted = requested_;
  if (options_.interval.count() > 0) {
    const auto interval = static_cast<std::uint64_t>(options_.interval.count()) * 1000;
    const std::uint64_t slot = (commit_us != 0 ? commit_us : now_us()) / interval;
    if (last_slot_ == 0) last_slot_ = slot;
    wanted |= slot > last_slot_;
  }
  return wanted && calls_.ready();
}

Status SyncpointWriter::record(const dispatch::LowWater& cut) {
  requested_ = false;
  if (options_.interval.count() > 0) {
    const auto interval = static_cast<std::uint64_t>(options_.interval.count()) * 1000;
    // Whoever asked first, the next one by the clock is a whole interval away.
    last_slot_ = std::max({last_slot_ + 1, cut.commit_us / interval});
  }
  RetryClock clock(kGiveUpAfter);
  for (;;) {
    Status done = prepare();
    if (done.ok()) done = write(cut);
    if (done.ok()) done = note_target(cut);
    if (done.ok()) break;
    session_.reset();
    const Retry retry = clock.next(done.error());
    if (!retry.again) return done.error().within("record a syncpoint");
    if (!retry_pause(retry.pause, calls_.stopping))
      return Error{Errc::interrupted, "the run ends", 0};
  }
  ++recorded_;
  return Unit{};
}

Status SyncpointWriter::prepare() {
  if (session_ != nullptr) return Unit{};
  Result<std::unique_ptr<mysql::Session>> session = open_apply_session(target_);
  if (!session.ok()) return session.error();
  const Result<mysql::Outcome> made = session.value()->execute(fmt::format(
      "CREATE TABLE IF NOT EXISTS {} (feed VARCHAR(64) NOT NULL, cseq BIGINT UNSIGNED NOT NULL, "
      "source_file VARCHAR(255) NOT NULL, source_offset BIGINT UNSIGNED NOT NULL, source_gtid "
      "LONGTEXT NOT NULL, committed_us BIGINT UNSIGNED NOT NULL, target_file VARCHAR(255) NOT NULL "
      "DEFAULT '', target_offset BIGINT UNSIGNED NOT NULL DEFAULT 0, target_gtid LONGTEXT NOT NULL "
      "DEFAULT (''), made TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), "
      "PRIMARY KEY (feed, cseq)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      progress_.table("syncpoint")));
  if (!made.ok()) return made.error().within("create the syncpoint table");
  session_ = std::move(session).value();
  return Unit{};
}

// Only for the epoch that holds the lease: one that was fenced must not say what the target holds.
Status SyncpointWriter::write(const dispatch::LowWater& cut) {
  const std::string table = progress_.table("syncpoint");
  Result<std::vector<mysql::Outcome>> done = session_->execute_all(fmt::format(
      "BEGIN;DELETE FROM {0} WHERE feed = '{1}' AND made < NOW() - INTERVAL {2} HOUR;"
      "REPLACE INTO {0} (feed, cseq, source_file, source_offset, source_gtid, committed_us, "
      "target_gtid) SELECT '{1}', {3}, {4}, {5}, {6}, {7}, '' FROM {8} WHERE job = '{1}' AND "
      "epoch = {9} FOR UPDATE;COMMIT",
      table, progress_.job(), options_.keep.count(), cut.cseq, quote_text(cut.position.file.file),
      cut.position.file.offset, quote_text(cut.position.gtid), cut.commit_us,
      progress_.table("lease"), epoch_));
  if (!done.ok()) return done.error();
  if (done.value()[2].affected == 0)
    return Error{Errc::conflict, "fenced: another run has taken over the target", 0};
  return Unit{};
}

// The commit above is the mark in the target's binlog; where it ended is known only now.
Status SyncpointWriter::note_target(const dispatch::LowWater& cut) {
  if (!target_.binlog) return Unit{};
  const Result<Position> here = mysql::current_position(*session_);
  if (!here.ok() && here.error().code == Errc::refused) return Unit{};  // it keeps no binlog
  if (!here.ok()) return here.error();
  const Result<mysql::Outcome> done = session_->execute(fmt::format(
      "UPDATE {} SET target_file = {}, target_offset = {}, target_gtid = {} WHERE feed = '{}' AND "
      "cseq = {}",
      progress_.table("syncpoint"), quote_text(here.value().file.file), here.value().file.offset,
      quote_text(here.value().gtid), progress_.job(), cut.cseq));
  return done.ok() ? Status(Unit{}) : Status(done.error());
}

}  // namespace wherry::sink
