#include "control/shard_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "sql/condition.h"
#include "support/ascii.h"
#include "support/pattern.h"

namespace wherry::control {
namespace {

// The last of the sign outside backticks.
std::size_t last_outside(std::string_view text, char sign) {
  std::size_t found = std::string_view::npos;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '`';
    if (!quoted && text[i] == sign) found = i;
  }
  return found;
}

std::size_t first_outside(std::string_view text, char sign) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '`';
    if (!quoted && text[i] == sign) return i;
  }
  return std::string_view::npos;
}

std::string quoted_column(std::string_view column) {
  return column.starts_with('`') ? std::string(column) : fmt::format("`{}`", column);
}

std::string literal(std::string_view value) {
  const std::string_view digits = value.starts_with('-') ? value.substr(1) : value;
  const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return ascii::digit(c) || c == '.';
  });
  if (number || value.starts_with('\'')) return std::string(value);
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += c == '\'' ? '\'' : '\\';
    out += c;
  }
  return out + "'";
}

}  // namespace

Result<RowFilter> parse_shard(std::string_view text) {
  const Error malformed{
      Errc::usage,
      fmt::format("'{}' is neither table.column=value nor db.table.column=value", text), 0};
  const std::size_t equals = first_outside(text, '=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return malformed;
  const std::string_view left = text.substr(0, equals);
  const std::size_t dot = last_outside(left, '.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == left.size()) return malformed;
  if (left.starts_with('!')) return malformed;
  std::string tables(left.substr(0, dot));
  if (last_outside(tables, '.') == std::string_view::npos) tables.insert(0, "*.");
  const Result<Pattern> pattern = Pattern::parse(tables);
  if (!pattern.ok()) return pattern.error();
  RowFilter filter{tables, fmt::format("{} = {}", quoted_column(left.substr(dot + 1)),
                                       literal(text.substr(equals + 1)))};
  const Result<sql::Condition> condition = sql::Condition::parse(filter.expression);
  if (!condition.ok()) return condition.error();
  return filter;
}

}  // namespace wherry::control
