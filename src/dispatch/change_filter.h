// Which changes of a table are wanted: by their kind, and by a condition over the row. Bound to one
// definition of one table; immutable; any thread. A table of which nothing is left out has none.
// Every stage that looks at the rows of such a table asks here, so that all see the same changes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/rows.h"
#include "sql/condition.h"
#include "support/pattern.h"

namespace wherry::dispatch {

// What is wanted of a table. Kinds are those that a sink would see: behind the conditions.
struct WantedChanges {
  bool inserts = true;
  bool updates = true;
  bool erases = true;
  std::vector<sql::Condition> keep;  // a row must fit all of them
  std::string text;                  // all of it in words: equal ones want the same
  std::string condition;             // keep, as SQL; empty: every row

  bool every_kind() const { return inserts && updates && erases; }
  bool everything() const { return every_kind() && keep.empty(); }
};

class ChangeFilter {
 public:
  // Errc::refused with table and column: a condition does not fit the columns.
  static Result<std::shared_ptr<const ChangeFilter>> bind(
      const TableName& table, const WantedChanges& wanted,
      std::span<const sql::ConditionColumn> columns);

  // How the images of a row event are laid out.
  struct Wire {
    const decode::TableMap& map;
    std::span<const std::size_t> wire_of;  // by column; empty: in their order
  };
  // What becomes of a change; nothing: it is left out. An update that leaves the kept rows is an
  // erase, one that enters them an insert. Errc::unsupported: an image does not carry what decides.
  Result<std::optional<decode::RowKind>> judge(const Wire& wire, decode::RowKind kind,
                                               const decode::RowView& row) const;

  // The columns that conditions read.
  const std::vector<std::size_t>& columns() const { return columns_; }
  // Of a row that is read from the table. values: one for each of columns().
  Result<bool> keeps(std::span<const sql::ConditionValue> values) const;

  const std::string& text() const { return wanted_.text; }
  const std::string& condition() const { return wanted_.condition; }
  // Kinds of change are left out: the target holds other rows than the source, on purpose.
  bool skips() const { return !wanted_.every_kind(); }
  bool skips_erases_or_updates() const { return !wanted_.updates || !wanted_.erases; }

 private:
  struct Bound {
    sql::BoundCondition condition;
    std::vector<std::size_t> values;  // its columns, as places in columns_
  };
  ChangeFilter(TableName table, WantedChanges wanted)
      : table_(std::move(table)), wanted_(std::move(wanted)) {}

  Result<bool> keeps_image(const Wire& wire, const std::vector<decode::Cell>& image,
                           const std::vector<decode::Cell>* before) const;
  bool wants(decode::RowKind kind) const;

  const TableName table_;
  const WantedChanges wanted_;
  std::vector<std::string> names_;  // of columns_
  std::vector<std::size_t> columns_;
  std::vector<Bound> bound_;
};
using ChangeFilterPtr = std::shared_ptr<const ChangeFilter>;

// What is wanted of which tables. All rules that match a table count.
struct FilterRules {
  struct Kinds {
    Pattern tables;  // at the source
    bool inserts = true, updates = true, erases = true;
  };
  struct Keep {
    Pattern tables;
    sql::Condition condition;
    std::string text;  // of the condition
  };
  std::vector<Kinds> kinds;
  std::vector<Keep> keeps;
  NameCase name_case = NameCase::exact;

  bool empty() const { return kinds.empty() && keeps.empty(); }
  WantedChanges wanted_of(const TableName& table) const;
  // Null: nothing is left out of it.
  Result<ChangeFilterPtr> filter_of(const TableName& table,
                                    std::span<const sql::ConditionColumn> columns) const;
  Result<ChangeFilterPtr> filter_of(const Table& table) const;
};

}  // namespace wherry::dispatch
