#include "model/schema.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "support/ascii.h"
#include "support/quote.h"

namespace wherry {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> kIntegerWidths{
    {{"tinyint", 1},
     {"smallint", 2},
     {"mediumint", 3},
     {"int", 4},
     {"integer", 4},
     {"bigint", 8},
     {"float", 4}}};

// Bytes a value takes in an index, near enough to choose between keys.
std::uint32_t width_of(const Column& column) {
  for (const auto& [type, width] : kIntegerWidths) {
    if (ascii::same(column.data_type, type)) return width;
  }
  switch (column.kind) {
    case ColumnClass::year:
      return 1;
    case ColumnClass::date:
      return 3;
    case ColumnClass::enumeration:
      return 2;
    case ColumnClass::time:
      return 6;
    case ColumnClass::timestamp:
      return 7;
    case ColumnClass::integer:
    case ColumnClass::floating:
    case ColumnClass::bit:
    case ColumnClass::set:
    case ColumnClass::datetime:
      return 8;
    case ColumnClass::inet4:
      return 4;
    case ColumnClass::uuid:
    case ColumnClass::inet6:
    case ColumnClass::decimal:
      return 16;
    case ColumnClass::text:
    case ColumnClass::binary:
    case ColumnClass::json:
    case ColumnClass::geometry:
    case ColumnClass::vector:
      break;
  }
  return column.length == 0 ? 65535 : column.length;
}

// A virtual column is computed when read, so its value may be missing from row events.
bool identifies_rows(const Table& table, const Index& index) {
  if ((!index.unique && !index.primary) || index.functional || index.parts.empty()) return false;
  return std::all_of(index.parts.begin(), index.parts.end(), [&](const IndexPart& part) {
    if (part.column >= table.columns.size() || part.prefix_length != 0) return false;
    const Column& column = table.columns[part.column];
    return !column.nullable && (!column.generated || column.stored);
  });
}

std::uint64_t width_of(const Table& table, const Index& index) {
  std::uint64_t width = 0;
  for (const IndexPart& part : index.parts) width += width_of(table.columns[part.column]);
  return width;
}

}  // namespace

// Exactly as written first: column names compare without case on every server.
std::optional<std::size_t> Table::find_column(std::string_view column) const {
  std::optional<std::size_t> other_case;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == column) return i;
    if (!other_case && ascii::same(columns[i].name, column)) other_case = i;
  }
  return other_case;
}

const Index* row_key(const Table& table) {
  const auto rank = [&](const Index& index) {
    return std::tuple(!index.primary, index.parts.size(), width_of(table, index));
  };
  const Index* best = nullptr;
  for (const Index& index : table.indexes) {
    if (!identifies_rows(table, index)) continue;
    if (best == nullptr || rank(index) < rank(*best)) best = &index;
  }
  return best;
}

std::string key_signature(const Table& table) {
  std::string out;
  const Index* key = row_key(table);
  if (key == nullptr) return out;
  for (const IndexPart& part : key->parts) {
    const Column& column = table.columns[part.column];
    if (!out.empty()) out += ", ";
    out += quote_name(column.name) + " " + column.type;
    if (!column.collation.empty()) out += " " + column.collation;
  }
  return out;
}

}  // namespace wherry
