#include "source/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "decode/event.h"
#include "source/binlog_dump.h"

namespace wherry::source {
namespace {

Error other_history(const AppliedPlace& place, const std::string& found) {
  return {Errc::refused,
          fmt::format("the source's history is another one than what was applied: at {} it must "
                      "have {}, and has {}; it was set back or is another server. Copy anew, or "
                      "give the server whose log holds that",
                      place.position.file.to_string(),
                      place.gtid.empty() ? "the end of a transaction" : place.gtid, found),
          0};
}

// The source's files, oldest first; empty where it does not tell.
std::vector<std::string> log_files(mysql::Session& session) {
  std::vector<std::string> files;
  const Result<mysql::Rows> rows = session.query("SHOW BINARY LOGS");
  if (!rows.ok()) return files;
  for (const auto& row : rows.value().rows) files.push_back(row[0].value_or(""));
  return files;
}

bool is_purged(mysql::Session& session, const FilePosition& at) {
  const std::vector<std::string> files = log_files(session);
  return files.empty() || compare({at.file, 0}, {files.front(), 0}) < 0;
}

// MariaDB tells the GTID of any place of its files.
Status require_mariadb(mysql::Session& session, const AppliedPlace& place) {
  const FilePosition& at = place.position.file;
  const Result<mysql::Rows> row = session.query(
      fmt::format("SELECT BINLOG_GTID_POS({}, {})", mysql::quote_text(at.file), at.offset));
  if (!row.ok() || !row.value().rows.at(0)[0]) {
    if (is_purged(session, at)) return Unit{};
    return other_history(place, row.ok() ? "no such place" : row.error().what);
  }
  const std::string& text = *row.value().rows[0][0];
  const Result<MariadbGtidPosition> there = MariadbGtidPosition::parse(text);
  const Result<MariadbGtidPosition> applied = MariadbGtidPosition::parse(place.position.gtid);
  if (!there.ok()) return there.error();
  if (!applied.ok()) return applied.error().within("the saved position");
  for (const auto& [domain, gtid] : applied.value().domains()) {
    const auto found = there.value().domains().find(domain);
    const bool same = found != there.value().domains().end() && found->second == gtid;
    if (!same) return other_history(place, text.empty() ? "nothing" : text);
  }
  return Unit{};
}

// The first GTID event of a dump. Empty: the source waits at its end and sent none. MySQL sends
// heartbeats while it passes over groups too; only an idle one stays at its place.
Result<std::optional<decode::GtidEvent>> first_group(BinlogDump& dump) {
  decode::FormatDescription format;
  std::optional<FilePosition> passed;
  for (;;) {
    const Result<Bytes> event = dump.next();
    if (!event.ok()) return event.error();
    const Result<decode::EventHeader> header = decode::decode_header(event.value());
    if (!header.ok()) return header.error();
    switch (header.value().type) {
      case decode::EventType::format_description: {
        Result<decode::FormatDescription> read = decode::decode_format_description(event.value());
        if (!read.ok()) return read.error();
        format = std::move(read).value();
        break;
      }
      case decode::EventType::heartbeat:
      case decode::EventType::heartbeat_v2: {
        const Result<Bytes> body = decode::event_body(event.value(), format, true);
        if (!body.ok()) return body.error();
        const Result<decode::Heartbeat> beat =
            decode::decode_heartbeat(header.value(), body.value());
        if (!beat.ok()) return beat.error();
        const FilePosition at{beat.value().file, beat.value().offset};
        if (passed == at) return std::optional<decode::GtidEvent>();
        passed = at;
        break;
      }
      case decode::EventType::gtid:
      case decode::EventType::gtid_tagged:
      case decode::EventType::anonymous_gtid: {
        const Result<Bytes> body = decode::event_body(event.value(), format, true);
        if (!body.ok()) return body.error();
        Result<decode::GtidEvent> gtid = decode::decode_gtid(header.value(), body.value());
        if (!gtid.ok()) return gtid.error();
        return std::optional(std::move(gtid).value());
      }
      default:
        break;
    }
  }
}

// MySQL is asked for the last group once more: it must be the first that comes, committed then.
Status require_mysql(const Lease& lease, const AppliedPlace& place) {
  Result<MysqlGtidSet> before = MysqlGtidSet::parse(place.position.gtid);
  const Result<MysqlGtidSet> last = MysqlGtidSet::parse(place.gtid);
  if (!before.ok()) return before.error().within("the saved position");
  if (!last.ok()) return last.error().within("the saved position");
  if (last.value().empty()) return Unit{};
  if (!before.value().contains(last.value())) {
    return Error{
        Errc::refused,
        fmt::format("the saved progress contradicts itself: {} was applied last and is not "
                    "in {}; it was changed by hand, or belongs to two runs",
                    place.gtid, place.position.gtid),
        0};
  }
  before.value().subtract(last.value());
  Result<std::unique_ptr<BinlogDump>> dump =
      BinlogDump::open(lease, {}, {{}, before.value().to_string()});
  if (!dump.ok()) return dump.error().code == Errc::lost ? Status(Unit{}) : dump.error();
  const Result<std::optional<decode::GtidEvent>> first = first_group(*dump.value());
  if (!first.ok()) return first.error();
  if (!first.value()) return other_history(place, "nothing");
  const std::string found = first.value()->to_string(Dialect::mysql);
  if (found != place.gtid) return other_history(place, found.empty() ? "no GTID" : found);
  if (first.value()->commit_us > place.commit_us)
    return other_history(place, "another transaction of that number, committed later");
  return Unit{};
}

// Without GTIDs only this is known: a transaction ends there.
Status require_edge(mysql::Session& session, const AppliedPlace& place) {
  constexpr unsigned kNoSuchPlace = 1220;
  const FilePosition& at = place.position.file;
  const Result<mysql::Rows> next = session.query(fmt::format(
      "SHOW BINLOG EVENTS IN {} FROM {} LIMIT 1", mysql::quote_text(at.file), at.offset));
  if (next.ok() || next.error().server_code != kNoSuchPlace || is_purged(session, at))
    return Unit{};
  return other_history(place, next.error().what);
}

}  // namespace

Status require_applied(const Lease& lease, mysql::Session& session, bool by_gtid,
                       const AppliedPlace& place) {
  if (!by_gtid) return require_edge(session, place);
  if (session.facts().is_mariadb()) return require_mariadb(session, place);
  return require_mysql(lease, place);
}

}  // namespace wherry::source
