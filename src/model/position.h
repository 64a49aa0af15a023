// Places in a source's binlog. A Position always names a transaction edge. Values; no threads.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/schema.h"
#include "support/result.h"

namespace wherry {

// A binlog file and a byte offset in it. Files are ordered by the number after the last dot, never
// as text; the offset is 64 bit though events carry 32.
struct FilePosition {
  std::string file;
  std::uint64_t offset = 0;

  bool empty() const { return file.empty(); }
  std::string to_string() const;  // "binlog.000004:157"
  bool operator==(const FilePosition&) const = default;
};
std::strong_ordering compare(const FilePosition& a, const FilePosition& b);
Result<FilePosition> parse_file_position(std::string_view text);

// MySQL's set of GTIDs, tags included ("uuid:1-3:5,uuid:tag:7"). Repeated UUIDs are united.
class MysqlGtidSet {
 public:
  struct Interval {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // inclusive
    bool operator==(const Interval&) const = default;
  };

  static Result<MysqlGtidSet> parse(std::string_view text);
  std::string to_string() const;

  // source: "uuid" or "uuid:tag", lower case.
  void add(std::string_view source, std::uint64_t number);
  void add(const MysqlGtidSet& other);
  void subtract(const MysqlGtidSet& other);
  bool contains(std::string_view source, std::uint64_t number) const;
  bool contains(const MysqlGtidSet& other) const;
  bool empty() const { return intervals_.empty(); }
  const std::map<std::string, std::vector<Interval>, std::less<>>& sources() const {
    return intervals_;
  }
  // The binary form of COM_BINLOG_DUMP_GTID; with tags in the format of MySQL 8.3 and later.
  std::string encode() const;
  bool operator==(const MysqlGtidSet&) const = default;

 private:
  // By "uuid" or "uuid:tag"; each list is sorted, disjoint and without neighbours that touch.
  std::map<std::string, std::vector<Interval>, std::less<>> intervals_;
};

// MariaDB's position: the last GTID of each domain ("0-1-33,7-2-9"); empty is the beginning.
class MariadbGtidPosition {
 public:
  struct Gtid {
    std::uint32_t server = 0;
    std::uint64_t sequence = 0;
    bool operator==(const Gtid&) const = default;
  };

  static Result<MariadbGtidPosition> parse(std::string_view text);
  std::string to_string() const;

  void set(std::uint32_t domain, Gtid gtid) { domains_[domain] = gtid; }
  // By sequence number within each domain; a domain that is missing counts as its beginning.
  bool contains(const MariadbGtidPosition& other) const;
  const std::map<std::uint32_t, Gtid>& domains() const { return domains_; }
  bool operator==(const MariadbGtidPosition&) const = default;

 private:
  std::map<std::uint32_t, Gtid> domains_;
};

// Where a stream stands: file and offset always (once known), the GTID form where the source has
// GTIDs, as text in its dialect.
struct Position {
  FilePosition file;
  std::string gtid;

  bool empty() const { return file.empty() && gtid.empty(); }
  bool operator==(const Position&) const = default;
};

// Whether a GTID text (set or position) holds another, in the given dialect.
Result<bool> gtid_contains(Dialect dialect, std::string_view whole, std::string_view part);

}  // namespace wherry
