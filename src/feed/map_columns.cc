#include "feed/map_columns.h"

namespace wherry::feed {
namespace {

constexpr std::uint32_t kBinaryCollation = 63;

ColumnClass class_of(WireType type) {
  switch (type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
      return ColumnClass::integer;
    case WireType::decimal:
    case WireType::newdecimal:
      return ColumnClass::decimal;
    case WireType::float_:
    case WireType::double_:
      return ColumnClass::floating;
    case WireType::bit:
      return ColumnClass::bit;
    case WireType::year:
      return ColumnClass::year;
    case WireType::date:
    case WireType::newdate:
      return ColumnClass::date;
    case WireType::time:
    case WireType::time2:
      return ColumnClass::time;
    case WireType::datetime:
    case WireType::datetime2:
      return ColumnClass::datetime;
    case WireType::timestamp:
    case WireType::timestamp2:
      return ColumnClass::timestamp;
    case WireType::enum_:
      return ColumnClass::enumeration;
    case WireType::set:
      return ColumnClass::set;
    case WireType::json:
      return ColumnClass::json;
    case WireType::vector:
      return ColumnClass::vector;
    case WireType::varchar:
    case WireType::var_string:
    case WireType::string:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::blob:
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      return ColumnClass::text;
    case WireType::geometry:
    case WireType::null:
    case WireType::typed_array:
      break;
  }
  return ColumnClass::geometry;  // not compared
}

// MariaDB keeps its UUID and INET types in fixed strings of these sizes, and row events do not say
// which it is.
bool may_be_address(const ColumnShape& shape, Dialect dialect) {
  return dialect == Dialect::mariadb && shape.type == WireType::string &&
         (shape.meta == 16 || shape.meta == 4);
}

}  // namespace

std::vector<sql::ConditionColumn> map_columns(const decode::TableMap& map,
                                              const CollationNames& collations, Dialect dialect) {
  std::vector<sql::ConditionColumn> out(map.columns.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ColumnShape& shape = map.columns[i];
    Column& column = out[i].column;
    column.name = i < map.names.size() ? map.names[i] : "";
    column.kind = class_of(shape.type);
    column.is_unsigned = shape.is_unsigned;
    const std::uint32_t collation = i < map.collations.size() ? map.collations[i] : 0;
    if (column.kind == ColumnClass::text && collation == kBinaryCollation) {
      column.kind = ColumnClass::binary;
      if (may_be_address(shape, dialect)) {
        column.kind = ColumnClass::uuid;
        column.type = "BINARY, UUID or INET (row events do not tell them apart)";
      }
      continue;
    }
    if (column.kind != ColumnClass::text && column.kind != ColumnClass::enumeration) continue;
    const auto found = collations.find(collation);
    column.collation =
        found != collations.end() ? found->second.collation : "number " + std::to_string(collation);
    column.charset = found != collations.end() ? found->second.charset : "unknown";
    if (i < map.members.size()) out[i].members = map.members[i];
  }
  return out;
}

}  // namespace wherry::feed
