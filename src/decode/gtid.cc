#include <map>

#include "decode/event.h"
#include "decode/varint.h"

namespace wherry::decode {
namespace {

constexpr std::size_t kUuidSize = 16;
constexpr std::uint64_t kTimestampMask = (std::uint64_t{1} << 55) - 1;

std::string uuid_text(Bytes uuid) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const unsigned value = std::to_integer<unsigned>(uuid[i]);
    text += kHex[value >> 4];
    text += kHex[value & 15];
  }
  return text;
}

Result<GtidEvent> decode_mysql_gtid(const EventHeader& header, Bytes body) {
  Cursor in(body);
  GtidEvent event;
  event.anonymous = header.type == EventType::anonymous_gtid;
  in.uint_le(1);  // flags
  const Bytes uuid = in.bytes(kUuidSize);
  event.number = in.uint_le(8);
  if (in.failed()) return Error{Errc::truncated, "gtid event"};
  if (event.anonymous)
    event.number = 0;
  else
    event.source = uuid_text(uuid);

  in.bytes(1 + 8 + 8);  // logical clock: type, last committed, sequence
  if (in.size() >= 7) event.commit_us = in.uint_le(7) & kTimestampMask;
  if (!event.anonymous && event.number == 0) {
    return Error{Errc::malformed, "gtid event: number 0"};
  }
  return event;
}

// The message of MySQL's serialization library: version, size, last field that must be known, then
// fields as {number, value} in ascending order; absent ones keep their default.
Result<GtidEvent> decode_tagged_gtid(Bytes body) {
  enum Field : std::uint64_t { flags, uuid, number, tag, last_committed, sequence, commit_time };
  Cursor in(body);
  read_varint(in);  // version of the format
  const std::uint64_t size = read_varint(in);
  read_varint(in);  // last field that a reader must know
  if (in.failed()) return Error{Errc::truncated, "tagged gtid event"};
  if (size > body.size()) return Error{Errc::truncated, "tagged gtid event"};

  GtidEvent event;
  std::array<std::byte, kUuidSize> source{};
  std::string_view tag_text;
  while (in.size() > 0) {
    const std::uint64_t field = read_varint(in);
    if (field > commit_time) break;  // the later ones hold nothing that we need
    if (field == uuid) {
      for (std::byte& part : source) part = static_cast<std::byte>(read_varint(in));
    } else if (field == number) {
      event.number = static_cast<std::uint64_t>(read_signed_varint(in));
    } else if (field == tag) {
      tag_text = in.text(read_varint(in));
    } else if (field == commit_time) {
      event.commit_us = read_varint(in) & kTimestampMask;
    } else {
      read_varint(in);
    }
  }
  if (in.failed()) return Error{Errc::truncated, "tagged gtid event"};
  if (event.number == 0) return Error{Errc::malformed, "tagged gtid event: number 0"};
  event.source = uuid_text(source);
  if (!tag_text.empty()) event.source.append(":").append(tag_text);
  return event;
}

// Format number, the sizes of both parts as single bytes, then the parts.
void skip_xid(Cursor& in) {
  in.uint_le(4);
  const std::uint64_t global_size = in.uint_le(1);
  const std::uint64_t branch_size = in.uint_le(1);
  in.bytes(global_size + branch_size);
}

Result<GtidEvent> decode_mariadb_gtid(const EventHeader& header, Bytes body) {
  enum : std::uint64_t {
    standalone = 1,
    group_commit = 2,
    ddl = 32,
    prepared_xa = 64,
    completed_xa = 128
  };
  enum : std::uint64_t {
    several_engines = 1,
    start_alter = 2,
    commit_alter = 4,
    rollback_alter = 8
  };
  Cursor in(body);
  GtidEvent event;
  event.server = header.server_id;
  event.number = in.uint_le(8);
  event.domain = static_cast<std::uint32_t>(in.uint_le(4));
  const std::uint64_t flags = in.uint_le(1);
  event.standalone = (flags & standalone) != 0;
  event.ddl = (flags & ddl) != 0;
  event.xa_prepare = (flags & prepared_xa) != 0;
  event.xa_complete = (flags & completed_xa) != 0;
  if ((flags & group_commit) != 0) in.uint_le(8);
  if (event.xa_prepare || event.xa_complete) skip_xid(in);

  // Where the event is short its end is padded with zeros, which read as no extra flag.
  const std::uint64_t extra = in.size() > 0 ? in.uint_le(1) : 0;
  if ((extra & several_engines) != 0) in.uint_le(1);
  event.alter_start = (extra & start_alter) != 0;
  event.alter_commit = (extra & commit_alter) != 0;
  event.alter_rollback = (extra & rollback_alter) != 0;
  if (event.alter_commit || event.alter_rollback) in.uint_le(8);  // sequence number of its start
  if (in.failed()) return Error{Errc::truncated, "gtid event"};
  return event;
}

}  // namespace

Result<GtidEvent> decode_gtid(const EventHeader& header, Bytes body) {
  switch (header.type) {
    case EventType::gtid:
    case EventType::anonymous_gtid:
      return decode_mysql_gtid(header, body);
    case EventType::gtid_tagged:
      return decode_tagged_gtid(body);
    case EventType::mariadb_gtid:
      return decode_mariadb_gtid(header, body);
    default:
      return Error{Errc::malformed, "gtid event: another event type"};
  }
}

std::string GtidEvent::to_string(Dialect dialect) const {
  if (anonymous) return {};
  if (dialect == Dialect::mysql) return source + ":" + std::to_string(number);
  return std::to_string(domain) + "-" + std::to_string(server) + "-" + std::to_string(number);
}

Result<GtidList> decode_gtid_list(Bytes body) {
  constexpr std::uint64_t kCountMask = (std::uint64_t{1} << 28) - 1;
  constexpr std::size_t kEntrySize = 16;
  Cursor in(body);
  const std::uint64_t count = in.uint_le(4) & kCountMask;
  if (in.failed() || in.size() / kEntrySize < count) {
    return Error{Errc::truncated, "gtid list event"};
  }

  // A domain that several servers wrote has one entry for each; the server's newest comes last.
  std::map<std::uint32_t, GtidEvent> newest;
  for (std::uint64_t i = 0; i < count; ++i) {
    GtidEvent gtid;
    gtid.domain = static_cast<std::uint32_t>(in.uint_le(4));
    gtid.server = static_cast<std::uint32_t>(in.uint_le(4));
    gtid.number = in.uint_le(8);
    newest[gtid.domain] = gtid;
  }
  GtidList list;
  for (const auto& [domain, gtid] : newest) {
    if (!list.position.empty()) list.position += ',';
    list.position += gtid.to_string(Dialect::mariadb);
  }
  return list;
}

}  // namespace wherry::decode
