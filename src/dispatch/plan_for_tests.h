// Plans of made-up tables for the tests of this room and of those above it. Tests only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/tables.h"

namespace wherry::dispatch {

inline Column integer_column(std::string name) {
  Column column;
  column.name = std::move(name);
  column.kind = ColumnClass::integer;
  column.type = column.data_type = "int";
  column.nullable = false;
  return column;
}

inline Column text_column(std::string name, std::string collation = "utf8mb4_general_ci") {
  Column column;
  column.name = std::move(name);
  column.kind = ColumnClass::text;
  column.type = "varchar(20)";
  column.data_type = "varchar";
  column.charset = collation.substr(0, collation.find('_'));
  column.collation = std::move(collation);
  column.length = 80;
  return column;
}

inline Index unique_index(std::string name, std::vector<IndexPart> parts) {
  Index index;
  index.primary = name == "PRIMARY";
  index.name = std::move(name);
  index.parts = std::move(parts);
  index.unique = true;
  return index;
}

// shop.items (id INT PRIMARY KEY, name VARCHAR(20) UNIQUE).
inline Table items_table() {
  Table table;
  table.name = {"shop", "items"};
  table.engine = "InnoDB";
  table.columns = {integer_column("id"), text_column("name")};
  table.indexes = {unique_index("PRIMARY", {{0, 0}}), unique_index("name", {{1, 0}})};
  return table;
}

inline PlanPtr plan_of(Table table, std::uint32_t id = 3) {
  const TableName target = table.name;
  return make_plan(id, std::move(table), target, std::make_shared<TableState>());
}

}  // namespace wherry::dispatch
