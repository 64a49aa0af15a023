// Reads chunks: takes a slice, opens a snapshot of the source at a known point, reads the next rows
// into memory, lets go of the source and sends the chunk on. One thread each; several run side by
// side. What it shares is in SliceQueue, Inbox and the source's runtime.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "copy/slice_queue.h"
#include "dispatch/inbox.h"
#include "source/runtime.h"
#include "support/byte_budget.h"

namespace wherry::copy {

struct ReaderOptions {
  std::uint64_t chunk_bytes = 2 << 20;       // aimed at; the rows follow from the table's average
  std::uint64_t chunk_bytes_max = 16 << 20;  // a chunk ends early here
  bool by_gtid = true;
};

// What readers ask of the run; any thread.
struct ReaderLinks {
  source::Runtime& runtime;
  SliceQueue& slices;
  dispatch::Inbox& inbox;
  const dispatch::Catalog& catalog;
  ByteBudget& budget;
  // Admits one chunk with a large row at a time; counts chunks.
  ByteBudget& large_budget;
  // Of tables without a key: while one is held the stream may wait for it, so its chunks must not
  // wait for others'.
  ByteBudget& whole_budget;
  // Waits while the run must not open new snapshots (throttled, paused, far behind); false: it
  // ends.
  std::function<bool()> may_read;
  std::function<std::uint64_t()> chunk_rows;                          // 0: by bytes
  std::function<void(std::uint64_t rows, std::uint64_t bytes)> read;  // for rates
};

class ChunkReader {
 public:
  ChunkReader(const ReaderOptions& options, const ReaderLinks& links)
      : options_(options), links_(links) {}

  // Until everything is read, or an error that another try cannot heal.
  Status run();
  void stop() { stopping_ = true; }

 private:
  Status read_slice(const Slice& slice);
  Status read_keyed(const dispatch::PlanPtr& plan, const Slice& slice);
  Status read_whole(const dispatch::PlanPtr& plan, const Slice& slice);
  Status hold(const dispatch::PlanPtr& plan, const source::Lease& lease, mysql::Session& session,
              dispatch::SnapshotPoint& point);
  Result<dispatch::SnapshotPoint> open_snapshot(const source::Lease& lease,
                                                mysql::Session& session);
  bool admit(dispatch::Chunk& chunk, const mysql::FieldView* fields, std::size_t width);
  std::uint64_t rows_wanted(const dispatch::TablePlan& plan) const;
  bool may_heal(const Error& error) const;

  const ReaderOptions options_;
  const ReaderLinks links_;
  std::atomic<bool> stopping_{false};
  unsigned failures_ = 0;
};

}  // namespace wherry::copy
