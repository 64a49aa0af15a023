// A condition over the columns of one row, written as in SQL: which rows a feed keeps. It is parsed
// once, bound to the columns of each table, and evaluated over canonical texts (decode/value.h), so
// that rows of the log and rows of a snapshot are judged by one rule. docs/filters.md has the
// language. Where the servers' answer cannot be reproduced exactly it says so instead of guessing:
// at binding where that is known then, else for the row. Immutable once made; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "support/result.h"

namespace wherry::sql {

enum class Truth : std::uint8_t { no, unknown, yes };

// A column that a condition may name.
struct ConditionColumn {
  Column column;
  std::vector<std::string> members;  // of an ENUM
};

// The value of one column in one row: its canonical text, or NULL. Borrows the text.
struct ConditionValue {
  std::string_view text;
  bool null = false;
};

struct ConditionNode;
struct BoundNode;

// A condition over the columns of one table.
class BoundCondition {
 public:
  BoundCondition(std::shared_ptr<const BoundNode> root, std::vector<std::size_t> columns)
      : root_(std::move(root)), columns_(std::move(columns)) {}

  // The columns that it reads, as places in what it was bound to.
  const std::vector<std::size_t>& columns() const { return columns_; }
  // values: one for each of columns(). Errc::unsupported: the servers' rule for these values is not
  // known here; the error names the column and what to write instead.
  Result<Truth> evaluate(std::span<const ConditionValue> values) const;

 private:
  std::shared_ptr<const BoundNode> root_;
  std::vector<std::size_t> columns_;
};

class Condition {
 public:
  // Errc::usage: it is none, and where.
  static Result<Condition> parse(std::string_view text);

  // Errc::refused: a column is not there, or cannot be compared so.
  Result<BoundCondition> bind(std::span<const ConditionColumn> columns) const;

 private:
  explicit Condition(std::shared_ptr<const ConditionNode> root) : root_(std::move(root)) {}

  std::shared_ptr<const ConditionNode> root_;
};

// The columns of a table as its definition has them.
std::vector<ConditionColumn> condition_columns(const Table& table);

}  // namespace wherry::sql
