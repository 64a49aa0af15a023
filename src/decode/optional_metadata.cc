#include "decode/optional_metadata.h"

namespace wherry::decode {
namespace {

enum class Field : std::uint8_t {
  signedness = 1,
  default_charset = 2,
  column_charset = 3,
  column_name = 4,
  set_members = 5,
  enum_members = 6,
  geometry_type = 7,
  primary_key = 8,
  primary_key_with_prefix = 9,
  enum_and_set_default_charset = 10,
  enum_and_set_column_charset = 11,
  visibility = 12
};

constexpr std::uint32_t kBinaryCollation = 63;
constexpr std::uint64_t kMembersMax = 65535;

bool is_numeric(WireType type) {
  switch (type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
    case WireType::newdecimal:
    case WireType::float_:
    case WireType::double_:
    case WireType::year:
      return true;
    default:
      return false;
  }
}

bool is_character_mysql(WireType type) {
  switch (type) {
    case WireType::string:
    case WireType::var_string:
    case WireType::varchar:
    case WireType::blob:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
    case WireType::vector:  // a blob to MySQL
      return true;
    default:
      return false;
  }
}

// MariaDB counts geometry among the columns with a character set, MySQL does not.
bool is_character_mariadb(WireType type) {
  return type == WireType::geometry || is_character_mysql(type);
}

bool is_enum_or_set(WireType type) { return type == WireType::enum_ || type == WireType::set; }

using Predicate = bool (*)(WireType);

// The numbers of the columns that a field speaks of, in the order in which it does.
std::vector<std::uint32_t> columns_where(const TableMap& map, Predicate applies) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < map.columns.size(); ++i) {
    if (applies(map.columns[i].type)) numbers.push_back(i);
  }
  return numbers;
}

bool bit_at(Bytes bits, std::size_t index) {
  return (std::to_integer<unsigned>(bits[index / 8]) & (0x80u >> (index % 8))) != 0;
}

bool read_signedness(Bytes bits, Predicate applies, TableMap& map) {
  const auto numeric = columns_where(map, applies);
  if (bits.size() != (numeric.size() + 7) / 8) return false;
  for (std::size_t i = 0; i < numeric.size(); ++i) {
    map.columns[numeric[i]].is_unsigned = bit_at(bits, i);
  }
  map.has_signedness = true;
  return true;
}

// One collation for all, then {index among those columns, collation} for the exceptions.
bool read_default_charset(Cursor in, Predicate applies, TableMap& map) {
  const auto columns = columns_where(map, applies);
  map.collations.resize(map.columns.size());
  const auto common = static_cast<std::uint32_t>(in.packed());
  for (const std::uint32_t column : columns) map.collations[column] = common;
  while (in.size() > 0) {
    const std::uint64_t index = in.packed();
    const std::uint64_t collation = in.packed();
    if (in.failed() || index >= columns.size()) return false;
    map.collations[columns[index]] = static_cast<std::uint32_t>(collation);
  }
  return !in.failed();
}

bool read_column_charset(Cursor in, Predicate applies, TableMap& map) {
  map.collations.resize(map.columns.size());
  for (const std::uint32_t column : columns_where(map, applies)) {
    map.collations[column] = static_cast<std::uint32_t>(in.packed());
  }
  return !in.failed() && in.size() == 0;
}

bool read_names(Cursor in, TableMap& map) {
  map.names.clear();
  map.names.reserve(map.columns.size());
  for (std::size_t i = 0; i < map.columns.size() && !in.failed(); ++i) {
    map.names.emplace_back(in.text(in.packed()));
  }
  return !in.failed() && in.size() == 0;
}

bool read_members(Cursor in, WireType type, TableMap& map) {
  map.members.resize(map.columns.size());
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    if (map.columns[i].type != type) continue;
    const std::uint64_t count = in.packed();
    if (in.failed() || count > kMembersMax || count > in.size()) return false;
    map.members[i].clear();
    map.members[i].reserve(count);
    for (std::uint64_t k = 0; k < count; ++k) map.members[i].emplace_back(in.text(in.packed()));
  }
  return !in.failed() && in.size() == 0;
}

bool read_geometry_types(Cursor in, TableMap& map) {
  map.geometry_types.resize(map.columns.size());
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    if (map.columns[i].type != WireType::geometry) continue;
    map.geometry_types[i] = static_cast<std::uint32_t>(in.packed());
  }
  return !in.failed() && in.size() == 0;
}

bool read_primary_key(Cursor in, bool with_prefix, TableMap& map) {
  map.primary_key.clear();
  while (in.size() > 0) {
    const std::uint64_t column = in.packed();
    if (with_prefix) in.packed();
    if (in.failed() || column >= map.columns.size()) return false;
    map.primary_key.push_back(static_cast<std::uint32_t>(column));
  }
  return !in.failed();
}

bool read_visibility(Bytes bits, TableMap& map) {
  if (bits.size() != (map.columns.size() + 7) / 8) return false;
  map.visible.resize(map.columns.size());
  for (std::size_t i = 0; i < map.columns.size(); ++i) map.visible[i] = bit_at(bits, i);
  return true;
}

bool read_field(Field field, Bytes value, Dialect dialect, TableMap& map) {
  const bool mariadb = dialect == Dialect::mariadb;
  const Predicate is_character = mariadb ? is_character_mariadb : is_character_mysql;
  switch (field) {
    case Field::signedness:
      return read_signedness(value, is_numeric, map);
    case Field::default_charset:
      return read_default_charset(Cursor(value), is_character, map);
    case Field::column_charset:
      return read_column_charset(Cursor(value), is_character, map);
    case Field::column_name:
      return read_names(Cursor(value), map);
    case Field::set_members:
      return read_members(Cursor(value), WireType::set, map);
    case Field::enum_members:
      return read_members(Cursor(value), WireType::enum_, map);
    case Field::geometry_type:
      return read_geometry_types(Cursor(value), map);
    case Field::primary_key:
      return read_primary_key(Cursor(value), false, map);
    case Field::primary_key_with_prefix:
      return read_primary_key(Cursor(value), true, map);
    case Field::enum_and_set_default_charset:
      return read_default_charset(Cursor(value), is_enum_or_set, map);
    case Field::enum_and_set_column_charset:
      return read_column_charset(Cursor(value), is_enum_or_set, map);
    case Field::visibility:
      return read_visibility(value, map);
  }
  return true;
}

}  // namespace

Status read_optional_metadata(Bytes fields, Dialect dialect, TableMap& map) {
  Cursor in(fields);
  while (in.size() > 0) {
    const auto field = static_cast<Field>(in.uint_le(1));
    const Bytes value = in.bytes(in.packed());
    if (in.failed()) return Error{Errc::truncated, "optional metadata"};
    if (!read_field(field, value, dialect, map)) {
      return Error{Errc::malformed,
                   "optional metadata: field " + std::to_string(static_cast<unsigned>(field))};
    }
  }
  for (std::size_t i = 0; i < map.collations.size(); ++i) {
    ColumnShape& shape = map.columns[i];
    shape.fixed_binary = shape.type == WireType::string && map.collations[i] == kBinaryCollation;
  }
  return Unit{};
}

}  // namespace wherry::decode
