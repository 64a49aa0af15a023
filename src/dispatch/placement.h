// Snapshot chunks on their way into the stream. A chunk read as of P is placed at the stream's
// present point Q, once Q >= P, without the rows whose key the stream changed in (P, Q]: the stream
// carried those. A table without a key has no such test; it is held: its changes wait from the
// point where it was read until its last row is placed. One thread: the scheduler's.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dispatch/change_ring.h"
#include "dispatch/inbox.h"
#include "dispatch/lane_router.h"
#include "dispatch/snapshot_record.h"

namespace wherry::dispatch {

struct PlacementCounters {
  std::atomic<std::uint64_t> placed{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> rows_dropped{0};
};

class Placement {
 public:
  // refused: the chunk is worthless, its slice must be read again from where it stands; says why.
  using Refused = std::function<void(const Chunk&, const std::string&)>;
  // placed: the chunk has its place; called before a lane gets it.
  using Placed = std::function<void(const Chunk&)>;
  // reread: rows of the table under these keys may be missing at the target; recorded before it
  // returns.
  using Reread = std::function<Status(const TablePlan&, std::vector<RowKey>)>;
  // A table as it is now; null: it is gone. For chunks out of redo.
  using Find = std::function<PlanPtr(std::uint32_t table)>;
  // fault_keep_changed: for tests only, leaves the changed rows in.
  struct Calls {
    Placed placed;
    Refused refused;
    Reread reread;
    Find find = nullptr;
    SnapshotRecord* snapshot = nullptr;  // null: redo does not hold the snapshot
  };
  Placement(ChangeRing& ring, LaneRouter& router, Calls calls, bool fault_keep_changed)
      : ring_(ring),
        router_(router),
        calls_(std::move(calls)),
        fault_keep_changed_(fault_keep_changed) {}

  void take(Inbox::Taken& taken);
  // Places what can be, and answers holds, at this point of the stream: after the group cseq.
  Status run(const FilePosition& seen, std::uint64_t cseq, std::uint64_t generation);
  bool holds(std::uint32_t table) const { return held_.contains(table); }
  bool holds_any() const { return !held_.empty(); }
  const PlacementCounters& counters() const { return counters_; }

 private:
  Status place(const std::shared_ptr<Chunk>& chunk, std::uint64_t cseq);
  Status place_replayed(const std::shared_ptr<Chunk>& chunk);
  Status send(const std::shared_ptr<Chunk>& chunk, std::uint64_t cseq);
  void drop_changed(Chunk& chunk, const IdentitySet& changed);
  Status read_partial_again(const Chunk& chunk);
  void refuse(const Chunk& chunk, const std::string& why);
  void answer(HoldRequest& request);
  void forget_complete();

  ChangeRing& ring_;
  LaneRouter& router_;
  const Calls calls_;
  const bool fault_keep_changed_;
  std::vector<std::shared_ptr<Chunk>> waiting_;
  std::vector<std::shared_ptr<HoldRequest>> requests_;
  std::set<std::uint32_t> held_;
  std::vector<PlanPtr> ending_;  // a slice of each has its last chunk placed
  PlacementCounters counters_;
};

}  // namespace wherry::dispatch
