#include "sink/mysql/erase_statement.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sink/mysql/cell_sql.h"
#include "sink/mysql/load_statement.h"
#include "support/ascii.h"
#include "support/quote.h"

namespace wherry::sink {
namespace {

constexpr std::size_t kJoinedMax = 4000;
constexpr std::size_t kConditionsMax = 200;  // the optimizer's cost grows faster than their number

// Whether the column's literals, as values of a list, are compared by the column's index. What is
// written as a number and stored as a name is not.
bool joins(const Column& column) {
  switch (column.kind) {
    case ColumnClass::bit:
    case ColumnClass::year:
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

// "`id`,`part`" with a prefix for each.
std::string names_of(const dispatch::TablePlan& plan, const std::string& prefix) {
  std::string out;
  for (const std::size_t column : plan.key) {
    if (!out.empty()) out += ',';
    out += prefix + quote_name(plan.source.columns[column].name);
  }
  return out;
}

// A name for the list of keys that is not the table's own.
std::string alias_beside(const dispatch::TablePlan& plan) {
  const std::string alias = "wherry_keys";
  return ascii::lower(plan.target.table) == alias ? alias + "_" : alias;
}

std::string join_condition(const dispatch::TablePlan& plan, const std::string& target,
                           const std::string& alias) {
  std::string out;
  for (const std::size_t column : plan.key) {
    const std::string name = quote_name(plan.source.columns[column].name);
    out += fmt::format("{}{}.{}={}.{}", out.empty() ? "" : " AND ", target, name, alias, name);
  }
  return out;
}

}  // namespace

// Statistics of a table that is being filled say that it has few rows, and then both servers scan
// all of it for a WHERE with many keys, FORCE INDEX or not, and wait on the way for rows that other
// lanes have locked. A join in this order can only look each key up. The empty SELECT gives the
// list the types and collations of the key's columns.
EraseStatement::EraseStatement(const dispatch::TablePlan& plan, Dialect dialect)
    : joined_(std::all_of(plan.key.begin(), plan.key.end(),
                          [&](std::size_t column) { return joins(plan.source.columns[column]); })),
      rows_max_(joined_ ? kJoinedMax : kConditionsMax) {
  const std::string target = target_name(plan);
  const Index& key = *row_key(plan.source);
  const std::string hint = fmt::format("FORCE INDEX ({})", quote_name(key.name));
  if (joined_) {
    head_ = fmt::format("DELETE {0} FROM (SELECT {1} FROM {0} WHERE 1=0 UNION ALL VALUES ", target,
                        names_of(plan, ""));
    const std::string alias = alias_beside(plan);
    tail_ = fmt::format(") AS {} STRAIGHT_JOIN {} {} ON {}", alias, target, hint,
                        join_condition(plan, target, alias));
    before_row_ = dialect == Dialect::mysql ? "ROW(" : "(";
    between_rows_ = ",";
  } else {
    head_ = fmt::format("DELETE {0} FROM {0} {1} WHERE ", target, hint);
    before_row_ = "(";
    between_rows_ = " OR ";
  }
}

Status EraseStatement::add(const dispatch::ResolvedTable& table, const decode::Cell* image) {
  sql_ += rows_ == 0 ? std::string_view(head_) : between_rows_;
  sql_ += before_row_;
  Status done = joined_ ? append_key_values(sql_, table, image, scratch_)
                        : append_key_condition(sql_, table, image, scratch_);
  sql_ += ')';
  ++rows_;
  return done;
}

std::string EraseStatement::take() {
  rows_ = 0;
  sql_ += tail_;
  return std::exchange(sql_, {});
}

}  // namespace wherry::sink
