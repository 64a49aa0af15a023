// What identifies a row and what it may clash with. An identity is exact (the bytes of its key); a
// conflict value is coarse on purpose: values that the server could take as equal under a column's
// collation always give the same number, values that cannot clash usually give different ones.
// Where that cannot be promised the value is opaque, and the row conflicts with its whole table.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/resolve.h"
#include "support/hash.h"

namespace wherry::dispatch {

// One value of a key: its canonical text, or null.
struct KeyValue {
  std::string_view text;
  bool null = false;
  bool missing = false;  // the image does not carry it
};

// What a conflict value must become so that collation-equal texts become equal bytes; appends to
// out. False: it cannot be told (opaque).
bool append_comparable(std::string& out, const Column& column, std::string_view text,
                       std::uint32_t prefix_length);

// The conflict values of one row, one for each unique key that can clash (a NULL never does).
struct Conflicts {
  std::vector<std::uint64_t> values;
  bool opaque = false;
};

// Collects key values of rows. Keeps its buffers from row to row; one thread.
class KeyReader {
 public:
  // The key of one image of a row event, as an exact identity. The table has a key.
  Result<Hash128> identity(const ResolvedTable& table, const std::vector<decode::Cell>& image);
  // The canonical texts of the row's key columns, borrowed until the next call.
  Result<std::span<const KeyValue>> key(const ResolvedTable& table,
                                        const std::vector<decode::Cell>& image);
  // Adds the row's conflict values.
  Status add_conflicts(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                       Conflicts& into);

  // The same from texts by schema column, as a snapshot delivers them: must agree with the above.
  static Hash128 identity(const TablePlan& plan, std::span<const KeyValue> by_column);
  static void add_conflicts(const TablePlan& plan, std::span<const KeyValue> by_column,
                            Conflicts& into);

 private:
  Result<KeyValue> value(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                         std::size_t column);

  std::vector<KeyValue> values_;
  std::vector<std::string> texts_;
};

}  // namespace wherry::dispatch
