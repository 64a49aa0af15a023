#include "decode/event.h"
#include "decode/inflate.h"

namespace wherry::decode {
namespace {

enum class Variable : std::uint8_t {
  flags2 = 0,
  sql_mode = 1,
  catalog_old = 2,
  auto_increment = 3,
  charset = 4,
  time_zone = 5,
  catalog = 6,
  lc_time_names = 7,
  charset_database = 8,
  table_map_for_update = 9,
  source_data_written = 10,
  invoker = 11,
  updated_databases = 12,
  microseconds = 13,
  explicit_timestamp_defaults = 16,
  ddl_xid = 17,
  utf8mb4_collation = 18,
  require_primary_key = 19,
  table_encryption = 20,
  mariadb_microseconds = 128,
  mariadb_xid = 129,
  mariadb_gtid_flags = 130,
  mariadb_collations = 131
};

void skip_updated_databases(Cursor& in) {
  constexpr std::uint64_t kTooMany = 254;
  const std::uint64_t count = in.uint_le(1);
  if (count == kTooMany) return;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    while (in.size() > 0 && in.uint_le(1) != 0) {
    }
  }
}

void skip_mariadb_gtid_flags(Cursor& in) {
  constexpr std::uint64_t kCommitOrRollbackAlter = 4 | 8;
  const std::uint64_t flags = in.uint_le(1);
  if ((flags & kCommitOrRollbackAlter) != 0) in.uint_le(8);
}

void read_charsets(Cursor& in, QueryView& view) {
  view.charset_client = static_cast<std::uint16_t>(in.uint_le(2));
  view.collation_connection = static_cast<std::uint16_t>(in.uint_le(2));
  view.collation_server = static_cast<std::uint16_t>(in.uint_le(2));
}

// Variables whose meaning we do not need, by their size. False: not one of them.
bool skip_variable(Variable code, Cursor& in) {
  switch (code) {
    case Variable::catalog_old:
      in.bytes(in.uint_le(1) + 1);
      return true;
    case Variable::catalog:
      in.bytes(in.uint_le(1));
      return true;
    case Variable::table_map_for_update:
      in.bytes(8);
      return true;
    case Variable::source_data_written:
      in.bytes(4);
      return true;
    case Variable::invoker:
      in.bytes(in.uint_le(1));
      in.bytes(in.uint_le(1));
      return true;
    case Variable::updated_databases:
      skip_updated_databases(in);
      return true;
    case Variable::require_primary_key:
    case Variable::table_encryption:
      in.bytes(1);
      return true;
    case Variable::mariadb_gtid_flags:
      skip_mariadb_gtid_flags(in);
      return true;
    case Variable::mariadb_collations:
      in.bytes(in.uint_le(1) * 4);
      return true;
    default:
      return false;
  }
}

// False: a code that this page does not know. Its size is unknown too, so nothing behind it can be
// read; servers append new codes at the end, as they do themselves when they meet one.
bool read_variable(Variable code, Cursor& in, QueryView& view) {
  switch (code) {
    case Variable::flags2:
      view.flags2 = static_cast<std::uint32_t>(in.uint_le(4));
      return true;
    case Variable::sql_mode:
      view.sql_mode = in.uint_le(8);
      return true;
    case Variable::auto_increment:
      view.auto_increment_increment = static_cast<std::uint16_t>(in.uint_le(2));
      view.auto_increment_offset = static_cast<std::uint16_t>(in.uint_le(2));
      return true;
    case Variable::charset:
      read_charsets(in, view);
      return true;
    case Variable::time_zone:
      view.time_zone = in.text(in.uint_le(1));
      return true;
    case Variable::lc_time_names:
      view.lc_time_names = static_cast<std::uint16_t>(in.uint_le(2));
      return true;
    case Variable::charset_database:
      view.charset_database = static_cast<std::uint16_t>(in.uint_le(2));
      return true;
    case Variable::microseconds:
    case Variable::mariadb_microseconds:
      view.microseconds = static_cast<std::uint32_t>(in.uint_le(3));
      return true;
    case Variable::explicit_timestamp_defaults:
      view.explicit_defaults_for_timestamp = in.uint_le(1) != 0;
      return true;
    case Variable::ddl_xid:
    case Variable::mariadb_xid:
      view.ddl_xid = in.uint_le(8);
      return true;
    case Variable::utf8mb4_collation:
      view.default_collation_for_utf8mb4 = static_cast<std::uint16_t>(in.uint_le(2));
      return true;
    default:
      return skip_variable(code, in);
  }
}

}  // namespace

Result<QueryView> decode_query(const EventHeader& header, Bytes body,
                               const FormatDescription& format) {
  constexpr std::size_t kPostHeaderSize = 13;
  Cursor in(body);
  QueryView view;
  view.thread_id = static_cast<std::uint32_t>(in.uint_le(4));
  in.uint_le(4);  // seconds that the statement took
  const std::uint64_t database_size = in.uint_le(1);
  view.error_code = static_cast<std::uint16_t>(in.uint_le(2));
  const std::uint64_t variables_size = in.uint_le(2);
  const std::size_t post_header_size = format.post_header_size(header.type);
  if (post_header_size > kPostHeaderSize) in.bytes(post_header_size - kPostHeaderSize);

  Cursor variables(in.bytes(variables_size));
  view.database = in.text(database_size);
  in.uint_le(1);  // zero byte behind the name
  if (in.failed()) return Error{Errc::truncated, "query event"};

  while (variables.size() > 0) {
    const auto code = static_cast<Variable>(variables.uint_le(1));
    if (!read_variable(code, variables, view)) break;
  }
  if (variables.failed()) return Error{Errc::malformed, "query event: status variables"};

  if (header.type == EventType::mariadb_query_compressed) {
    // Never in the string's own small buffer: the statement must stay in place when the view moves.
    view.unpacked.reserve(64);
    const Status unpacked = unpack_event_part(in.remaining(), view.unpacked);
    if (!unpacked.ok()) return unpacked.error().within("query event");
    view.statement = view.unpacked;
  } else {
    view.statement = in.remaining_text();
  }
  return view;
}

}  // namespace wherry::decode
