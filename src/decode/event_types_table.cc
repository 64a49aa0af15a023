#include "decode/event.h"

namespace wherry::decode {

EventRole role_of(EventType type, std::uint16_t flags) {
  switch (type) {
    case EventType::rotate:
    case EventType::format_description:
    case EventType::stop:
    case EventType::heartbeat:
    case EventType::heartbeat_v2:
    case EventType::previous_gtids:
    case EventType::mariadb_gtid_list:
      return EventRole::frame;
    case EventType::gtid:
    case EventType::anonymous_gtid:
    case EventType::gtid_tagged:
    case EventType::mariadb_gtid:
    case EventType::query:
    case EventType::mariadb_query_compressed:
    case EventType::xid:
    case EventType::xa_prepare:
      return EventRole::transaction;
    case EventType::table_map:
      return EventRole::table_map;
    case EventType::write_rows_v1:
    case EventType::update_rows_v1:
    case EventType::delete_rows_v1:
    case EventType::write_rows_v2:
    case EventType::update_rows_v2:
    case EventType::delete_rows_v2:
    case EventType::partial_update_rows:
    case EventType::mariadb_write_rows_compressed_v1:
    case EventType::mariadb_update_rows_compressed_v1:
    case EventType::mariadb_delete_rows_compressed_v1:
    case EventType::mariadb_write_rows_compressed:
    case EventType::mariadb_update_rows_compressed:
    case EventType::mariadb_delete_rows_compressed:
      return EventRole::rows;
    case EventType::transaction_payload:
      return EventRole::payload;
    case EventType::intvar:
    case EventType::rand:
    case EventType::user_var:
    case EventType::append_block:
    case EventType::delete_file:
    case EventType::begin_load_query:
    case EventType::execute_load_query:
      return EventRole::statement_rows;
    case EventType::ignorable:
    case EventType::rows_query:
    case EventType::transaction_context:
    case EventType::view_change:
    case EventType::mariadb_annotate:
    case EventType::mariadb_binlog_checkpoint:
    case EventType::mariadb_start_encryption:
      return EventRole::harmless;
    // An incident says that the server lost events: whoever does not ask for it by name must stop.
    case EventType::incident:
    case EventType::unknown:
    case EventType::start_v3:
    case EventType::slave:
      break;
  }
  return (flags & kFlagIgnorable) != 0 ? EventRole::harmless : EventRole::unknown;
}

std::string_view name_of(EventType type) {
  switch (type) {
    case EventType::unknown:
      return "unknown";
    case EventType::start_v3:
      return "start_v3";
    case EventType::query:
      return "query";
    case EventType::stop:
      return "stop";
    case EventType::rotate:
      return "rotate";
    case EventType::intvar:
      return "intvar";
    case EventType::slave:
      return "slave";
    case EventType::append_block:
      return "append_block";
    case EventType::delete_file:
      return "delete_file";
    case EventType::rand:
      return "rand";
    case EventType::user_var:
      return "user_var";
    case EventType::format_description:
      return "format_description";
    case EventType::xid:
      return "xid";
    case EventType::begin_load_query:
      return "begin_load_query";
    case EventType::execute_load_query:
      return "execute_load_query";
    case EventType::table_map:
      return "table_map";
    case EventType::write_rows_v1:
      return "write_rows_v1";
    case EventType::update_rows_v1:
      return "update_rows_v1";
    case EventType::delete_rows_v1:
      return "delete_rows_v1";
    case EventType::incident:
      return "incident";
    case EventType::heartbeat:
      return "heartbeat";
    case EventType::ignorable:
      return "ignorable";
    case EventType::rows_query:
      return "rows_query";
    case EventType::write_rows_v2:
      return "write_rows";
    case EventType::update_rows_v2:
      return "update_rows";
    case EventType::delete_rows_v2:
      return "delete_rows";
    case EventType::gtid:
      return "gtid";
    case EventType::anonymous_gtid:
      return "anonymous_gtid";
    case EventType::previous_gtids:
      return "previous_gtids";
    case EventType::transaction_context:
      return "transaction_context";
    case EventType::view_change:
      return "view_change";
    case EventType::xa_prepare:
      return "xa_prepare";
    case EventType::partial_update_rows:
      return "partial_update_rows";
    case EventType::transaction_payload:
      return "transaction_payload";
    case EventType::heartbeat_v2:
      return "heartbeat_v2";
    case EventType::gtid_tagged:
      return "gtid_tagged";
    case EventType::mariadb_annotate:
      return "annotate";
    case EventType::mariadb_binlog_checkpoint:
      return "binlog_checkpoint";
    case EventType::mariadb_gtid:
      return "mariadb_gtid";
    case EventType::mariadb_gtid_list:
      return "gtid_list";
    case EventType::mariadb_start_encryption:
      return "start_encryption";
    case EventType::mariadb_query_compressed:
      return "query_compressed";
    case EventType::mariadb_write_rows_compressed_v1:
      return "write_rows_compressed_v1";
    case EventType::mariadb_update_rows_compressed_v1:
      return "update_rows_compressed_v1";
    case EventType::mariadb_delete_rows_compressed_v1:
      return "delete_rows_compressed_v1";
    case EventType::mariadb_write_rows_compressed:
      return "write_rows_compressed";
    case EventType::mariadb_update_rows_compressed:
      return "update_rows_compressed";
    case EventType::mariadb_delete_rows_compressed:
      return "delete_rows_compressed";
  }
  return "unknown";
}

}  // namespace wherry::decode
