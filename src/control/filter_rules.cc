#include "control/filter_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace wherry::control {
namespace {

constexpr unsigned kUnknownColumn = 1054;

// Parents and children of foreign keys that change rows by themselves.
std::set<TableName> joined_by_actions(const std::vector<Table>& tables) {
  std::set<TableName> joined;
  for (const Table& table : tables) {
    for (const ForeignKey& key : table.foreign_keys) {
      if (!key.cascades) continue;
      joined.insert(table.name);
      joined.insert(key.parent);
    }
  }
  return joined;
}

}  // namespace

Result<dispatch::FilterRules> to_filter_rules(const std::vector<EventFilter>& skip,
                                              const std::vector<RowFilter>& where,
                                              NameCase name_case) {
  dispatch::FilterRules rules;
  rules.name_case = name_case;
  for (const EventFilter& filter : skip) {
    Result<Pattern> tables = Pattern::parse(filter.pattern);
    if (!tables.ok()) return tables.error().within("skip");
    rules.kinds.push_back(
        {std::move(tables).value(), !filter.inserts, !filter.updates, !filter.deletes});
  }
  for (const RowFilter& filter : where) {
    Result<Pattern> tables = Pattern::parse(filter.pattern);
    if (!tables.ok()) return tables.error().within("where");
    Result<sql::Condition> condition = sql::Condition::parse(filter.expression);
    if (!condition.ok()) return condition.error().within("where " + filter.pattern);
    rules.keeps.push_back(
        {std::move(tables).value(), std::move(condition).value(), filter.expression});
  }
  return rules;
}

Result<dispatch::FilterRules> make_filters(mysql::Session& source, const CopyOptions& options) {
  if (options.skip.empty() && options.where.empty()) return dispatch::FilterRules{};
  const Result<mysql::Rows> rows = source.query("SELECT @@lower_case_table_names");
  if (!rows.ok()) return rows.error();
  const bool exact = rows.value().rows.at(0)[0].value_or("0") == "0";
  return to_filter_rules(options.skip, options.where, exact ? NameCase::exact : NameCase::ignored);
}

std::vector<Finding> filter_findings(const dispatch::FilterRules& rules,
                                     const std::vector<Table>& tables) {
  std::vector<Finding> findings;
  if (rules.empty()) return findings;
  const std::set<TableName> joined = joined_by_actions(tables);
  const bool any = std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
    return !rules.wanted_of(table.name).everything();
  });
  if (!any && !tables.empty()) {
    findings.push_back({Severity::warning, "source",
                        "none of the tables is filtered: no pattern of where, skip or --shard "
                        "matches one",
                        ""});
  }
  for (const Table& table : tables) {
    const Result<dispatch::ChangeFilterPtr> filter = rules.filter_of(table);
    const std::string subject = "table " + table.name.to_string();
    if (!filter.ok()) {
      findings.push_back({Severity::refusal, subject, filter.error().what, "see docs/filters.md"});
    } else if (filter.value() != nullptr && joined.contains(table.name)) {
      findings.push_back({Severity::refusal, subject,
                          "foreign key actions join it with other tables: which of its rows they "
                          "change is not in the log, so they cannot be filtered",
                          "take it out of where and skip"});
    }
  }
  return findings;
}

Status require_copyable(const dispatch::FilterRules& rules, const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    const Result<dispatch::ChangeFilterPtr> filter = rules.filter_of(table);
    if (!filter.ok()) return filter.error();
    const auto uniques = std::count_if(table.indexes.begin(), table.indexes.end(),
                                       [](const Index& index) { return index.unique; });
    if (filter.value() == nullptr || !filter.value()->skips_erases_or_updates() || uniques < 2)
      continue;
    return Error{
        Errc::refused,
        fmt::format("skip, table {}: it has more than one unique key. A row that a left-out "
                    "change leaves behind may hold a value that a newer row needs, and "
                    "while the table is being copied nobody could tell which one is newer. "
                    "Start without a snapshot, or leave out inserts alone",
                    table.name.to_string()),
        0};
  }
  return Unit{};
}

Status require_fitting(const dispatch::FilterRules& rules, const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    const Result<dispatch::ChangeFilterPtr> filter = rules.filter_of(table);
    if (!filter.ok()) return filter.error();
  }
  return Unit{};
}

Result<feed::CollationNames> read_collations(mysql::Session& session) {
  // MariaDB has one name for several character sets, and the numbers in another table.
  Result<mysql::Rows> rows = Error{Errc::unsupported, "", kUnknownColumn};
  if (session.facts().is_mariadb()) {
    rows = session.query(
        "SELECT ID, FULL_COLLATION_NAME, CHARACTER_SET_NAME FROM "
        "information_schema.COLLATION_CHARACTER_SET_APPLICABILITY");
  }
  if (!rows.ok() && rows.error().server_code == kUnknownColumn) {
    rows = session.query(
        "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME FROM information_schema.COLLATIONS");
  }
  if (!rows.ok()) return rows.error().within("read the collations");
  feed::CollationNames names;
  for (const auto& row : rows.value().rows) {
    std::uint32_t number = 0;
    const std::string text = row[0].value_or("");
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) continue;
    names[number] = {row[1].value_or(""), row[2].value_or("")};
  }
  return names;
}

}  // namespace wherry::control
