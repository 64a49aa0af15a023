// How one column looks inside row events: the binlog's type code with its metadata, and what only a
// schema (or the optional metadata of a table map) can tell. Values; no threads.
// Codes and metadata: MySQL's field_types.h and Table_map_event, MariaDB's log_event.h.
#pragma once

#include <cstdint>

namespace wherry {

enum class WireType : std::uint8_t {
  decimal = 0,
  tiny = 1,
  short_ = 2,
  long_ = 3,
  float_ = 4,
  double_ = 5,
  null = 6,
  timestamp = 7,
  longlong = 8,
  int24 = 9,
  date = 10,
  time = 11,
  datetime = 12,
  year = 13,
  newdate = 14,
  varchar = 15,
  bit = 16,
  timestamp2 = 17,
  datetime2 = 18,
  time2 = 19,
  typed_array = 20,
  blob_compressed = 140,
  varchar_compressed = 141,
  vector = 242,
  json = 245,
  newdecimal = 246,
  enum_ = 247,
  set = 248,
  tiny_blob = 249,
  medium_blob = 250,
  long_blob = 251,
  blob = 252,
  var_string = 253,
  string = 254,
  geometry = 255
};

// What the wire type alone cannot say. MariaDB keeps UUID and INET in a fixed string.
enum class WireFlavor : std::uint8_t { none, uuid, inet4, inet6 };

// meta, by type: CHAR, VARCHAR: bytes at most; BLOB, JSON, GEOMETRY, VECTOR: bytes of the length in
// front; ENUM, SET: bytes of the value; DECIMAL: precision << 8 | scale; BIT: whole bytes << 8 |
// bits beyond; TIME2, DATETIME2, TIMESTAMP2: fraction digits. The same for time, datetime and
// timestamp, which MariaDB writes with mysql56_temporal_format=OFF: their table maps do not say it,
// so whoever knows the schema sets it before rows are read.
struct ColumnShape {
  WireType type = WireType::null;  // the real type: ENUM and SET are resolved from STRING
  std::uint16_t meta = 0;
  bool is_unsigned = false;
  bool fixed_binary =
      false;  // BINARY(N): the log strips trailing zero bytes, values are padded back
  WireFlavor flavor = WireFlavor::none;
};

}  // namespace wherry
