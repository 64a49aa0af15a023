// One DELETE of many rows by their keys, in a form that reads those rows and no others, whatever
// the server believes about the table. One thread.
#pragma once

#include <string>

#include "dispatch/resolve.h"
#include "model/schema.h"

namespace wherry::sink {

class EraseStatement {
 public:
  // The table has a row key.
  EraseStatement(const dispatch::TablePlan& plan, Dialect dialect);

  Status add(const dispatch::ResolvedTable& table, const decode::Cell* image);
  std::size_t rows() const { return rows_; }
  std::size_t byte_size() const { return sql_.size(); }
  bool full() const { return rows_ >= rows_max_; }
  // With at least one row; the statement is empty afterwards.
  std::string take();

 private:
  bool joined_;  // rows are values to join with, not conditions
  std::size_t rows_max_;
  std::string head_, tail_;
  std::string_view before_row_, between_rows_;
  std::string sql_, scratch_;
  std::size_t rows_ = 0;
};

}  // namespace wherry::sink
