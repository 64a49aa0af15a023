#include "decode/optional_metadata.h"
#include "decode/rows.h"

namespace wherry::decode {
namespace {

constexpr std::uint64_t kColumnsMax = 4096;  // of both servers
constexpr unsigned kDecimalDigitsMax = 65;

// ENUM, SET and CHAR share one type code; the real one stands in the metadata. CHAR wider than 255
// bytes has two bits of its length, inverted, in the byte of the type.
bool resolve_string(unsigned first, unsigned second, ColumnShape& shape) {
  unsigned type = first;
  unsigned length = second;
  if ((first & 0x30) != 0x30) {
    type = first | 0x30;
    length |= ((first & 0x30) ^ 0x30) << 4;
  }
  shape.type = static_cast<WireType>(type);
  shape.meta = static_cast<std::uint16_t>(length);
  if (shape.type == WireType::enum_) return length == 1 || length == 2;
  if (shape.type == WireType::set) return length >= 1 && length <= 8;
  return shape.type == WireType::string || shape.type == WireType::var_string;
}

bool read_decimal_meta(Cursor& in, ColumnShape& shape) {
  const auto precision = static_cast<unsigned>(in.uint_le(1));
  const auto scale = static_cast<unsigned>(in.uint_le(1));
  shape.meta = static_cast<std::uint16_t>(precision << 8 | scale);
  return precision >= 1 && precision <= kDecimalDigitsMax && scale <= precision;
}

// False: a type or a metadata value that no server writes.
bool read_column_meta(Cursor& in, ColumnShape& shape);

// The element type comes first, with its own metadata behind it. The column's bytes are those of a
// long blob.
bool read_typed_array_meta(Cursor& in) {
  ColumnShape element;
  element.type = static_cast<WireType>(in.uint_le(1));
  if (element.type == WireType::typed_array) return false;
  return read_column_meta(in, element);
}

bool read_column_meta(Cursor& in, ColumnShape& shape) {
  switch (shape.type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::long_:
    case WireType::longlong:
    case WireType::int24:
    case WireType::null:
    case WireType::timestamp:
    case WireType::date:
    case WireType::time:
    case WireType::datetime:
    case WireType::year:
    case WireType::newdate:
      return true;
    case WireType::float_:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(1));
      return shape.meta == 4;
    case WireType::double_:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(1));
      return shape.meta == 8;
    case WireType::timestamp2:
    case WireType::datetime2:
    case WireType::time2:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(1));
      return shape.meta <= 6;
    case WireType::blob:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::geometry:
    case WireType::json:
    case WireType::vector:
    case WireType::blob_compressed:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(1));
      return shape.meta >= 1 && shape.meta <= 4;
    case WireType::varchar:
    case WireType::varchar_compressed:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(2));
      return true;
    case WireType::bit:
      shape.meta = static_cast<std::uint16_t>(in.uint_le(2));
      return (shape.meta & 0xFF) < 8 && (shape.meta >> 8) <= 8;
    case WireType::newdecimal:
      return read_decimal_meta(in, shape);
    case WireType::string:
    case WireType::enum_:
    case WireType::set:
    case WireType::var_string: {
      const auto first = static_cast<unsigned>(in.uint_le(1));
      const auto second = static_cast<unsigned>(in.uint_le(1));
      return resolve_string(first, second, shape);
    }
    case WireType::typed_array:
      return read_typed_array_meta(in);
    case WireType::decimal:
      break;
  }
  return false;
}

// Names carry their length and a zero byte behind it.
std::string read_name(Cursor& in) {
  std::string name(in.text(in.packed()));
  in.uint_le(1);
  return name;
}

Status read_columns(Cursor& in, TableMap& map) {
  const std::uint64_t count = in.packed();
  const Bytes types = in.bytes(count);
  Cursor meta(in.bytes(in.packed()));
  const Bytes nullable = in.bytes((count + 7) / 8);
  if (in.failed()) return Error{Errc::truncated, "table map event"};
  if (count == 0 || count > kColumnsMax) {
    return Error{Errc::malformed, "table map event: number of columns"};
  }

  map.columns.resize(count);
  map.nullable.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    map.columns[i].type = static_cast<WireType>(types[i]);
    if (!read_column_meta(meta, map.columns[i]) || meta.failed()) {
      return Error{Errc::malformed, "table map event: type of column " + std::to_string(i + 1) +
                                        " of " + map.database + "." + map.table};
    }
    map.nullable[i] = (std::to_integer<unsigned>(nullable[i / 8]) >> (i % 8) & 1) != 0;
  }
  return Unit{};
}

}  // namespace

Result<TableMap> decode_table_map(Bytes body, const FormatDescription& format) {
  constexpr std::uint8_t kOldPostHeader = 6;
  const bool short_id = format.post_header_size(EventType::table_map) == kOldPostHeader;
  Cursor in(body);
  TableMap map;
  map.table_id = in.uint_le(short_id ? 4 : 6);
  in.uint_le(2);  // flags
  map.database = read_name(in);
  map.table = read_name(in);
  const Status columns = read_columns(in, map);
  if (!columns.ok()) return columns.error();

  const Status optional = read_optional_metadata(in.remaining(), format.dialect, map);
  if (!optional.ok())
    return optional.error().within("table map of " + map.database + "." + map.table);
  return map;
}

}  // namespace wherry::decode
