#include "feed/source_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "dispatch/work.h"
#include "mysql/binlog_position.h"
#include "source/history.h"
#include "support/log.h"

namespace wherry::feed {
namespace {

// Which group the last one of the log was; empty: the log holds none.
Result<std::string> last_identity(store::Log& log, Dialect dialect) {
  const store::LogStatus status = log.status();
  if (status.last_cseq < status.first_cseq) return std::string();
  BatchReader reader(log, status.last_cseq - 1, {dialect, 1, 1});
  for (;;) {
    Result<std::unique_ptr<decode::Batch>> batch = reader.next(std::chrono::milliseconds(0));
    if (!batch.ok()) return batch.error();
    if (batch.value() == nullptr) return std::string();
    for (const decode::Group& group : batch.value()->groups) {
      if (group.closes) return dispatch::identity_of(*batch.value(), group);
    }
  }
}

Position position_of(const store::Place& place) { return {place.file, place.gtid}; }

Result<store::Place> present_place(source::Runtime& runtime) {
  Result<source::SourceSession> session = runtime.lease().control_session();
  if (!session.ok()) return session.error();
  const Result<Position> now = mysql::current_position(*session.value());
  if (!now.ok()) return now.error();
  store::Place place;
  place.generation = runtime.generation_number();
  place.file = now.value().file;
  place.gtid = now.value().gtid;
  return place;
}

Error no_such_place(const store::Place& place) {
  return {Errc::refused,
          fmt::format("the source's binlog has no place {}", place.file.to_string())};
}

// Behind what the file's first event names stands everything that the server has purged as well: it
// may have been told so after the file was begun, when it took up another's history.
Result<store::Place> with_previous_gtids(mysql::Session& server, store::Place place) {
  const Error nowhere = no_such_place(place);
  const Result<mysql::Rows> events = server.query(
      fmt::format("SHOW BINLOG EVENTS IN {} LIMIT 5", mysql::quote_text(place.file.file)));
  if (!events.ok()) return events.error().within(nowhere.what);
  const Result<mysql::Rows> purged = server.query("SELECT @@GLOBAL.gtid_purged");
  if (!purged.ok()) return purged.error();
  Result<MysqlGtidSet> set = MysqlGtidSet::parse(purged.value().rows.at(0)[0].value_or(""));
  if (!set.ok()) return set.error().within("gtid_purged");
  for (const auto& row : events.value().rows) {
    if (row.size() < 6 || row[2].value_or("") != "Previous_gtids") continue;
    const Result<MysqlGtidSet> before = MysqlGtidSet::parse(row[5].value_or(""));
    if (!before.ok()) return before.error().within(place.file.file);
    set.value().add(before.value());
    place.gtid = set.value().to_string();
    place.file.offset = 4;
    return place;
  }
  return nowhere;
}

// A stream by GTID needs a set even where somebody named a file: the one at the place, or, where
// the server does not tell that, the one before the file.
Result<store::Place> with_gtid(source::Runtime& runtime, store::Place place) {
  Result<source::SourceSession> session = runtime.lease().control_session();
  if (!session.ok()) return session.error();
  mysql::Session& server = *session.value();
  if (!server.facts().is_mariadb()) return with_previous_gtids(server, std::move(place));
  const Result<mysql::Rows> gtid = server.query(fmt::format(
      "SELECT BINLOG_GTID_POS({}, {})", mysql::quote_text(place.file.file), place.file.offset));
  if (!gtid.ok()) return gtid.error();
  if (gtid.value().rows.empty() || !gtid.value().rows[0][0]) return no_such_place(place);
  place.gtid = *gtid.value().rows[0][0];
  return place;
}

Status require_source(source::Runtime& runtime, store::Log& log, const store::Place& end,
                      bool by_gtid) {
  Result<source::SourceSession> session = runtime.lease().control_session();
  if (!session.ok()) return session.error();
  Result<std::string> last = last_identity(log, (*session.value()).facts().dialect);
  if (!last.ok()) return last.error();
  return source::require_applied(
      runtime.lease(), *session.value(), by_gtid,
      {position_of(end), by_gtid ? std::move(last).value() : "", end.commit_us});
}

}  // namespace

Result<std::unique_ptr<SourceLog>> SourceLog::open(const SourceLogOptions& options,
                                                   std::unique_ptr<source::Runtime> runtime,
                                                   const std::optional<store::Place>& begin) {
  const mysql::ServerFacts facts = runtime->lease().generation().facts();
  store::Options log_options = options.log;
  log_options.identity = mysql::lasting_identity(facts);
  log_options.dialect = facts.dialect;
  if (begin && begin->gtid.empty() && !begin->file.empty() && facts.gtid_on) {
    Result<store::Place> whole = with_gtid(*runtime, *begin);
    if (!whole.ok()) return whole.error().within("source");
    log_options.begin = std::move(whole).value();
  } else if (begin) {
    log_options.begin = *begin;
  } else {
    Result<store::Place> now = present_place(*runtime);
    if (!now.ok()) return now.error().within("source");
    log_options.begin = std::move(now).value();
  }
  Result<std::unique_ptr<store::Log>> log = store::Log::open(log_options);
  if (!log.ok()) return log.error();
  for (const std::string& cut : log.value()->cuts()) log::warning("store", "{}", cut);
  Result<store::Place> end = log.value()->lookup().place_after(log.value()->status().last_cseq);
  if (!end.ok()) return end.error().within("the end of the log");
  if (Status same = require_source(*runtime, *log.value(), end.value(), facts.gtid_on); !same.ok())
    return same.error().within(fmt::format("the log in {}", log_options.folder));
  return std::unique_ptr<SourceLog>(
      new SourceLog(options, std::move(runtime), std::move(log).value(), std::move(end).value()));
}

SourceLog::SourceLog(const SourceLogOptions& options, std::unique_ptr<source::Runtime> runtime,
                     std::unique_ptr<store::Log> log, store::Place end)
    : runtime_(std::move(runtime)),
      log_(std::move(log)),
      begin_(std::move(end)),
      by_gtid_(runtime_->lease().generation().facts().gtid_on),
      budget_(options.stream_bytes),
      writer_(*log_) {
  source::StreamOptions following;
  following.dump.by_gtid = by_gtid_;
  following.assembler.dialect = runtime_->lease().generation().facts().dialect;
  following.assembler.part_bytes = options.part_bytes;
  stream_ = std::make_unique<source::StreamStage>(
      *runtime_, following, budget_, [this](const decode::BatchPtr& batch) {
        const Status put = writer_.put(*batch);
        if (put.ok()) {
          bells_.ring(*batch);
          return true;
        }
        failure_.with([&](std::optional<Error>& failure) {
          if (!failure && put.error().code != Errc::interrupted) failure = put.error();
        });
        return false;
      });
}

SourceLog::~SourceLog() { (void)stop(); }

void SourceLog::start() {
  thread_ = std::thread([this]() noexcept {
    const Status ended = run();
    if (ended.ok() || ended.error().code == Errc::interrupted) return;
    log::warning("source", "{}", ended.error().what);
    failure_.with([&](std::optional<Error>& failure) {
      if (!failure) failure = ended.error();
    });
  });
}

Status SourceLog::run() { return stream_->run(position_of(begin_), begin_.cseq + 1); }

Status SourceLog::stop() {
  stream_->stop();
  log_->stop();
  budget_.close();
  runtime_->stop();
  if (thread_.joinable()) thread_.join();
  return log_->close();
}

std::optional<Error> SourceLog::failure() const {
  return failure_.read([](const std::optional<Error>& failure) { return failure; });
}

Result<store::Place> SourceLog::end() { return log_->lookup().end(); }

}  // namespace wherry::feed
