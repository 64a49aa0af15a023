// Writes many rows at once inside the session's open transaction: the net rows of a group, or a
// chunk of a snapshot. Each write is checked against what it must have done; a mismatch is an
// Errc::conflict and the caller rolls back. One thread: the lane's.
#pragma once

#include <string>
#include <vector>

#include "dispatch/work.h"
#include "mysql/session.h"
#include "sink/mysql/net_rows.h"

namespace wherry::sink {

struct WriterOptions {
  bool local_infile = false;
  std::size_t packet_bytes =
      4 << 20;  // a statement is kept below it; well under max_allowed_packet
};

class BulkWriter {
 public:
  // lines: room to build statements in; what it holds is overwritten.
  BulkWriter(mysql::Session& session, const WriterOptions& options, std::string& lines)
      : session_(session), options_(options), lines_(lines) {}

  // tolerant: the table's copy is open, rows may be there or not.
  Status write(const NetRows& rows, bool tolerant);
  // The two halves of it. Of tables that go into one all rows leave before any arrives: a row may
  // have gone from one to the other.
  Status write_leaving(const NetRows& rows, bool tolerant);
  Status write_arriving(const NetRows& rows, bool tolerant);
  // replace: the stream may have written some of the rows already.
  Status write(const dispatch::Chunk& chunk, bool replace);

 private:
  enum class Verb { insert, replace };
  struct Expected {
    std::uint64_t rows = 0;
    std::uint64_t replaced = 0;
    std::uint64_t warnings = 0;  // that the values themselves cause: see is_enum_zero
    bool checked = true;         // false: only that nothing was skipped or bent
  };
  struct Parts {  // entries of net rows, in the order in which they are written
    std::vector<std::size_t> leaving, changed, fresh;
    bool replaces = false;  // changed ones are replaced in place
  };
  static Parts parts_of(const NetRows& rows, bool tolerant);
  Status arrive(const NetRows& rows, const Parts& parts, bool tolerant);
  Status erase(const NetRows& rows, const std::vector<std::size_t>& entries, bool checked);
  Status put(const NetRows& rows, const std::vector<std::size_t>& entries, Verb verb,
             const Expected& expected);
  Status load(const dispatch::TablePlan& plan, Verb verb, const Expected& expected);
  Status insert(const dispatch::TablePlan& plan, std::string& sql, Expected& sent);

  mysql::Session& session_;
  const WriterOptions options_;
  std::string scratch_;
  std::string& lines_;
};

}  // namespace wherry::sink
