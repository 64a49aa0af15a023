#include "control/feed_begin.h"

#include <fmt/core.h>

#include <thread>

#include "mysql/binlog_position.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr auto kPause = 50ms;
constexpr auto kReachesStart = 30s;  // the source itself may have to come so far
constexpr auto kCatchesUp = 300s;

using Found = Result<std::optional<store::Place>>;

Error stopped() { return {Errc::interrupted, "the feed was stopped", 0}; }

Dialect dialect_of(feed::SourceLog& log) {
  return log.runtime().lease().generation().facts().dialect;
}

Found look_for(feed::SourceLog& log, const std::string& text) {
  store::Lookup lookup = log.log().lookup();
  const Result<FilePosition> file = parse_file_position(text);
  if (!file.ok()) return lookup.by_gtid(text);
  // A log that is new begins there, and its stream may be far ahead by now.
  for (Result<store::Place> edge :
       {lookup.place_after(log.log().status().first_cseq - 1), lookup.end()}) {
    if (edge.ok() && edge.value().file == file.value())
      return std::optional<store::Place>(std::move(edge).value());
  }
  Found found = lookup.by_file(log.runtime().generation_number(), file.value());
  if (!found.ok() || !found.value()) return found;
  // A transaction that ends behind the place comes after it.
  const bool ends_there = found.value()->file == file.value();
  const std::uint64_t before = ends_there ? found.value()->cseq : found.value()->cseq - 1;
  Result<store::Place> whole = lookup.place_after(before);
  if (!whole.ok()) return whole.error();
  return std::optional<store::Place>(std::move(whole).value());
}

Result<bool> holds(feed::SourceLog& log, const store::Place& place, const Position& position) {
  if (!log.by_gtid()) return compare(place.file, position.file) >= 0;
  return gtid_contains(dialect_of(log), place.gtid, position.gtid);
}

}  // namespace

store::Place given_place(const std::string& text) {
  store::Place place;
  place.generation = 1;
  if (Result<FilePosition> file = parse_file_position(text); file.ok()) {
    place.file = std::move(file).value();
  } else {
    place.gtid = text;
  }
  return place;
}

Result<store::Place> find_place(feed::SourceLog& log, const std::string& text,
                                const Stopping& stopping) {
  const auto until = std::chrono::steady_clock::now() + kReachesStart;
  while (!stopping()) {
    if (const std::optional<Error> failure = log.failure()) return *failure;
    Found place = look_for(log, text);
    if (!place.ok()) return place.error().within("the start of the feed");
    if (place.value()) return *std::move(place).value();
    if (std::chrono::steady_clock::now() > until) {
      return Error{Errc::refused,
                   fmt::format("the source has not reached {}, where the feed is to start; start "
                               "it from now on, or later",
                               text),
                   0};
    }
    std::this_thread::sleep_for(kPause);
  }
  return stopped();
}

Result<store::Place> place_behind_source(feed::SourceLog& log, mysql::Session& session,
                                         const Stopping& stopping) {
  const Result<Position> now = mysql::current_position(session);
  if (!now.ok()) return now.error();
  const auto until = std::chrono::steady_clock::now() + kCatchesUp;
  while (!stopping()) {
    if (const std::optional<Error> failure = log.failure()) return *failure;
    Result<store::Place> end = log.end();
    if (!end.ok()) return end.error();
    const Result<bool> there = holds(log, end.value(), now.value());
    if (!there.ok()) return there.error();
    if (there.value()) return end;
    if (std::chrono::steady_clock::now() > until) {
      return Error{Errc::timeout,
                   fmt::format("the log of the source did not reach {} ({}) in {} s",
                               now.value().file.to_string(), now.value().gtid, kCatchesUp.count()),
                   0};
    }
    std::this_thread::sleep_for(kPause);
  }
  return stopped();
}

Status require_same_count(feed::SourceLog& log, std::uint64_t cseq, const std::string& gtid) {
  const store::LogStatus status = log.log().status();
  if (cseq + 1 < status.first_cseq) {
    return Error{Errc::lost,
                 fmt::format("the feed goes on behind transaction {}, but the log of the source "
                             "begins with {}; remove the feed and create it anew",
                             cseq, status.first_cseq),
                 0};
  }
  // What is not in the log yet comes again under the same number.
  if (!log.by_gtid() || cseq > status.last_cseq) return Unit{};
  const Result<store::Place> here = log.log().lookup().place_after(cseq);
  if (!here.ok()) return here.error();
  const Result<bool> more = gtid_contains(dialect_of(log), here.value().gtid, gtid);
  const Result<bool> less = gtid_contains(dialect_of(log), gtid, here.value().gtid);
  if (!more.ok()) return more.error();
  if (!less.ok()) return less.error();
  if (more.value() && less.value()) return Unit{};
  return Error{Errc::refused,
               fmt::format("transaction {} is {} at the sink and {} in the log of the source: the "
                           "log is not the one that the feed was begun with",
                           cseq, gtid, here.value().gtid),
               0};
}

Status wait_for_count(feed::SourceLog& log, std::uint64_t cseq, const Stopping& stopping) {
  while (log.log().status().last_cseq < cseq) {
    if (const std::optional<Error> failure = log.failure()) return *failure;
    if (stopping()) return stopped();
    std::this_thread::sleep_for(kPause);
  }
  return Unit{};
}

}  // namespace wherry::control
