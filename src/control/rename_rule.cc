#include "control/rename_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace wherry::control {
namespace {

Error malformed(std::string_view text) {
  return {Errc::usage, fmt::format("'{}' is neither db.table=db2.table2 nor db=db2", text)};
}

bool has_wildcard(std::string_view text) {
  bool quoted = false;
  return std::any_of(text.begin(), text.end(), [&](char c) {
    quoted ^= c == '`';
    return !quoted && (c == '*' || c == '?');
  });
}

bool is_for_tables(const RenameRule& rule) { return !rule.to_table.empty(); }

// Names come as the server keeps them: where it ignores their case they are in small letters.
bool matches(const RenameRule& rule, const TableName& name) {
  if (is_for_tables(rule) && name.table.empty()) return false;
  if (!rule.pattern) {
    return rule.from_database == name.database &&
           (!is_for_tables(rule) || rule.from_table == name.table);
  }
  return is_for_tables(rule) || !name.table.empty()
             ? rule.pattern->matches(name.database, name.table, NameCase::exact)
             : rule.pattern->matches_database(name.database, NameCase::exact);
}

// The rule that decides; null: the name stays.
const RenameRule* rule_of(const std::vector<RenameRule>& rules, const TableName& name) {
  const RenameRule* best = nullptr;
  const auto rank = [](const RenameRule& rule) {
    return (is_for_tables(rule) ? 2 : 0) + (rule.pattern ? 0 : 1);
  };
  for (const RenameRule& rule : rules) {
    if (!matches(rule, name)) continue;
    if (best == nullptr || rank(rule) > rank(*best)) best = &rule;
  }
  return best;
}

bool merges(const std::vector<RenameRule>& rules, const RenameRule& rule) {
  if (rule.pattern) return true;
  return std::count_if(rules.begin(), rules.end(), [&](const RenameRule& other) {
           return other.to_database == rule.to_database && other.to_table == rule.to_table;
         }) > 1;
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
  const std::string_view left = text.substr(0, text.size() - rest.size());
  rest.remove_prefix(1);
  if (has_wildcard(rest)) {
    return Error{Errc::usage, fmt::format("'{}': what a name becomes has no wildcards", text), 0};
  }
  if (!take_side(rest, rule.to_database, rule.to_table) || !rest.empty()) return malformed(text);
  if (rule.from_table.empty() != rule.to_table.empty()) return malformed(text);
  if (!has_wildcard(left)) return rule;
  Result<Pattern> pattern = Pattern::parse(left);
  if (!pattern.ok()) return pattern.error();
  if (pattern.value().negated()) return malformed(text);
  rule.pattern = std::move(pattern).value();
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
  const RenameRule* rule = rule_of(rules, name);
  if (rule == nullptr) return name;
  return {rule->to_database, is_for_tables(*rule) ? rule->to_table : name.table};
}

bool may_merge(const std::vector<RenameRule>& rules, const TableName& name) {
  if (!name.table.empty()) {
    const RenameRule* rule = rule_of(rules, name);
    if (rule == nullptr) return false;
    return is_for_tables(*rule) ? merges(rules, *rule) : rule->pattern.has_value();
  }
  return std::any_of(rules.begin(), rules.end(), [&](const RenameRule& rule) {
    const bool here = rule.pattern ? rule.pattern->matches_database(name.database, NameCase::exact)
                                   : rule.from_database == name.database && is_for_tables(rule);
    return here && merges(rules, rule);
  });
}

}  // namespace wherry::control
