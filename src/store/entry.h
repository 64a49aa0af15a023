// What the log holds: events and commits, as values that borrow their bytes, and the places that
// name them. The log keeps the meaning of an event's type, flags and body for its reader and knows
// none of it. Values; no threads.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/position.h"
#include "support/cursor.h"

namespace wherry::store {

// A place between two records: rows before `row` of transaction `cseq` are behind it. An event
// that says it has n rows takes n numbers, so a reader may stop between any two rows.
struct Point {
  std::uint64_t cseq = 1;
  std::uint64_t row = 0;
  auto operator<=>(const Point&) const = default;
};

// One event of a transaction, as the source sent it.
struct Event {
  std::uint64_t table_version = 0;  // a definition that its reader needs; 0: none
  std::uint32_t rows = 1;           // at least one, for events without rows too
  std::uint32_t timestamp = 0;
  std::uint32_t server_id = 0;
  std::uint16_t flags = 0;
  std::uint8_t type = 0;
  Bytes body;
};

// The end of a transaction. cseq, commit_us and generation never go back; the log raises a
// commit_us that does.
struct Commit {
  std::uint64_t cseq = 0;
  std::uint64_t commit_us = 0;   // microseconds since 1970
  std::uint64_t generation = 0;  // of the source; a file position is one of its generation
  std::string_view file;         // where the transaction ends in the source's binlog
  std::uint64_t end_offset = 0;
  std::string_view gtid_source;   // MySQL: "uuid" or "uuid:tag"
  std::uint64_t gtid_number = 0;  // MySQL: number; MariaDB: sequence; 0: the source has no GTIDs
  std::uint32_t gtid_domain = 0;  // MariaDB
  std::uint32_t gtid_server = 0;  // MariaDB
  std::uint32_t flags = 0;        // the writer's own
};

// Where the stream stands after a commit, by every name it has. cseq 0: before the first.
struct Place {
  std::uint64_t cseq = 0;
  std::uint64_t commit_us = 0;
  std::uint64_t generation = 0;
  FilePosition file;
  std::string gtid;  // the whole set (MySQL) or position (MariaDB)
  bool operator==(const Place&) const = default;
};

}  // namespace wherry::store
