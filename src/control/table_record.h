// What wherry.progress keeps of a followed table: its names, the key that its slices are cut by,
// the indexes that it still lacks, which of its rows are wanted and, where the target's definition
// does not say it, what its rows look like in the stream. Values; docs/format/progress.md has the
// format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/tables.h"
#include "sink/mysql/progress.h"

namespace wherry::control {

struct TableRecord {
  std::uint32_t id = 0;
  TableName source;
  TableName target;
  // key_signature() at the target of the table that the slices belong to; empty until a statement
  // of the stream could change it.
  std::string key;
  std::vector<std::string> late;  // definitions of indexes, in the target's words
  std::string filter;             // what `where` and `skip` say of it, in words
  // Its columns and keys at the place that the record is written for, without its name: where
  // source and target are of two dialects, and where it is outrun.
  std::optional<Table> shape;
  // The definition that the target had before a table that this one is merged with was altered;
  // empty: its rows have the columns of the target.
  std::string outrun;
};

// Whether records carry the shapes of their tables.
enum class ShapeRecords { left_out, kept };

TableRecord to_record(const dispatch::TablePlan& plan, std::string key,
                      std::vector<std::string> late, ShapeRecords shapes);
sink::NamedRecord to_named(const TableRecord& record);
Result<TableRecord> to_table_record(const sink::NamedRecord& named);

}  // namespace wherry::control
