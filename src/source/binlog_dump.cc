#include "source/binlog_dump.h"

#include <fmt/core.h>

#include <random>
#include <set>

namespace wherry::source {
namespace {

constexpr std::uint8_t kComBinlogDump = 0x12;
constexpr std::uint8_t kComRegisterReplica = 0x15;
constexpr std::uint8_t kComBinlogDumpGtid = 0x1e;
constexpr std::uint16_t kThroughGtid = 0x04;
constexpr std::uint64_t kFirstEvent = 4;  // after the magic number of a binlog file
constexpr unsigned kServerErrorPurged = 1236;

void append_le(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

// An id that neither the server nor one of its replicas has: two readers with one id would throw
// each other out for ever.
Result<std::uint32_t> free_server_id(mysql::Session& session) {
  const bool newer = !session.facts().is_mariadb() && session.facts().version >= 80022;
  std::set<std::uint32_t> taken{session.facts().server_id};
  Result<mysql::Rows> replicas = session.query(newer ? "SHOW REPLICAS" : "SHOW SLAVE HOSTS");
  if (replicas.ok()) {  // without the privilege the random choice alone must do
    for (const auto& row : replicas.value().rows) {
      taken.insert(
          static_cast<std::uint32_t>(std::strtoul(row[0].value_or("0").c_str(), nullptr, 10)));
    }
  }
  std::random_device seed;
  std::uniform_int_distribution<std::uint32_t> choose(1U << 30, ~0U - 1);
  for (;;) {
    const std::uint32_t id = choose(seed);
    if (!taken.contains(id)) return id;
  }
}

Status prepare(mysql::Session& session, const DumpOptions& options, const Position& from) {
  const auto heartbeat_ns = std::chrono::nanoseconds(options.heartbeat).count();
  const bool mariadb = session.facts().is_mariadb();
  std::string sql = fmt::format(
      "SET @master_binlog_checksum = @@global.binlog_checksum, @master_heartbeat_period = {0}, "
      "net_write_timeout = 3600, net_read_timeout = 3600, wait_timeout = 28800",
      heartbeat_ns);
  if (mariadb) {
    sql += ", @mariadb_slave_capability = 4";
    if (options.by_gtid) {
      sql += fmt::format(
          ", @slave_connect_state = {}, @slave_gtid_strict_mode = 0, @slave_gtid_ignore_duplicates "
          "= 0",
          mysql::quote_text(from.gtid));
    }
  } else {
    sql += fmt::format(
        ", @source_binlog_checksum = @@global.binlog_checksum, @source_heartbeat_period = {}",
        heartbeat_ns);
  }
  Result<mysql::Outcome> done = session.execute(sql);
  if (!done.ok()) return done.error();
  return Unit{};
}

Status send_register(mysql::Session& session, std::uint32_t server_id) {
  std::string payload;
  append_le(payload, server_id, 4);
  for (const std::string_view text :
       {std::string_view("wherry"), std::string_view(), std::string_view()}) {
    payload += static_cast<char>(text.size());
    payload += text;
  }
  append_le(payload, 0, 2);  // port
  append_le(payload, 0, 4);  // rank
  append_le(payload, 0, 4);  // source id
  Status sent = session.send_command(kComRegisterReplica, payload);
  if (!sent.ok()) return sent;
  Result<std::optional<Bytes>> answer = session.read_packet();
  if (!answer.ok()) return answer.error();
  return Unit{};
}

Status send_dump(mysql::Session& session, const DumpOptions& options, std::uint32_t server_id,
                 const Position& from) {
  std::string payload;
  if (options.by_gtid && !session.facts().is_mariadb()) {
    Result<MysqlGtidSet> set = MysqlGtidSet::parse(from.gtid);
    if (!set.ok()) return set.error();
    const std::string encoded = set.value().encode();
    append_le(payload, kThroughGtid, 2);
    append_le(payload, server_id, 4);
    append_le(payload, 0, 4);  // no file name
    append_le(payload, kFirstEvent, 8);
    append_le(payload, encoded.size(), 4);
    payload += encoded;
    return session.send_command(kComBinlogDumpGtid, payload);
  }
  const bool by_file = !options.by_gtid;
  if (by_file && from.file.offset > 0xFFFFFFFFULL) {
    return Error{
        Errc::unsupported,
        fmt::format("the position {} is past 4 GiB; resume by GTID instead", from.file.to_string()),
        0};
  }
  append_le(payload, by_file ? from.file.offset : kFirstEvent, 4);
  append_le(payload, 0, 2);
  append_le(payload, server_id, 4);
  if (by_file) payload += from.file.file;
  return session.send_command(kComBinlogDump, payload);
}

// What the source would have to keep and has not, in words.
std::string missing_at(mysql::Session& session, const Position& from, bool by_gtid) {
  if (by_gtid && !session.facts().is_mariadb()) {
    Result<mysql::Rows> purged = session.query("SELECT @@GLOBAL.gtid_purged");
    if (purged.ok()) {
      Result<MysqlGtidSet> set = MysqlGtidSet::parse(purged.value().rows.at(0)[0].value_or(""));
      Result<MysqlGtidSet> have = MysqlGtidSet::parse(from.gtid);
      if (set.ok() && have.ok()) {
        set.value().subtract(have.value());
        return "the source purged " + set.value().to_string();
      }
    }
  }
  Result<mysql::Rows> logs = session.query("SHOW BINARY LOGS");
  if (!logs.ok() || logs.value().rows.empty()) return "the source no longer has it";
  return "the oldest binlog file at the source is " + logs.value().rows.front()[0].value_or("");
}

}  // namespace

Result<std::unique_ptr<BinlogDump>> BinlogDump::open(const Lease& lease, const DumpOptions& options,
                                                     const Position& from) {
  const auto silence = std::chrono::duration_cast<std::chrono::seconds>(options.heartbeat * 3) +
                       std::chrono::seconds(1);
  Result<SourceSession> session = lease.dump_session(silence);
  if (!session.ok()) return session.error();
  mysql::Session& link = *session.value();
  Result<std::uint32_t> id =
      options.server_id != 0 ? Result<std::uint32_t>(options.server_id) : free_server_id(link);
  if (!id.ok()) return id.error();
  Status ready = prepare(link, options, from);
  if (ready.ok()) ready = send_register(link, id.value());
  if (ready.ok()) ready = send_dump(link, options, id.value(), from);
  if (!ready.ok()) return ready.error().within("start the binlog dump");
  std::unique_ptr<BinlogDump> dump(new BinlogDump(std::move(session).value()));
  // The first packet tells whether the position is known: the server begins with a rotation.
  Result<std::optional<Bytes>> first = dump->session_->read_packet();
  if (!first.ok()) {
    if (first.error().server_code != kServerErrorPurged) return first.error();
    Result<SourceSession> other = lease.session();
    const std::string missing = other.ok() ? missing_at(*other.value(), from, options.by_gtid) : "";
    return Error{Errc::lost,
                 fmt::format("the source cannot continue from {}: {} ({})",
                             options.by_gtid ? from.gtid : from.file.to_string(), missing,
                             first.error().what),
                 kServerErrorPurged};
  }
  if (!first.value()) return Error{Errc::network, "the source ended the stream at once", 0};
  dump->held_.assign(first.value()->begin(), first.value()->end());
  return dump;
}

Result<Bytes> BinlogDump::next() {
  if (!held_.empty()) {
    handed_ = std::move(held_);
    held_.clear();
    return Bytes(handed_).subspan(1);
  }
  Result<std::optional<Bytes>> packet = session_->read_packet();
  if (!packet.ok()) return packet.error();
  if (!packet.value()) return Error{Errc::network, "the source ended the stream", 0};
  if (packet.value()->empty())
    return Error{Errc::malformed, "an empty packet in the binlog stream", 0};
  return packet.value()->subspan(1);  // the first byte says OK
}

bool BinlogDump::ready() { return !held_.empty() || session_->readable(); }

}  // namespace wherry::source
