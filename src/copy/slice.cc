#include "copy/slice.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sql/literal.h"
#include "support/ascii.h"

namespace wherry::copy {
namespace {

using dispatch::TablePlan;

// What a column is selected as, so that the server's text is the canonical one.
std::string expression(const Column& column) {
  std::string name = quote_name(column.name);
  switch (column.kind) {
    case ColumnClass::floating:
      return fmt::format("CAST({} AS DOUBLE)", name);  // a FLOAT printed as such has six digits
    case ColumnClass::enumeration:
    case ColumnClass::set:
      return fmt::format("CAST({} AS UNSIGNED)", name);  // a mask of 64 members is exact only so
    case ColumnClass::integer:
    case ColumnClass::decimal:
      return column.zerofill ? name + "+0" : name;
    default:
      return name;
  }
}

// Rows beside a key: a > x OR (a = x AND b > y). Both servers read only that range with it, while a
// comparison of row constructors walks the index from its beginning.
std::string beside(const TablePlan& plan, const Key& key, std::string_view strict,
                   std::string_view last) {
  std::string out;
  std::string equal;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const Column& column = plan.source.columns[plan.key[i]];
    std::string value;
    sql::append_literal(value, column, key[i]);
    if (i > 0) out += " OR ";
    out += fmt::format("({}{} {} {})", equal, quote_name(column.name),
                       i + 1 == key.size() ? last : strict, value);
    equal += fmt::format("{} = {} AND ", quote_name(column.name), value);
  }
  return "(" + out + ")";
}

std::string any_of_keys(const TablePlan& plan, const std::vector<Key>& keys) {
  std::string out;
  for (const Key& key : keys) {
    out += out.empty() ? "(" : " OR ";
    for (std::size_t i = 0; i < key.size(); ++i) {
      const Column& column = plan.source.columns[plan.key[i]];
      out += (i == 0 ? "(" : " AND ") + quote_name(column.name) + " = ";
      sql::append_literal(out, column, key[i]);
    }
    out += ')';
  }
  return out + ")";
}

std::string source_name(const TablePlan& plan) {
  return quote_name(plan.source.name.database) + "." + quote_name(plan.source.name.table);
}

std::string select_list(const TablePlan& plan) {
  std::string list;
  for (const std::size_t column : selected_columns(plan)) {
    if (!list.empty()) list += ',';
    list += expression(plan.source.columns[column]);
  }
  return list;
}

constexpr std::uint64_t kSign = 1ULL << 63;

// An integer key on an unsigned scale, where the middle of two is easy to find.
std::optional<std::uint64_t> to_scale(const Column& column, const mysql::Field& field) {
  if (!field) return std::nullopt;
  const char* const end = field->data() + field->size();
  if (column.is_unsigned) {
    std::uint64_t value = 0;
    if (std::from_chars(field->data(), end, value).ptr != end) return std::nullopt;
    return value;
  }
  std::int64_t value = 0;
  if (std::from_chars(field->data(), end, value).ptr != end) return std::nullopt;
  return static_cast<std::uint64_t>(value) ^ kSign;
}

std::string from_scale(const Column& column, std::uint64_t value) {
  return column.is_unsigned ? std::to_string(value)
                            : std::to_string(static_cast<std::int64_t>(value ^ kSign));
}

}  // namespace

std::string key_to_text(const Key& key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (i > 0) text += ',';
    for (const char c : key[i]) {
      text += kDigits[static_cast<unsigned char>(c) >> 4];
      text += kDigits[static_cast<unsigned char>(c) & 15];
    }
  }
  return text;
}

Key key_from_text(std::string_view text) {
  Key key(1);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ',') {
      key.emplace_back();
      ++i;
      continue;
    }
    if (i + 1 >= text.size()) break;
    key.back() += static_cast<char>(ascii::hex_value(text[i]) << 4 | ascii::hex_value(text[i + 1]));
    i += 2;
  }
  return key;
}

std::string to_json(const Slice& slice) {
  nlohmann::json json;
  if (slice.after) json["after"] = key_to_text(*slice.after);
  if (slice.through) json["through"] = key_to_text(*slice.through);
  if (slice.reached) json["reached"] = key_to_text(*slice.reached);
  for (const Key& key : slice.only) json["only"].push_back(key_to_text(key));
  json["done"] = slice.done;
  json["whole"] = slice.whole;
  json["rows"] = slice.rows;
  json["bytes"] = slice.bytes;
  json["placed_at"] = slice.placed_at;
  if (slice.piece != 0) json["piece"] = slice.piece;
  if (slice.completes) json["completes"] = true;
  return json.dump();
}

