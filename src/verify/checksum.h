// Compares tables of two servers by content: rows are streamed in key order from both and hashed
// here (XXH3-128, type-tagged, NULL apart from any text, key included), in key ranges; ranges that
// differ are read again and drilled down to rows and columns. Owns its worker threads for the
// length of run(); sessions come from the two factories, one per worker and side.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/schema.h"
#include "mysql/session.h"
#include "support/result.h"

namespace wherry::verify {

using mysql::SessionFactory;

struct TablePair {
  Table source;
  Table target;       // columns matched by name
  std::string where;  // SQL over the source's columns: the rows that the target has; empty: all
};

struct ColumnDifference {
  std::string column;
  std::string source;  // shortened, printable
  std::string target;
};

struct RowDifference {
  enum class Kind { missing_on_target, only_on_target, differs };
  Kind kind = Kind::differs;
  std::string key;  // "id=5, part=2"
  std::vector<ColumnDifference> columns;
};

struct TableVerdict {
  TableName table;
  std::uint64_t rows = 0;  // rows compared, of the source
  std::uint64_t ranges = 0;
  std::uint64_t differences = 0;  // all, also those not listed
  std::vector<RowDifference> listed;
  bool compared = false;  // false: not verified (the reason is in note)
  std::string note;
};

struct ChecksumOptions {
  unsigned workers = 2;
  std::uint64_t range_rows = 50000;
  std::size_t listed_max = 1000;
  // Ranges that differ are read again this often, some time apart, before they count as different:
  // without a write lock at the source a check at rest would report rows still on their way.
  unsigned recheck = 0;
  std::chrono::milliseconds recheck_pause{500};
  // Called from workers before the last look at rows that differ: returns when the target has all
  // that the source had logged by then, however long it takes. A slow target is no different one.
  std::function<Status()> catch_up;
  // Called from workers: rows of this table compared so far.
  std::function<void(const TableName&, std::uint64_t rows)> progress;
};

// A failed query is retried; when it keeps failing the table's verdict is "not compared", never
// equal. stop: set from any thread to end early with Errc::interrupted.
Result<std::vector<TableVerdict>> compare_tables(const std::vector<TablePair>& tables,
                                                 const SessionFactory& source,
                                                 const SessionFactory& target,
                                                 const ChecksumOptions& options,
                                                 const std::atomic<bool>& stop);

}  // namespace wherry::verify
