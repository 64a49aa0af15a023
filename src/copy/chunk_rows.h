// Turns the rows of a snapshot query into a chunk: lines ready to load, keys, conflict values. One
// thread; borrows the plan.
#pragma once

#include <memory>
#include <vector>

#include "copy/slice.h"
#include "dispatch/keys.h"

namespace wherry::copy {

class ChunkRows {
 public:
  explicit ChunkRows(const dispatch::TablePlan& plan)
      : plan_(plan), columns_(selected_columns(plan)), values_(plan.source.columns.size()) {}

  // One row of select_next() or select_all(). An error: the table's filter cannot tell whether it
  // is kept.
  Status add(dispatch::Chunk& chunk, const mysql::FieldView* fields);
  // The key of the last row, as the slice keeps it.
  std::string last_key() const { return key_to_text(last_); }

 private:
  void note(std::size_t column, const mysql::FieldView& field);
  Result<bool> is_kept() const;
  void put(dispatch::Chunk& chunk, const mysql::FieldView* fields);
  void note_key();

  const dispatch::TablePlan& plan_;
  const std::vector<std::size_t> columns_;
  std::vector<dispatch::KeyValue> values_;
  dispatch::Conflicts conflicts_;
  Key last_;
};

}  // namespace wherry::copy
