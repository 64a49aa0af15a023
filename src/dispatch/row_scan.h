// Reads the row events of a group once, before it is dispatched: which keys it touches, for
// conflicts and for the placing of chunks. One thread: the scheduler's.
#pragma once

#include <unordered_map>

#include "dispatch/change_ring.h"
#include "dispatch/keys.h"
#include "dispatch/lane_router.h"

namespace wherry::dispatch {

class RowScan {
 public:
  RowScan(const Catalog& catalog, ChangeRing& ring)
      : catalog_(catalog), resolver_(catalog), ring_(ring) {}

  // Fills in the resolved tables of the group's events.
  Status resolve(WorkBatch& work, const decode::Group& group);
  // Where the rows of a group take effect: at its end, or of an XA transaction at its commit.
  struct Place {
    const decode::Batch& batch;
    const decode::Group& group;
  };
  // Collects what the group's rows touch; of tables with an open copy the keys go into the ring, at
  // that place. Of a part of a large group only the tables are noted, and snapshots before it
  // become worthless.
  Result<Touched> scan(const WorkBatch& work, const decode::Group& group, const Place& place);
  Result<Touched> scan(const WorkBatch& work, const decode::Group& group) {
    return scan(work, group, {*work.batch, group});
  }
  // The group changes tables without row events: snapshots before it are worthless.
  void bar_open(const decode::Batch& batch, const decode::Group& group);

 private:
  void begin(const decode::Batch& batch, const decode::Group& group, bool late = false);
  static Result<std::optional<decode::RowKind>> judge(const ResolvedTable& table,
                                                      decode::RowKind kind,
                                                      const decode::RowView& row, Touched& touched);
  Status scan_event(const WorkBatch& work, const decode::EventRef& event,
                    const ResolvedTable& table, Touched& touched);
  Status scan_row(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                  Touched& touched);

  // An update whose after image is not whole, of a table with an open copy.
  void merge_after();
  Status note_partial(const ResolvedTable& table, bool into_ring, Touched& touched);
  Status scan_part(const WorkBatch& work, const decode::EventRef& event, const ResolvedTable& table,
                   Touched& touched);
  void reach_children(Touched& touched);

  const Catalog& catalog_;
  Resolver resolver_;
  ChangeRing& ring_;
  KeyReader keys_;
  decode::RowView row_;
  std::vector<decode::Cell> merged_;  // an after image with what it leaves out of the before image
  std::uint64_t cseq_ = 0;            // of the place where what is scanned takes effect
  // Table maps of a transaction that comes in parts.
  std::unordered_map<std::uint64_t, ResolvedPtr> large_;
};

}  // namespace wherry::dispatch
