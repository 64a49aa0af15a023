#include "sink/mysql/cell_sql.h"

#include <fmt/core.h>

#include <algorithm>

#include "decode/value.h"
#include "mysql/session.h"
#include "sink/mysql/load_statement.h"
#include "sql/literal.h"

namespace wherry::sink {
namespace {

using dispatch::ResolvedTable;

const decode::Cell* cell_of(const ResolvedTable& table, const decode::Cell* image,
                            std::size_t column) {
  const std::size_t wire = table.wire_of[column];
  return wire == ResolvedTable::kNoWire ? nullptr : image + wire;
}

Error missing(const ResolvedTable& table, std::size_t column) {
  return {Errc::unsupported,
          fmt::format("a row event of {} lacks the column `{}`",
                      table.plan->source.name.to_string(), table.plan->source.columns[column].name),
          0};
}

// The canonical text: in place, or converted into scratch.
Result<std::string_view> text_of(const ResolvedTable& table, const decode::Cell& cell,
                                 std::size_t column, std::string& scratch) {
  const ColumnShape& shape = table.map.columns[table.wire_of[column]];
  if (const auto raw = decode::raw_text(shape, cell)) return *raw;
  scratch.clear();
  Status done = decode::append_text(shape, cell, scratch);
  if (!done.ok())
    return done.error().within(table.plan->source.name.to_string() + "." +
                               table.plan->source.columns[column].name);
  return std::string_view(scratch);
}

}  // namespace

Status append_cell(std::string& out, const ResolvedTable& table, const decode::Cell* image,
                   std::size_t column, std::string& scratch) {
  const decode::Cell* cell = cell_of(table, image, column);
  if (cell == nullptr || !cell->present) return missing(table, column);
  if (cell->null) {
    out += "NULL";
    return Unit{};
  }
  Result<std::string_view> text = text_of(table, *cell, column, scratch);
  if (!text.ok()) return text.error();
  sql::append_literal(out, table.plan->source.columns[column], text.value());
  return Unit{};
}

Status append_cell_field(std::string& out, const ResolvedTable& table, const decode::Cell* image,
                         std::size_t column, std::string& scratch) {
  const decode::Cell* cell = cell_of(table, image, column);
  if (cell == nullptr || !cell->present) return missing(table, column);
  if (cell->null) {
    sql::append_null_field(out);
    return Unit{};
  }
  const ColumnShape& shape = table.map.columns[table.wire_of[column]];
  const ColumnClass kind = table.plan->source.columns[column].kind;
  const bool plain = kind == ColumnClass::integer || kind == ColumnClass::decimal ||
                     kind == ColumnClass::floating || kind == ColumnClass::datetime ||
                     kind == ColumnClass::timestamp || kind == ColumnClass::date;
  if (plain) return decode::append_text(shape, *cell, out);  // nothing in it needs escaping
  Result<std::string_view> text = text_of(table, *cell, column, scratch);
  if (!text.ok()) return text.error();
  sql::append_field(out, text.value());
  return Unit{};
}

Status append_key_values(std::string& out, const ResolvedTable& table, const decode::Cell* image,
                         std::string& scratch) {
  bool first = true;
  for (const std::size_t column : table.plan->key) {
    if (!first) out += ',';
    first = false;
    if (Status done = append_cell(out, table, image, column, scratch); !done.ok()) return done;
  }
  return Unit{};
}

Status append_key_condition(std::string& out, const ResolvedTable& table, const decode::Cell* image,
                            std::string& scratch) {
  const std::vector<std::size_t>& key = table.plan->key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (i > 0) out += " AND ";
    out += mysql::quote_name(table.plan->source.columns[key[i]].name);
    out += '=';
    Status done = append_cell(out, table, image, key[i], scratch);
    if (!done.ok()) return done;
  }
  return Unit{};
}

Status append_row_condition(std::string& out, const ResolvedTable& table, const decode::Cell* image,
                            std::string& scratch) {
  bool first = true;
  for (const std::size_t column : table.plan->writable) {
    const decode::Cell* cell = cell_of(table, image, column);
    if (cell == nullptr || !cell->present) continue;
    if (!first) out += " AND ";
    first = false;
    if (cell->null) {
      sql::append_null_match(out, table.plan->source.columns[column]);
      continue;
    }
    Result<std::string_view> text = text_of(table, *cell, column, scratch);
    if (!text.ok()) return text.error();
    sql::append_exact_match(out, table.plan->source.columns[column], text.value());
  }
  return Unit{};
}

bool is_enum_zero(const ResolvedTable& table, const decode::Cell* image, std::size_t column) {
  if (table.plan->source.columns[column].kind != ColumnClass::enumeration) return false;
  const decode::Cell* cell = cell_of(table, image, column);
  if (cell == nullptr || !cell->present || cell->null) return false;
  const Bytes bytes = cell->bytes();
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

std::string column_list(const dispatch::TablePlan& plan) {
  std::string list;
  for (const std::size_t column : plan.writable) {
    if (!list.empty()) list += ',';
    list += mysql::quote_name(plan.source.columns[column].name);
  }
  return list;
}

}  // namespace wherry::sink
