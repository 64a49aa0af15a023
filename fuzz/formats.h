// The two format descriptions that the fuzz targets decode under: what a server of each dialect
// announces, without checksums so that inputs need none. Built once; read only afterwards.
#pragma once

#include "decode/event.h"

namespace wherry::decode {

inline FormatDescription plain_format(Dialect dialect) {
  FormatDescription format;
  format.server_version = dialect == Dialect::mysql ? "9.7.0" : "10.11.0-MariaDB";
  format.dialect = dialect;
  format.post_header_sizes.assign(171, 0);
  const auto set = [&](EventType type, std::uint8_t size) {
    format.post_header_sizes[static_cast<std::size_t>(type) - 1] = size;
  };
  set(EventType::query, 13);
  set(EventType::mariadb_query_compressed, 13);
  set(EventType::table_map, 8);
  set(EventType::write_rows_v1, 8);
  set(EventType::update_rows_v1, 8);
  set(EventType::delete_rows_v1, 8);
  set(EventType::write_rows_v2, 10);
  set(EventType::update_rows_v2, 10);
  set(EventType::delete_rows_v2, 10);
  set(EventType::partial_update_rows, 10);
  return format;
}

// Both, the second for inputs whose first bit is set.
inline const FormatDescription& format_for(bool mariadb) {
  static const FormatDescription formats[] = {plain_format(Dialect::mysql),
                                              plain_format(Dialect::mariadb)};
  return formats[mariadb ? 1 : 0];
}

}  // namespace wherry::decode
