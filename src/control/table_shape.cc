#include "control/table_shape.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace wherry::control {
namespace {

using nlohmann::json;

constexpr std::uint8_t kClassesEnd = static_cast<std::uint8_t>(ColumnClass::inet6) + 1;

// Calls `with` for each field that has a default of its own: writing and reading name the same.
template <typename AnyColumn, typename With>
void for_each_field(AnyColumn& column, With with) {
  with("type", column.type);
  with("data_type", column.data_type);
  with("charset", column.charset);
  with("collation", column.collation);
  with("length", column.length);
  with("fraction", column.fraction);
  with("unsigned", column.is_unsigned);
  with("zerofill", column.zerofill);
  with("nullable", column.nullable);
  with("auto_increment", column.auto_increment);
  with("invisible", column.invisible);
  with("generated", column.generated);
  with("stored", column.stored);
}

template <typename AnyIndex, typename With>
void for_each_flag(AnyIndex& index, With with) {
  with("unique", index.unique);
  with("primary", index.primary);
  with("functional", index.functional);
}

// Puts what differs from a fresh one. The fields of both are visited in the same order.
template <typename Value, typename Visit>
void put_differing(json& out, const Value& value, Visit visit) {
  json plain;
  visit(std::as_const(value), [&](const char* name, const auto& field) { plain[name] = field; });
  const Value fresh;
  visit(fresh, [&](const char* name, const auto& field) {
    if (plain[name] != json(field)) out[name] = plain[name];
  });
}

json to_json(const Column& column) {
  json out{{"name", column.name}, {"class", static_cast<unsigned>(column.kind)}};
  put_differing(out, column, [](const auto& one, auto with) { for_each_field(one, with); });
  return out;
}

json to_json(const Index& index) {
  json out{{"name", index.name}, {"parts", json::array()}};
  for (const IndexPart& part : index.parts)
    out["parts"].push_back(json::array({part.column, part.prefix_length}));
  put_differing(out, index, [](const auto& one, auto with) { for_each_flag(one, with); });
  return out;
}

json to_json(const ForeignKey& key) {
  return {{"name", key.name},
          {"columns", key.columns},
          {"parent", json::array({key.parent.database, key.parent.table})},
          {"parent_columns", key.parent_columns},
          {"cascades", key.cascades}};
}

// What throws is caught in shape_from_json().
Column to_column(const json& from) {
  Column column;
  column.name = from.at("name").get<std::string>();
  const auto kind = from.at("class").get<std::uint8_t>();
  if (kind < kClassesEnd) column.kind = static_cast<ColumnClass>(kind);
  for_each_field(column, [&](const char* name, auto& field) { field = from.value(name, field); });
  return column;
}

Index to_index(const json& from) {
  Index index;
  index.name = from.at("name").get<std::string>();
  for (const json& part : from.at("parts"))
    index.parts.push_back({part.at(0).get<std::size_t>(), part.at(1).get<std::uint32_t>()});
  for_each_flag(index, [&](const char* name, auto& field) { field = from.value(name, field); });
  return index;
}

ForeignKey to_foreign_key(const json& from) {
  ForeignKey key;
  key.name = from.at("name").get<std::string>();
  key.columns = from.at("columns").get<std::vector<std::size_t>>();
  key.parent = {from.at("parent").at(0).get<std::string>(),
                from.at("parent").at(1).get<std::string>()};
  key.parent_columns = from.at("parent_columns").get<std::vector<std::string>>();
  key.cascades = from.at("cascades").get<bool>();
  return key;
}

bool columns_exist(const Table& table) {
  for (const Index& index : table.indexes) {
    for (const IndexPart& part : index.parts) {
      if (part.column >= table.columns.size()) return false;
    }
  }
  for (const ForeignKey& key : table.foreign_keys) {
    for (const std::size_t column : key.columns) {
      if (column >= table.columns.size()) return false;
    }
  }
  return true;
}

}  // namespace

json shape_json(const Table& table) {
  json out{{"columns", json::array()},
           {"indexes", json::array()},
           {"foreign_keys", json::array()},
           {"engine", table.engine}};
  for (const Column& column : table.columns) out["columns"].push_back(to_json(column));
  for (const Index& index : table.indexes) out["indexes"].push_back(to_json(index));
  for (const ForeignKey& key : table.foreign_keys) out["foreign_keys"].push_back(to_json(key));
  return out;
}

Result<Table> shape_from_json(const json& from) {
  const Error malformed{Errc::malformed, "the saved columns of a table are damaged", 0};
  Table table;
  try {
    for (const json& column : from.at("columns")) {
      if (column.at("class").get<unsigned>() >= kClassesEnd) return malformed;
      table.columns.push_back(to_column(column));
    }
    for (const json& index : from.at("indexes")) table.indexes.push_back(to_index(index));
    for (const json& key : from.at("foreign_keys"))
      table.foreign_keys.push_back(to_foreign_key(key));
    table.engine = from.at("engine").get<std::string>();
  } catch (const json::exception&) {
    return malformed;
  }
  if (!columns_exist(table)) return malformed;
  return table;
}

}  // namespace wherry::control
