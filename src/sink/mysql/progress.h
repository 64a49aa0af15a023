// The tables that a run keeps at the target, beside the data: progress (lanes, slices, tables, the
// run itself), ddl_progress and lease. They are the truth that a resume needs. Statements of this
// file run inside the transaction of the data they speak of. Stateless but for names; the session's
// thread. Format: docs/format/progress.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/board.h"
#include "mysql/session.h"

namespace wherry::sink {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // inclusive, ascending
std::string to_text(const Ranges& ranges);                            // "5-9,12"
Ranges parse_ranges(std::string_view text);
// Adds one number; numbers mostly come in ascending order.
void add_to(Ranges& ranges, std::uint64_t number);
void drop_through(Ranges& ranges, std::uint64_t number);

// What one lane recorded last.
struct LaneRecord {
  unsigned lane = 0;
  std::uint64_t seq = 0;         // raised by one with each commit: the compare-and-set
  std::uint64_t connection = 0;  // that wrote it
  dispatch::LowWater low;
  Ranges done;  // committed by this lane above low
  // Which group the last number of done stands for, as dispatch::identity_of() names it: numbers
  // are counted, and a resume compares. Empty: not known.
  std::string done_last;

  void add_done(std::uint64_t cseq, const std::string& identity);
  void drop_done(std::uint64_t through);
};
// "5-9,12=0-1-33": the ranges, and which group the last number is.
std::string done_text(const LaneRecord& record);
void parse_done(std::string_view text, LaneRecord& into);

// Any other row of the progress table.
struct NamedRecord {
  std::string kind;  // "run", "table", "slice"
  std::string name;
  std::string body;  // JSON
};

struct SavedProgress {
  std::uint64_t epoch = 0;
  std::vector<LaneRecord> lanes;
  std::vector<NamedRecord> records;
};

class Progress {
 public:
  // job: the name of the run, among others that keep their progress in the same tables.
  explicit Progress(std::string meta_database, std::string job = "copy")
      : database_(std::move(meta_database)), job_(std::move(job)) {}

  Status create(mysql::Session& session) const;
  // Empty: nothing was ever begun here.
  Result<std::optional<SavedProgress>> load(mysql::Session& session) const;

  // Errc::refused: a run holds the lease now.
  Status require_free(mysql::Session& session) const;

  // Takes the lease for the life of this session and raises the epoch. Errc::refused: another run
  // holds it. Sessions of the epoch before are killed and their open transactions waited for.
  Result<std::uint64_t> claim(mysql::Session& session, const SavedProgress* saved) const;

  // After a lost connection: takes the lease again, if no other run had it meanwhile.
  Status reclaim(mysql::Session& session, std::uint64_t epoch) const;

  // Makes this session the lane's only one: ends a lost session that could still commit.
  Status own_lane(mysql::Session& session, unsigned lane) const;

  // As load(), after every open transaction on the lanes' rows has ended.
  Result<std::optional<SavedProgress>> load_locked(mysql::Session& session) const;
  // Forgets an earlier, finished run.
  Status clear(mysql::Session& session) const;

  // Replaces the rows of all lanes at once, for this epoch.
  Status begin_lanes(mysql::Session& session, std::uint64_t epoch,
                     const std::vector<LaneRecord>& records) const;
  // The first statement of each target transaction; must affect one row, else the run was fenced.
  std::string lane_statement(std::uint64_t epoch, const LaneRecord& next) const;
  // Reads the lane's sequence number under a row lock: settles whether a lost commit happened.
  Result<std::uint64_t> locked_seq(mysql::Session& session, std::uint64_t epoch,
                                   unsigned lane) const;

  std::string put_statement(const NamedRecord& record) const;
  Status drop(mysql::Session& session) const;
  std::string table(std::string_view name) const;
  const std::string& job() const { return job_; }

 private:
  std::string lock_name() const;
  std::string lane_lock(unsigned lane) const;
  Status end_predecessor(mysql::Session& session, unsigned lane) const;
  Result<std::uint64_t> read_epoch(mysql::Session& session) const;
  Error held_by_another(mysql::Session& session) const;

  std::string database_;
  std::string job_;
};

Status put_record(mysql::Session& session, const Progress& progress, const NamedRecord& record);
// Statements that remove the records of a table's slices, and its own.
std::string drop_slices_statement(const Progress& progress, std::uint32_t table);
std::string drop_table_statement(const Progress& progress, std::uint32_t table);

}  // namespace wherry::sink