Result<Slice> slice_from_json(dispatch::SliceId id, std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return Error{Errc::malformed, fmt::format("the saved slice {} is not JSON", record_name(id)),
                 0};
  Slice slice;
  slice.id = id;
  const auto key = [&](const char* name) -> std::optional<Key> {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_string()) return std::nullopt;
    return key_from_text(found->get<std::string>());
  };
  slice.after = key("after");
  slice.through = key("through");
  slice.reached = key("reached");
  if (const auto only = json.find("only"); only != json.end() && only->is_array()) {
    for (const nlohmann::json& one : *only) {
      if (one.is_string()) slice.only.push_back(key_from_text(one.get<std::string>()));
    }
  }
  slice.done = json.value("done", false);
  slice.whole = json.value("whole", false);
  slice.rows = json.value("rows", std::uint64_t{0});
  slice.bytes = json.value("bytes", std::uint64_t{0});
  slice.placed_at = json.value("placed_at", std::uint64_t{0});
  slice.piece = json.value("piece", std::uint64_t{0});
  slice.completes = json.value("completes", false);
  return slice;
}

std::string record_name(dispatch::SliceId id) { return fmt::format("{}.{}", id.table, id.number); }

std::optional<dispatch::SliceId> parse_record_name(std::string_view name) {
  dispatch::SliceId id;
  const char* const end = name.data() + name.size();
  const auto table = std::from_chars(name.data(), end, id.table);
  if (table.ec != std::errc() || table.ptr == end || *table.ptr != '.') return std::nullopt;
  const auto number = std::from_chars(table.ptr + 1, end, id.number);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return id;
}

std::vector<std::size_t> selected_columns(const TablePlan& plan) {
  std::vector<std::size_t> columns = plan.writable;
  for (const std::size_t column : plan.key) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      columns.push_back(column);
  }
  return columns;
}

std::string select_next(const TablePlan& plan, const Slice& slice, std::uint64_t rows) {
  std::string where;
  if (const std::optional<Key>& from = slice.reached ? slice.reached : slice.after)
    where = beside(plan, *from, ">", ">");
  if (slice.through)
    where += (where.empty() ? "" : " AND ") + beside(plan, *slice.through, "<", "<=");
  if (!slice.only.empty()) where = any_of_keys(plan, slice.only);
  std::string order;
  for (const std::size_t column : plan.key)
    order += (order.empty() ? "" : ",") + quote_name(plan.source.columns[column].name);
  const Index* key = row_key(plan.source);
  return fmt::format("SELECT {} FROM {} FORCE INDEX ({}){}{} ORDER BY {} LIMIT {}",
                     select_list(plan), source_name(plan), quote_name(key->name),
                     where.empty() ? "" : " WHERE ", where, order, rows);
}

std::string select_all(const TablePlan& plan) {
  return fmt::format("SELECT {} FROM {}", select_list(plan), source_name(plan));
}

Result<std::vector<Slice>> cut_slices(mysql::Session& session, const TablePlan& plan,
                                      std::size_t parts) {
  std::vector<Slice> slices(1);
  slices[0].id = {plan.id, 0};
  slices[0].whole = plan.whole();
  if (plan.whole() || plan.key.size() != 1 || parts < 2) return slices;
  const Column& column = plan.source.columns[plan.key[0]];
  if (column.kind != ColumnClass::integer) return slices;
  const std::string name = quote_name(column.name) + (column.zerofill ? "+0" : "");
  Result<mysql::Rows> ends =
      session.query(fmt::format("SELECT MIN({0}), MAX({0}) FROM {1}", name, source_name(plan)));
  if (!ends.ok()) return ends.error().within("cut " + plan.source.name.to_string());
  const auto low = to_scale(column, ends.value().rows.at(0)[0]);
  const auto high = to_scale(column, ends.value().rows.at(0)[1]);
  if (!low || !high || *high - *low < parts) return slices;
  const std::uint64_t step = (*high - *low) / parts;
  for (std::size_t i = 1; i < parts; ++i) {
    Slice next;
    next.id = {plan.id, static_cast<std::uint32_t>(i)};
    next.after = Key{from_scale(column, *low + step * i)};
    slices.back().through = next.after;
    slices.push_back(std::move(next));
  }
  return slices;
}

}  // namespace wherry::copy
