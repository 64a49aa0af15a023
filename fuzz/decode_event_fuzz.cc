// Input: one byte whose lowest bit is the dialect, then one whole event. Every decoder of an event
// without rows, by the event's own type; table maps too.

#include "decode/rows.h"
#include "formats.h"

namespace wherry::decode {
namespace {

void decode_any(const EventHeader& header, Bytes body, const FormatDescription& format) {
  switch (header.type) {
    case EventType::rotate:
      (void)decode_rotate(body);
      break;
    case EventType::gtid:
    case EventType::anonymous_gtid:
    case EventType::gtid_tagged:
    case EventType::mariadb_gtid: {
      const auto event = decode_gtid(header, body);
      if (event.ok()) (void)event.value().to_string(format.dialect);
      break;
    }
    case EventType::query:
    case EventType::mariadb_query_compressed:
      (void)decode_query(header, body, format);
      break;
    case EventType::xa_prepare:
      (void)decode_xa_prepare(body);
      break;
    case EventType::heartbeat:
    case EventType::heartbeat_v2:
      (void)decode_heartbeat(header, body);
      break;
    case EventType::incident:
      (void)decode_incident(body);
      break;
    case EventType::mariadb_gtid_list:
      (void)decode_gtid_list(body);
      break;
    case EventType::table_map:
      (void)decode_table_map(body, format);
      break;
    default:
      break;
  }
}

void run(const std::uint8_t* input, std::size_t size) {
  if (size < 1 + kHeaderSize) return;
  const Bytes event(reinterpret_cast<const std::byte*>(input) + 1, size - 1);
  const FormatDescription& format = format_for((input[0] & 1) != 0);

  (void)decode_format_description(event);
  const auto header = decode_header(event);
  if (!header.ok()) return;
  (void)role_of(header.value().type, header.value().flags);
  (void)name_of(header.value().type);
  const auto body = event_body(event, format, true);
  if (body.ok()) decode_any(header.value(), body.value(), format);
}

}  // namespace
}  // namespace wherry::decode

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  wherry::decode::run(input, size);
  return 0;
}
