#include "verify/compare_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "support/ascii.h"

namespace wherry::verify {
namespace {

constexpr unsigned kCastAsDoubleSince = 80017;

// "utf8" and "utf8mb3" are two names of one set, in collations as well.
std::string plain_charset(std::string_view name) {
  if (name == "utf8") return "utf8mb3";
  if (name.starts_with("utf8_")) return "utf8mb3_" + std::string(name.substr(5));
  return std::string(name);
}

struct ColumnPair {
  const Column* source;
  const Column* target;
};

// The column MySQL adds to tables without a primary key; it exists on one side only and is nobody's
// data.
bool is_hidden_key(const Column& column) {
  return column.name == "my_row_id" && column.invisible && column.auto_increment;
}

Result<std::vector<ColumnPair>> pair_columns(const TablePair& pair) {
  std::vector<ColumnPair> pairs;
  std::string lonely;
  for (const Column& column : pair.source.columns) {
    const auto at = pair.target.find_column(column.name);
    if (at) {
      pairs.push_back({&column, &pair.target.columns[*at]});
    } else if (!is_hidden_key(column)) {
      lonely += fmt::format(" {} (source only)", column.name);
    }
  }
  for (const Column& column : pair.target.columns) {
    if (pair.source.find_column(column.name) || is_hidden_key(column)) continue;
    lonely += fmt::format(" {} (target only)", column.name);
  }
  if (!lonely.empty()) return Error{Errc::unsupported, "columns do not match:" + lonely, 0};
  if (pairs.empty()) return Error{Errc::unsupported, "no columns to compare", 0};
  return pairs;
}

std::string qualified(const Column& column) { return "t." + mysql::quote_name(column.name); }

// FLOAT printed as text has six digits, and a display width rounds: the DOUBLE of the value has all
// its bits.
std::string as_double(const std::string& name, const mysql::ServerFacts& facts) {
  const bool cast = facts.is_mariadb() || facts.version >= kCastAsDoubleSince;
  return fmt::format(fmt::runtime(cast ? "CAST({} AS DOUBLE)" : "({} * 1e0)"), name);
}

struct Expressions {
  std::string source;
  std::string target;
  std::string charset;
};

bool has_labels(ColumnClass kind) {
  return kind == ColumnClass::enumeration || kind == ColumnClass::set;
}

Expressions in_one_charset(const ColumnPair& pair) {
  const std::string source = qualified(*pair.source);
  const std::string target = qualified(*pair.target);
  const std::string charset = plain_charset(pair.source->charset);
  if (charset == plain_charset(pair.target->charset)) return {source, target, charset};
  const auto converted = [](const std::string& name) {
    return fmt::format("CONVERT({} USING utf8mb4)", name);
  };
  return {converted(source), converted(target), "utf8mb4"};
}

Expressions expressions(const ColumnPair& pair, const mysql::ServerFacts& source,
                        const mysql::ServerFacts& target) {
  const std::string source_name = qualified(*pair.source);
  const std::string target_name = qualified(*pair.target);
  if (pair.source->kind == ColumnClass::floating || pair.target->kind == ColumnClass::floating) {
    return {as_double(source_name, source), as_double(target_name, target), ""};
  }
  if (has_labels(pair.source->kind) && has_labels(pair.target->kind)) {
    // A sum would be a DOUBLE, too short for the mask of 64 members.
    return {"CAST(" + source_name + " AS UNSIGNED)", "CAST(" + target_name + " AS UNSIGNED)", ""};
  }
  if (pair.source->zerofill || pair.target->zerofill) {
    return {source_name + " + 0", target_name + " + 0", ""};
  }
  return in_one_charset(pair);
}

struct Selection {
  std::string source;
  std::string target;
  std::vector<PlanField> fields;

