#include "mysql/schema_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "support/ascii.h"

namespace wherry::mysql {
namespace {

using Row = std::vector<Field>;
using TableMap = std::map<TableName, Table>;

const std::string& text_of(const Row& row, std::size_t at) {
  static const std::string kEmpty;
  return at < row.size() && row[at] ? *row[at] : kEmpty;
}

std::uint64_t number_of(const Row& row, std::size_t at) {
  const std::string& text = text_of(row, at);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool has_word(std::string_view text, std::string_view word) {
  return ascii::lower(text).find(word) != std::string::npos;
}

// The rows of one result by table, ordered by the number in column `order`.
std::vector<const Row*> ordered(const Rows& rows, std::size_t order) {
  std::vector<const Row*> out;
  out.reserve(rows.rows.size());
  for (const Row& row : rows.rows) out.push_back(&row);
  std::stable_sort(out.begin(), out.end(), [order](const Row* a, const Row* b) {
    return number_of(*a, order) < number_of(*b, order);
  });
  return out;
}

Table* table_of(TableMap& tables, const Row& row) {
  const auto found = tables.find({text_of(row, 0), text_of(row, 1)});
  return found == tables.end() ? nullptr : &found->second;
}

bool is_number(ColumnClass kind) {
  return kind == ColumnClass::integer || kind == ColumnClass::decimal ||
         kind == ColumnClass::floating;
}

Column to_column(const Row& row) {
  Column column;
  column.name = text_of(row, 3);
  column.type = text_of(row, 4);
  column.data_type = ascii::lower(text_of(row, 5));
  column.charset = text_of(row, 6);
  column.collation = text_of(row, 7);
  column.length =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(number_of(row, 8), UINT32_MAX));
  column.fraction = static_cast<std::uint8_t>(number_of(row, 9));
  column.nullable = text_of(row, 10) == "YES";
  column.kind = to_column_class(column.data_type, !column.charset.empty());
  if (is_number(column.kind)) {
    column.zerofill = has_word(column.type, "zerofill");
    column.is_unsigned = column.zerofill || has_word(column.type, "unsigned");
  }
  const std::string& extra = text_of(row, 11);
  column.auto_increment = has_word(extra, "auto_increment");
  column.invisible = has_word(extra, "invisible");
  // MySQL's DEFAULT_GENERATED is an expression default, not a generated column. The two columns of
  // a system-versioned period are kept by the server and stored.
  const std::string expression = ascii::lower(text_of(row, 12));
  const bool period = expression == "row start" || expression == "row end";
  column.stored = period || has_word(extra, "stored generated") || has_word(extra, "persistent");
  column.generated = column.stored || has_word(extra, "virtual");
  return column;
}

void add_columns(TableMap& tables, const Rows& rows) {
  for (const Row* row : ordered(rows, 2)) {
    if (Table* table = table_of(tables, *row)) table->columns.push_back(to_column(*row));
  }
}

Index& index_named(Table& table, const std::string& name) {
  for (Index& index : table.indexes) {
    if (index.name == name) return index;
  }
  table.indexes.emplace_back().name = name;
  return table.indexes.back();
}

void add_indexes(TableMap& tables, const Rows& rows) {
  for (const Row* row : ordered(rows, 3)) {
    Table* table = table_of(tables, *row);
    if (table == nullptr) continue;
    Index& index = index_named(*table, text_of(*row, 2));
    index.unique = number_of(*row, 6) == 0;
    index.primary = index.name == "PRIMARY";
    // MariaDB's unique keys over whole BLOB and TEXT columns are kept by a hidden hash: nothing can
    // be read in their order, as with an expression.
    if (text_of(*row, 7) == "HASH" && ascii::same(table->engine, "InnoDB")) index.functional = true;
    const auto column = table->find_column(text_of(*row, 4));
    if (!(*row)[4] || !column) {
      index.functional = true;
      continue;
    }
    index.parts.push_back({*column, static_cast<std::uint32_t>(number_of(*row, 5))});
  }
  for (auto& [name, table] : tables) {
    std::stable_sort(table.indexes.begin(), table.indexes.end(),
                     [](const Index& a, const Index& b) {
                       return std::pair(!a.primary, std::string_view(a.name)) <
                              std::pair(!b.primary, std::string_view(b.name));
                     });
  }
}

ForeignKey* key_named(Table& table, const std::string& name) {
  for (ForeignKey& key : table.foreign_keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

// Calls line(text) for each line of SHOW CREATE TABLE, without its indent.
template <typename Line>
void for_each_line(std::string_view text, const Line& line) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(ascii::trim(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void add_foreign_keys(TableMap& tables, const SchemaRows& rows) {
  for (const Row* row : ordered(rows.foreign_columns, 3)) {
    Table* table = table_of(tables, *row);
    if (table == nullptr) continue;
    const auto column = table->find_column(text_of(*row, 4));
    if (!column) continue;
    ForeignKey* key = key_named(*table, text_of(*row, 2));
    if (key == nullptr) {
      key = &table->foreign_keys.emplace_back();
      key->name = text_of(*row, 2);
      key->parent = {text_of(*row, 5), text_of(*row, 6)};
    }
    key->columns.push_back(*column);
    key->parent_columns.push_back(text_of(*row, 7));
  }
  const auto changes_children = [](const std::string& rule) {
    return rule == "CASCADE" || rule == "SET NULL" || rule == "SET DEFAULT";
  };
  for (const Row& row : rows.foreign_rules.rows) {
    Table* table = table_of(tables, row);
    ForeignKey* key = table == nullptr ? nullptr : key_named(*table, text_of(row, 2));
    if (key == nullptr) continue;
    key->cascades = changes_children(text_of(row, 3)) || changes_children(text_of(row, 4));
  }
}

struct TypeName {
  std::string_view name;
  ColumnClass kind;
};

constexpr std::array kTypes = {TypeName{"tinyint", ColumnClass::integer},
                               TypeName{"smallint", ColumnClass::integer},
                               TypeName{"mediumint", ColumnClass::integer},
                               TypeName{"int", ColumnClass::integer},
                               TypeName{"integer", ColumnClass::integer},
                               TypeName{"bigint", ColumnClass::integer},
                               TypeName{"decimal", ColumnClass::decimal},
                               TypeName{"numeric", ColumnClass::decimal},
                               TypeName{"float", ColumnClass::floating},
                               TypeName{"double", ColumnClass::floating},
                               TypeName{"real", ColumnClass::floating},
                               TypeName{"bit", ColumnClass::bit},
                               TypeName{"date", ColumnClass::date},
                               TypeName{"time", ColumnClass::time},
                               TypeName{"datetime", ColumnClass::datetime},
                               TypeName{"timestamp", ColumnClass::timestamp},
                               TypeName{"year", ColumnClass::year},
                               TypeName{"enum", ColumnClass::enumeration},
                               TypeName{"set", ColumnClass::set},
                               TypeName{"json", ColumnClass::json},
                               TypeName{"vector", ColumnClass::vector},
                               TypeName{"uuid", ColumnClass::uuid},
                               TypeName{"inet4", ColumnClass::inet4},
                               TypeName{"inet6", ColumnClass::inet6},
                               TypeName{"geometry", ColumnClass::geometry},
                               TypeName{"point", ColumnClass::geometry},
                               TypeName{"linestring", ColumnClass::geometry},
                               TypeName{"polygon", ColumnClass::geometry},
                               TypeName{"multipoint", ColumnClass::geometry},
                               TypeName{"multilinestring", ColumnClass::geometry},
                               TypeName{"multipolygon", ColumnClass::geometry},
                               TypeName{"geometrycollection", ColumnClass::geometry},
                               TypeName{"geomcollection", ColumnClass::geometry}};

}  // namespace

ColumnClass to_column_class(std::string_view data_type, bool has_charset) {
  for (const TypeName& type : kTypes) {
    if (type.name == data_type) return type.kind;
  }
  return has_charset ? ColumnClass::text : ColumnClass::binary;
}

std::vector<Table> to_tables(const SchemaRows& rows,
                             const std::function<bool(const TableName&)>& wanted) {
  TableMap tables;
  for (const Row& row : rows.tables.rows) {
    TableName name{text_of(row, 0), text_of(row, 1)};
    if (!wanted(name)) continue;
    Table& table = tables[name];
    table.name = std::move(name);
    table.engine = text_of(row, 2);
    table.rows_estimate = number_of(row, 3);
    table.data_bytes_estimate = number_of(row, 4);
    table.versioned = text_of(row, 5) == "SYSTEM VERSIONED";
  }
  add_columns(tables, rows.columns);
  add_indexes(tables, rows.indexes);
  add_foreign_keys(tables, rows);
  std::vector<Table> out;
  out.reserve(tables.size());
  for (auto& [name, table] : tables) {
    if (!table.columns.empty()) out.push_back(std::move(table));
  }
  return out;
}

bool may_lack_overlaps(const Table& table, const Index& index) {
  if (!index.unique || index.parts.size() < 2) return false;
  const Column& from = table.columns[index.parts[index.parts.size() - 2].column];
  const Column& to = table.columns[index.parts.back().column];
  const bool temporal = from.kind == ColumnClass::date || from.kind == ColumnClass::datetime ||
                        from.kind == ColumnClass::timestamp;
  return temporal && from.type == to.type;
}

std::vector<TableName> without_rules(const std::vector<Table>& tables, const SchemaRows& rows) {
  std::set<std::pair<TableName, std::string>> known;
  for (const Row& row : rows.foreign_rules.rows) {
    known.insert({{text_of(row, 0), text_of(row, 1)}, text_of(row, 2)});
  }
  std::vector<TableName> out;
  for (const Table& table : tables) {
    const auto& keys = table.foreign_keys;
    const bool all = std::all_of(keys.begin(), keys.end(), [&](const ForeignKey& key) {
      return known.contains({table.name, key.name});
    });
    if (!all) out.push_back(table.name);
  }
  return out;
}

void mark_without_overlaps(Table& table, std::string_view create_table) {
  for_each_line(create_table, [&](std::string_view line) {
    if (line.find(" WITHOUT OVERLAPS)") == std::string_view::npos) return;
    for (Index& index : table.indexes) {
      const std::string start =
          index.primary ? "PRIMARY KEY (" : "UNIQUE KEY " + quote_name(index.name) + " (";
      if (line.starts_with(start)) index.functional = true;
    }
  });
}

void mark_cascades(Table& table, std::string_view create_table) {
  for_each_line(create_table, [&](std::string_view line) {
    for (ForeignKey& key : table.foreign_keys) {
      if (!line.starts_with("CONSTRAINT " + quote_name(key.name) + " FOREIGN KEY ")) continue;
      // What follows the parent's columns cannot be part of a name.
      const std::string_view actions = line.substr(std::min(line.rfind("`)"), line.size()));
      key.cascades = actions.find(" CASCADE") != std::string_view::npos ||
                     actions.find(" SET NULL") != std::string_view::npos ||
                     actions.find(" SET DEFAULT") != std::string_view::npos;
    }
  });
}

}  // namespace wherry::mysql
