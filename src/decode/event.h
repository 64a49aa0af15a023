// The frame of every binlog event and the events that carry no rows. Pure: bytes in, views out; a
// view borrows the event's bytes. Any thread. Formats: MySQL's libbinlogevents and its replication
// documentation, MariaDB's "Replication Protocol" pages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "support/cursor.h"
#include "support/result.h"

namespace wherry::decode {

enum class EventType : std::uint8_t {
  unknown = 0,
  start_v3 = 1,
  query = 2,
  stop = 3,
  rotate = 4,
  intvar = 5,
  slave = 7,
  append_block = 9,
  delete_file = 11,
  rand = 13,
  user_var = 14,
  format_description = 15,
  xid = 16,
  begin_load_query = 17,
  execute_load_query = 18,
  table_map = 19,
  write_rows_v1 = 23,
  update_rows_v1 = 24,
  delete_rows_v1 = 25,
  incident = 26,
  heartbeat = 27,
  ignorable = 28,
  rows_query = 29,
  write_rows_v2 = 30,
  update_rows_v2 = 31,
  delete_rows_v2 = 32,
  gtid = 33,
  anonymous_gtid = 34,
  previous_gtids = 35,
  transaction_context = 36,
  view_change = 37,
  xa_prepare = 38,
  partial_update_rows = 39,
  transaction_payload = 40,
  heartbeat_v2 = 41,
  gtid_tagged = 42,
  mariadb_annotate = 160,
  mariadb_binlog_checkpoint = 161,
  mariadb_gtid = 162,
  mariadb_gtid_list = 163,
  mariadb_start_encryption = 164,
  mariadb_query_compressed = 165,
  mariadb_write_rows_compressed_v1 = 166,
  mariadb_update_rows_compressed_v1 = 167,
  mariadb_delete_rows_compressed_v1 = 168,
  mariadb_write_rows_compressed = 169,
  mariadb_update_rows_compressed = 170,
  mariadb_delete_rows_compressed = 171
};

// What the assembler does with a type. A switch over it needs no default.
enum class EventRole {
  frame,
  transaction,
  table_map,
  rows,
  payload,
  statement_rows,
  harmless,
  unknown
};
// unknown: may hold rows, the stream must stop. An unknown type that carries the ignorable flag is
// harmless. statement_rows: data of statement-format DML (intvar, rand, user_var, load data).
EventRole role_of(EventType type, std::uint16_t flags);
std::string_view name_of(EventType type);

inline constexpr std::size_t kHeaderSize = 19;
inline constexpr std::uint16_t kFlagArtificial = 0x20;
inline constexpr std::uint16_t kFlagIgnorable = 0x80;

struct EventHeader {
  std::uint32_t timestamp = 0;
  EventType type = EventType::unknown;
  std::uint32_t server_id = 0;
  std::uint32_t size = 0;  // whole event, header and checksum included
  std::uint32_t log_pos = 0;
  std::uint16_t flags = 0;
};
Result<EventHeader> decode_header(Bytes event);

// From the format description: what later events need to be framed.
struct FormatDescription {
  std::string server_version;
  Dialect dialect = Dialect::mysql;
  bool checksummed = false;  // later events end in CRC-32
  std::vector<std::uint8_t> post_header_sizes;
  std::uint8_t post_header_size(EventType type) const;
};
// Takes the whole event. A format description always carries a checksum field when its server has
// checksums, whatever the algorithm byte says.
Result<FormatDescription> decode_format_description(Bytes event);

// The body of an event: header and, where the stream is checksummed, the last four bytes taken off.
// verify: compare the CRC-32 first.
Result<Bytes> event_body(Bytes event, const FormatDescription& format, bool verify);

struct RotateView {
  std::uint64_t next_position = 0;
  std::string_view next_file;
};
Result<RotateView> decode_rotate(Bytes body);

// GTID events of both dialects and anonymous ones.
struct GtidEvent {
  bool anonymous = false;
  std::string source;        // MySQL: "uuid" or "uuid:tag"
  std::uint64_t number = 0;  // MySQL: transaction number; MariaDB: sequence
  std::uint32_t domain = 0;  // MariaDB
  std::uint32_t server = 0;  // MariaDB: from the event's header
  bool standalone = false;   // MariaDB: the group is one statement, without a closing XID or COMMIT
  bool ddl = false;          // MariaDB: marked as DDL
  bool xa_prepare = false;   // MariaDB: the group prepares an XA transaction
  bool xa_complete = false;  // MariaDB: the group commits or rolls back a prepared one
  bool alter_start = false;  // MariaDB two-phase ALTER: not yet run
  bool alter_commit = false;    // MariaDB two-phase ALTER: run now
  bool alter_rollback = false;  // MariaDB two-phase ALTER: never run
  std::uint64_t commit_us =
      0;  // microseconds since the epoch, 0 where not known (MySQL 8: immediate commit timestamp)
  std::string to_string(Dialect dialect) const;  // "uuid:5", "0-1-33", or "" when anonymous
};
Result<GtidEvent> decode_gtid(const EventHeader& header, Bytes body);

struct QueryView {
  std::uint32_t thread_id = 0;
  std::uint16_t error_code = 0;
  std::string_view database;
  std::string_view statement;  // borrows the body, or unpacked for a compressed one
  std::string unpacked;        // owner of the text of MariaDB's compressed query
  std::optional<std::uint64_t> sql_mode;
  std::uint32_t flags2 = 0;  // OPTION_ bits: no foreign key checks 1<<26, relaxed unique 1<<27,
                             // auto commit, auto is null
  std::uint16_t charset_client = 0;  // collation ids, 0 where not given
  std::uint16_t collation_connection = 0;
  std::uint16_t collation_server = 0;
  std::uint16_t lc_time_names = 0;
  std::uint16_t charset_database = 0;
  std::uint16_t default_collation_for_utf8mb4 = 0;
  std::uint16_t auto_increment_increment = 1;
  std::uint16_t auto_increment_offset = 1;
  std::optional<std::uint32_t> microseconds;
  std::string_view time_zone;
  std::optional<bool> explicit_defaults_for_timestamp;
  std::uint64_t ddl_xid = 0;
};
Result<QueryView> decode_query(const EventHeader& header, Bytes body,
                               const FormatDescription& format);

struct XaPrepare {
  bool one_phase = false;
  std::string xid;  // as XA statements spell it: X'gtrid',X'bqual',format
};
Result<XaPrepare> decode_xa_prepare(Bytes body);

struct Heartbeat {
  std::string file;
  std::uint64_t offset = 0;
};
Result<Heartbeat> decode_heartbeat(const EventHeader& header, Bytes body);

struct IncidentView {
  std::uint16_t number = 0;
  std::string_view message;
};
Result<IncidentView> decode_incident(Bytes body);

// MariaDB's GTID list at the start of a file (artificial ones carry the dump's own position).
struct GtidList {
  std::string position;  // "0-1-33,7-2-9"
};
Result<GtidList> decode_gtid_list(Bytes body);

// The events inside a MySQL transaction payload, unpacked. Owns the bytes; the spans of events
// borrow it. bytes_max bounds what it may unpack to.
struct TransactionPayload {
  std::vector<std::byte> bytes;
  std::vector<Bytes> events;  // whole events with headers, without checksums
};
Result<TransactionPayload> decode_transaction_payload(Bytes body, std::size_t bytes_max);

}  // namespace wherry::decode
