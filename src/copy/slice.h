// A slice: a run of keys of one table that is copied from front to back, chunk by chunk. Slices of
// a table are copied side by side. What is kept of one is the key it has reached; it is stored in
// the target transaction of each chunk. Values; no threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/work.h"
#include "mysql/session.h"

namespace wherry::copy {

// Canonical texts of the key's columns.
using Key = dispatch::RowKey;
std::string key_to_text(const Key& key);  // hexadecimal, comma between columns: "31,6162"
Key key_from_text(std::string_view text);

struct Slice {
  dispatch::SliceId id;
  std::optional<Key> after;    // exclusive; none: from the first row
  std::optional<Key> through;  // inclusive; none: to the last row
  std::optional<Key> reached;  // the last key that is at the target
  bool done = false;
  bool whole = false;     // of a table that is read at one point, from its start
  std::vector<Key> only;  // these keys and no others, without bounds: rows to be read once more
  std::uint64_t rows = 0, bytes = 0;
  std::uint64_t placed_at = 0;  // cseq of its latest chunk's place
  std::uint64_t piece = 0;      // of redo: the number of that chunk; 0: it is not in redo
  bool completes = false;       // out of redo: with it every row of the table has its place
};

// The body of the slice's row in the progress table, and back.
std::string to_json(const Slice& slice);
Result<Slice> slice_from_json(dispatch::SliceId id, std::string_view json);
std::string record_name(dispatch::SliceId id);  // "3.0"
std::optional<dispatch::SliceId> parse_record_name(std::string_view name);

// "SELECT ... FROM ... WHERE ... ORDER BY ... LIMIT n" for the next rows of the slice: all writable
// columns in canonical text, then the key's columns that are not among them.
std::string select_next(const dispatch::TablePlan& plan, const Slice& slice, std::uint64_t rows);
// The same for a whole table without a key.
std::string select_all(const dispatch::TablePlan& plan);
// The schema column of each field that those statements return.
std::vector<std::size_t> selected_columns(const dispatch::TablePlan& plan);

// Cuts the table into at most `parts` slices, between its smallest and largest key where the key is
// one integer column; else it is one slice.
Result<std::vector<Slice>> cut_slices(mysql::Session& session, const dispatch::TablePlan& plan,
                                      std::size_t parts);

}  // namespace wherry::copy
