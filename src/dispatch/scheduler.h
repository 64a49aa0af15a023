// Takes the stream in commit order: finds what each transaction touches, gives it to a lane, runs
// statements at their place and lets snapshot chunks take theirs. One thread, run(); what it shares
// with others is in Board, Inbox, LaneQueue and Catalog.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/placement.h"
#include "dispatch/row_scan.h"
#include "dispatch/syncpoints.h"
#include "sql/statement.h"

namespace wherry::dispatch {

// A statement that takes its place between transactions.
struct StatementEvent {
  std::uint64_t cseq = 0;
  std::string position;  // for messages: "binlog.000004:157 (0-1-33)"
  decode::QueryView query;
  std::uint32_t timestamp = 0;
  bool rows_follow = false;  // CREATE TABLE ... SELECT: the group goes on with the rows
  sql::StatementMode mode;   // how its text is read
  sql::Statement statement;
};

// What the scheduler needs done elsewhere. Called on its thread.
class StatementRunner {
 public:
  virtual ~StatementRunner() = default;
  // Whether the selection follows this table, known yet or not.
  virtual bool follows(const TableName& source) const = 0;
  virtual bool follows_database(const std::string& database) const = 0;
  // Runs a DDL at the target at its place: all lanes have drained. Brings the catalog up to date.
  virtual Status run(const StatementEvent& event) = 0;
};

struct SchedulerOptions {
  Dialect dialect = Dialect::mysql;
  std::uint64_t generation = 0;         // of the source that is read at first
  bool fold_names = false;              // the source keeps names of tables in lower case only
  std::size_t window_groups = 1 << 17;  // in flight at most
  std::size_t ring_bytes = 32 << 20;
  // Already at the target from an earlier run, above the low-water mark: cseq ranges, inclusive.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> done;
  // Which groups some of these numbers stood for then: the stream must bring the same again.
  std::map<std::uint64_t, std::string> known;
  // Where a kind of statement is judged otherwise than the table of kinds does; never one that
  // frames transactions.
  std::map<sql::Kind, sql::Policy> policies;
  bool fault_keep_changed = false;  // for tests only: see Placement
};

// Counters for the status; any thread.
struct SchedulerCounters {
  std::atomic<std::uint64_t> transactions{0};
  std::atomic<std::uint64_t> changes{0};
  std::atomic<std::uint64_t> filtered{0};  // changes that filters leave out
  Guarded<std::map<std::string, std::uint64_t>> ignored;
  Guarded<FilePosition> seen;
};

// The stages around the scheduler; all outlive it.
struct SchedulerLinks {
  Catalog& catalog;
  Board& board;
  Inbox& inbox;
  LaneQueues& lanes;
  StatementRunner& statements;
  Placement::Calls placement;
  Syncpoints* syncpoints = nullptr;    // null: none are made
  SnapshotRecord* snapshot = nullptr;  // null: redo does not hold the snapshot
};

class Scheduler {
 public:
  Scheduler(const SchedulerOptions& options, const SchedulerLinks& links);

  // Until the inbox is closed, or an error. Work that was given out may still be under way then.
  Status run(const FilePosition& from);
  const SchedulerCounters& counters() const { return counters_; }
  const PlacementCounters& placement() const { return placement_.counters(); }

 private:
  using SharedWork = std::shared_ptr<WorkBatch>;

  Status on_batch(const decode::BatchPtr& batch);
  Status on_group(const SharedWork& work, std::uint32_t index);
  Status on_rows(const SharedWork& work, std::uint32_t index, bool one_by_one);
  Status on_part(const SharedWork& work, std::uint32_t index);
  void take_in(Inbox::Taken& taken);
  Status place();
  Status cut_if_due(std::uint64_t commit_us);
  Status read_moved_again(Touched& touched);
  Status wait_while_held(const Touched& touched);
  Status wait_while(const std::function<bool()>& held);
  void let_through(std::uint64_t cseq);
  Work make_work(const SharedWork& work, std::uint32_t index, bool one_by_one) const;

  // Statements of a group. True: they are dealt with, and the group with them.
  Result<bool> on_statements(const SharedWork& work, std::uint32_t index, bool& one_by_one);
  Result<bool> on_statement(const SharedWork& work, std::uint32_t index, StatementEvent event);
  Result<bool> on_xa_end(const SharedWork& work, std::uint32_t index, const StatementEvent& event);
  Status prepare_xa(const SharedWork& work, std::uint32_t index);
  Result<bool> on_ddl(const StatementEvent& event);
  bool touches_followed(const sql::Statement& statement, bool& crosses) const;

  bool is_done(std::uint64_t cseq) const;
  Status require_known(const decode::Batch& batch, const decode::Group& group) const;
  void finish(const decode::Batch& batch, const decode::Group& group);
  void count_ignored(const std::string& what);

  struct Prepared {  // an XA transaction that waits for its outcome
    SharedWork work;
    std::uint32_t index = 0;
  };

  const SchedulerOptions options_;
  SchedulerLinks links_;
  SchedulerCounters counters_;
  ChangeRing ring_;
  RowScan scan_;
  LaneRouter router_;
  Placement placement_;
  FilePosition seen_;
  std::uint64_t generation_ = 0;
  std::uint64_t cseq_ = 0;
  bool inside_parts_ = false;
  std::map<std::string, Prepared> prepared_;  // by xid
};

}  // namespace wherry::dispatch
