// The keys that the stream changed lately, of tables whose snapshot is still being read: what a
// chunk read as of P needs to drop its rows that changed in (P, Q]. Bounded by bytes; a chunk that
// is older than what is left must be read again. One thread: the scheduler's.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "decode/batch.h"
#include "dispatch/work.h"
#include "model/position.h"

namespace wherry::dispatch {

using IdentitySet = std::unordered_set<Hash128, HashOfHash>;

class ChangeRing {
 public:
  explicit ChangeRing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // A group whose changes are added next. gtid: "uuid:5" apart, empty where the source has none.
  // late: a snapshot may not show the group yet though its place is behind it. MariaDB logs an XA
  // COMMIT before the rows are seen, and a snapshot's place does not wait for that (measured on
  // 10.11: 6 of 11 691 snapshots beside one writer).
  void begin(const FilePosition& end, const std::string& gtid_source, std::uint64_t gtid_number,
             bool late = false);
  void add(std::uint32_t table, const Hash128& identity);
  // Besides add(): the change did not carry the whole row, which is now under this key.
  void add_partial(std::uint32_t table, const Hash128& identity, RowKey key);
  // This group changes the table in ways that cannot be told by keys: older snapshots are
  // worthless.
  void barrier(std::uint32_t table);

  // What changed in the table after the snapshot, or may have. An error (Errc::lost): the ring does
  // not reach back to the snapshot.
  Result<IdentitySet> changed_since(const SnapshotPoint& point, std::uint32_t table) const;
  // Of those the keys whose rows the stream did not carry whole. Asked after changed_since() has
  // answered.
  using PartialKeys = std::unordered_map<Hash128, RowKey, HashOfHash>;
  Result<PartialKeys> partial_since(const SnapshotPoint& point, std::uint32_t table) const;
  // Whether anything of the table did.
  Result<bool> touched_since(const SnapshotPoint& point, std::uint32_t table) const;

  void forget(std::uint32_t table);  // its snapshot is complete
  void clear();                      // another generation: its positions mean nothing here

 private:
  struct Mark {                // one group
    std::uint64_t number = 0;  // of the mark, counted
    std::uint32_t file = 0;    // in files_
    std::uint64_t offset = 0;
    std::uint32_t source = 0;  // in sources_
    std::uint64_t gtid = 0;
    bool late = false;
  };
  struct Entry {
    std::uint64_t mark = 0;
    Hash128 identity;
  };
  struct Partial {
    Mark mark;
    Hash128 identity;
    RowKey key;
  };
  bool may_be_after(const Mark& mark, const SnapshotPoint& point, const MysqlGtidSet& low) const {
    return (mark.late && !point.settled) || is_after(mark, point, low);
  }
  bool is_after(const Mark& mark, const SnapshotPoint& point, const MysqlGtidSet& low) const;
  void trim();
  static std::uint32_t intern(std::vector<std::string>& pool, const std::string& text);

  const std::size_t bytes_max_;
  std::deque<Mark> marks_;
  std::unordered_map<std::uint32_t, std::deque<Entry>> by_table_;
  std::unordered_map<std::uint32_t, std::deque<Partial>> partial_;
  std::vector<std::string> files_;
  std::vector<std::string> sources_;
  std::unordered_map<std::uint32_t, Mark> barriers_;
  std::uint64_t next_mark_ = 1;
  std::size_t entries_ = 0;
  FilePosition trimmed_through_;  // end of the last group that was dropped
  MysqlGtidSet trimmed_gtids_;
  std::unordered_set<std::uint32_t> trimmed_unnamed_;  // tables that dropped groups without GTID
                                                       // changed
};

}  // namespace wherry::dispatch
