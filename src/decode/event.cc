#include "decode/event.h"

#include <algorithm>
#include <charconv>

#include "support/hash.h"

namespace wherry::decode {
namespace {

constexpr std::size_t kChecksumSize = 4;
constexpr std::size_t kFlagsOffset = 17;
constexpr std::uint16_t kFlagInUse = 0x1;

bool checksum_matches(Bytes event) {
  const std::size_t covered = event.size() - kChecksumSize;
  return crc32_of(event.first(covered)) == load_le(event.data() + covered, kChecksumSize);
}

// A file that is still open carries the in-use flag, which its checksum does not cover.
bool description_checksum_matches(Bytes event, std::uint16_t flags) {
  if ((flags & kFlagInUse) == 0) return checksum_matches(event);
  std::vector<std::byte> closed(event.begin(), event.end());
  closed[kFlagsOffset] &= ~std::byte{kFlagInUse};
  return checksum_matches(closed);
}

// The first number of "10.11.19-MariaDB"; 0 where there is none.
unsigned leading_number(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "5.6" and later: the first with checksums in either dialect that we follow.
bool knows_checksums(std::string_view version) {
  const unsigned major = leading_number(version);
  const std::size_t dot = version.find('.');
  const unsigned minor =
      dot == std::string_view::npos ? 0 : leading_number(version.substr(dot + 1));
  return major > 5 || (major == 5 && minor >= 6);
}

}  // namespace

Result<EventHeader> decode_header(Bytes event) {
  Cursor in(event);
  EventHeader header;
  header.timestamp = static_cast<std::uint32_t>(in.uint_le(4));
  header.type = static_cast<EventType>(in.uint_le(1));
  header.server_id = static_cast<std::uint32_t>(in.uint_le(4));
  header.size = static_cast<std::uint32_t>(in.uint_le(4));
  header.log_pos = static_cast<std::uint32_t>(in.uint_le(4));
  header.flags = static_cast<std::uint16_t>(in.uint_le(2));

  if (in.failed()) return Error{Errc::truncated, "event header"};
  if (header.size < kHeaderSize) return Error{Errc::malformed, "event header: size below its own"};
  if (event.size() < header.size) return Error{Errc::truncated, "event ends before its size"};
  if (event.size() > header.size) return Error{Errc::malformed, "event is longer than its size"};
  return header;
}

std::uint8_t FormatDescription::post_header_size(EventType type) const {
  const std::size_t number = static_cast<std::size_t>(type);
  if (number == 0 || number > post_header_sizes.size()) return 0;
  return post_header_sizes[number - 1];
}

Result<FormatDescription> decode_format_description(Bytes event) {
  const Result<EventHeader> header = decode_header(event);
  if (!header.ok()) return header.error().within("format description");
  if (header.value().type != EventType::format_description) {
    return Error{Errc::malformed, "format description: another event type"};
  }

  Cursor in(event.subspan(kHeaderSize));
  const std::uint64_t binlog_version = in.uint_le(2);
  std::string_view version = in.text(50);
  in.uint_le(4);  // when the file was created
  const std::uint64_t header_size = in.uint_le(1);
  const Bytes rest = in.remaining();
  if (in.failed()) return Error{Errc::truncated, "format description"};
  if (binlog_version != 4 || header_size != kHeaderSize) {
    return Error{Errc::unsupported, "format description: not binlog version 4"};
  }

  FormatDescription format;
  format.server_version = version.substr(0, version.find('\0'));
  if (!knows_checksums(format.server_version)) {
    return Error{Errc::unsupported, "format description: server older than 5.6"};
  }
  if (rest.size() < kChecksumSize + 1) return Error{Errc::truncated, "format description"};

  const Bytes sizes = rest.first(rest.size() - kChecksumSize - 1);
  const unsigned algorithm = std::to_integer<unsigned>(rest[sizes.size()]);
  if (algorithm > 1) return Error{Errc::unsupported, "format description: unknown checksum"};
  format.checksummed = algorithm == 1;
  if (format.checksummed && !description_checksum_matches(event, header.value().flags)) {
    return Error{Errc::malformed, "format description: checksum does not match"};
  }
  std::transform(sizes.begin(), sizes.end(), std::back_inserter(format.post_header_sizes),
                 [](std::byte size) { return std::to_integer<std::uint8_t>(size); });
  // MariaDB's own events begin at 160, and its table of sizes names them all: a surer sign than the
  // version text, which packagers change.
  const bool has_own_events = sizes.size() >= static_cast<std::size_t>(EventType::mariadb_gtid);
  format.dialect = has_own_events ? Dialect::mariadb : Dialect::mysql;
  return format;
}

Result<Bytes> event_body(Bytes event, const FormatDescription& format, bool verify) {
  const Result<EventHeader> header = decode_header(event);
  if (!header.ok()) return header.error();
  const bool could_hold_checksum = event.size() >= kHeaderSize + kChecksumSize;

  // The rotate event that a server makes up at the start of a file follows the checksum rule of the
  // file before, which may be unknown: the bytes themselves are asked.
  const bool made_up =
      header.value().type == EventType::rotate && (header.value().flags & kFlagArtificial) != 0;
  if (made_up) {
    const bool has_checksum = could_hold_checksum && checksum_matches(event);
    return event.subspan(kHeaderSize,
                         event.size() - kHeaderSize - (has_checksum ? kChecksumSize : 0));
  }
  const bool description = header.value().type == EventType::format_description;
  if (!format.checksummed && !description) return event.subspan(kHeaderSize);
  if (!could_hold_checksum) return Error{Errc::truncated, "event without its checksum"};
  if (verify && format.checksummed) {
    const bool matches = description ? description_checksum_matches(event, header.value().flags)
                                     : checksum_matches(event);
    if (!matches) {
      return Error{Errc::malformed,
                   std::string(name_of(header.value().type)) + " event: checksum does not match"};
    }
  }
  return event.subspan(kHeaderSize, event.size() - kHeaderSize - kChecksumSize);
}

Result<RotateView> decode_rotate(Bytes body) {
  Cursor in(body);
  RotateView view;
  view.next_position = in.uint_le(8);
  view.next_file = in.remaining_text();

  if (in.failed()) return Error{Errc::truncated, "rotate event"};
  const bool printable = std::all_of(view.next_file.begin(), view.next_file.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
  if (view.next_file.empty() || !printable) {
    return Error{Errc::malformed, "rotate event names no file"};
  }
  return view;
}

Result<IncidentView> decode_incident(Bytes body) {
  Cursor in(body);
  IncidentView view;
  view.number = static_cast<std::uint16_t>(in.uint_le(2));
  view.message = in.text(in.uint_le(1));
  if (in.failed()) return Error{Errc::truncated, "incident event"};
  return view;
}

namespace {

// The second form is a list of {type, length, value}, so that offsets above 4 GiB have room.
Result<Heartbeat> decode_heartbeat_v2(Bytes body) {
  constexpr std::uint64_t kEnd = 0, kFile = 1, kOffset = 2;
  Cursor in(body);
  Heartbeat beat;
  while (in.size() > 0) {
    const std::uint64_t type = in.packed();
    if (type == kEnd) break;
    Cursor value(in.bytes(in.packed()));
    if (type == kFile) beat.file = value.remaining_text();
    if (type == kOffset) beat.offset = value.packed();
    if (value.failed()) in.fail();
  }
  if (in.failed()) return Error{Errc::truncated, "heartbeat event"};
  return beat;
}

}  // namespace

Result<Heartbeat> decode_heartbeat(const EventHeader& header, Bytes body) {
  if (header.type == EventType::heartbeat_v2) return decode_heartbeat_v2(body);
  Cursor in(body);
  Heartbeat beat;
  // MariaDB puts offsets that do not fit in the header in front of the file name.
  beat.offset = header.log_pos != 0 ? header.log_pos : in.uint_le(8);
  beat.file = in.remaining_text();
  if (in.failed()) return Error{Errc::truncated, "heartbeat event"};
  return beat;
}

}  // namespace wherry::decode
