#include "control/rename_rule.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace wherry::control {
namespace {

Error malformed(std::string_view text) {
  return {Errc::usage, fmt::format("'{}' is neither db.table=db2.table2 nor db=db2", text)};
}

// Takes one name off the front: plain up to '.' or '=', or in backticks.
std::optional<std::string> take_name(std::string_view& rest) {
  std::string name;
  if (!rest.starts_with('`')) {
    const std::size_t end = std::min(rest.find_first_of(".="), rest.size());
    name = std::string(rest.substr(0, end));
    rest.remove_prefix(end);
    return name.empty() ? std::nullopt : std::optional(name);
  }
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '`') {
      if (!rest.starts_with('`')) return name.empty() ? std::nullopt : std::optional(name);
      rest.remove_prefix(1);
    }
    name += c;
  }
  return std::nullopt;
}

// One side: database, and the table where a dot follows.
bool take_side(std::string_view& rest, std::string& database, std::string& table) {
  std::optional<std::string> first = take_name(rest);
  if (!first) return false;
  database = std::move(*first);
  if (!rest.starts_with('.')) return true;
  rest.remove_prefix(1);
  std::optional<std::string> second = take_name(rest);
  if (!second) return false;
  table = std::move(*second);
  return true;
}

}  // namespace

Result<RenameRule> parse_rename(std::string_view text) {
  RenameRule rule;
  std::string_view rest = text;
  if (!take_side(rest, rule.from_database, rule.from_table)) return malformed(text);
  if (!rest.starts_with('=')) return malformed(text);
  rest.remove_prefix(1);
  if (!take_side(rest, rule.to_database, rule.to_table) || !rest.empty()) return malformed(text);
  if (rule.from_table.empty() != rule.to_table.empty()) return malformed(text);
  return rule;
}

Status check_renames(const std::vector<RenameRule>& rules) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const RenameRule& rule : rules) {
    if (seen.insert({rule.from_database, rule.from_table}).second) continue;
    const std::string name =
        rule.from_table.empty() ? rule.from_database : rule.from_database + "." + rule.from_table;
    return Error{Errc::usage, fmt::format("--rename: {} is renamed twice", name)};
  }
  return Unit{};
}

TableName renamed(const std::vector<RenameRule>& rules, const TableName& name) {
  TableName out = name;
  for (const RenameRule& rule : rules) {
    if (rule.from_database != name.database) continue;
    if (rule.from_table == name.table) return {rule.to_database, rule.to_table};
    if (rule.from_table.empty()) out.database = rule.to_database;
  }
  return out;
}

}  // namespace wherry::control