  void add(const Column& column, const Expressions& expression) {
    const std::string_view comma = fields.empty() ? "" : ", ";
    source += fmt::format("{}{}", comma, expression.source);
    target += fmt::format("{}{}", comma, expression.target);
    fields.push_back({column.name, column.kind, expression.charset});
  }
};

Selection select_columns(const std::vector<ColumnPair>& pairs, const mysql::ServerFacts& source,
                         const mysql::ServerFacts& target) {
  Selection selection;
  for (const ColumnPair& pair : pairs) {
    selection.add(*pair.source, expressions(pair, source, target));
  }
  // Numbers of enumerations mean the same only under the same list of labels: where the lists
  // differ the labels are compared as well. They follow all columns, so that a key's fields keep
  // their place.
  for (const ColumnPair& pair : pairs) {
    const bool labels = has_labels(pair.source->kind) && has_labels(pair.target->kind);
    if (!labels || pair.source->type == pair.target->type) continue;
    Expressions label = {fmt::format("CONVERT({} USING utf8mb4)", qualified(*pair.source)),
                         fmt::format("CONVERT({} USING utf8mb4)", qualified(*pair.target)),
                         "utf8mb4"};
    selection.add(*pair.source, label);
  }
  return selection;
}

// The index of the target that has exactly the columns of the source's key: ranges are read by it.
const Index* same_index(const Table& table, const std::vector<const Column*>& columns) {
  for (const Index& index : table.indexes) {
    if (!index.unique || index.functional || index.parts.size() != columns.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const IndexPart& part = index.parts[i];
      same = same && part.prefix_length == 0 && &table.columns[part.column] == columns[i];
    }
    if (same) return &index;
  }
  return nullptr;
}

// Enumerations sort by number, and no server uses an index to find a number in them.
bool cuts_ranges(ColumnClass kind) {
  switch (kind) {
    case ColumnClass::enumeration:
    case ColumnClass::set:
    case ColumnClass::json:
    case ColumnClass::geometry:
    case ColumnClass::vector:
      return false;
    default:
      return true;
  }
}

Order order_of(const std::vector<ColumnPair>& key, bool one_dialect) {
  bool text = false;
  for (const ColumnPair& pair : key) {
    if (!cuts_ranges(pair.source->kind) || pair.source->kind != pair.target->kind)
      return Order::none;
    if (plain_charset(pair.source->collation) != plain_charset(pair.target->collation))
      return Order::none;
    text = text || pair.source->kind == ColumnClass::text;
  }
  return text && !one_dialect ? Order::likely : Order::same;
}

std::string use_index(const Index& index) {
  return fmt::format(" FORCE INDEX ({})",
                     index.primary ? "PRIMARY" : mysql::quote_name(index.name));
}

// Fills the key's part of the plan; without a key that both tables have it stays empty.
void add_key(ComparePlan& plan, const TablePair& tables, const std::vector<ColumnPair>& pairs,
             bool one_dialect) {
  const Index* index = row_key(tables.source);
  if (index == nullptr) return;
  std::vector<ColumnPair> key;
  std::vector<const Column*> target_columns;
  for (const IndexPart& part : index->parts) {
    const Column* column = &tables.source.columns[part.column];
    const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                   [&](const ColumnPair& one) { return one.source == column; });
    if (pair == pairs.end()) return;
    key.push_back(*pair);
    target_columns.push_back(pair->target);
    plan.key.push_back(static_cast<std::size_t>(pair - pairs.begin()));
  }
  const Index* target_index = same_index(tables.target, target_columns);
  if (target_index == nullptr) {
    plan.key.clear();
    return;
  }
  plan.order = order_of(key, one_dialect);
  for (const ColumnPair& pair : key) {
    plan.source.columns.push_back(qualified(*pair.source));
    plan.target.columns.push_back(qualified(*pair.target));
  }
  plan.source.use_index = use_index(*index);
  plan.target.use_index = use_index(*target_index);
}

std::string from(const std::string& fields, const TableName& name) {
  return fmt::format("SELECT {} FROM {}.{} AS t", fields, mysql::quote_name(name.database),
                     mysql::quote_name(name.table));
}

}  // namespace

Result<ComparePlan> make_plan(const TablePair& pair, const mysql::ServerFacts& source,
                              const mysql::ServerFacts& target) {
  Result<std::vector<ColumnPair>> pairs = pair_columns(pair);
  if (!pairs.ok()) return pairs.error();
  ComparePlan plan;
  plan.table = pair.source.name;
  Selection selection = select_columns(pairs.value(), source, target);
  plan.fields = std::move(selection.fields);
  plan.source.select = from(selection.source, pair.source.name);
  plan.target.select = from(selection.target, pair.target.name);
  plan.source.where = pair.where;
  add_key(plan, pair, pairs.value(), source.dialect == target.dialect);
  plan.rows_estimate = std::max(pair.source.rows_estimate, pair.target.rows_estimate);
  plan.row_bytes_estimate =
      pair.source.data_bytes_estimate / std::max<std::uint64_t>(1, pair.source.rows_estimate);
  return plan;
}

}  // namespace wherry::verify
