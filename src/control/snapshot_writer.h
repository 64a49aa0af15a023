// What a copy brings into its redo beside the transactions: chunks at their places, and the end of
// the snapshot. Owned by the engine; the scheduler's thread, but for settled(). It must not outlive
// the gate.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "copy/slice_queue.h"
#include "dispatch/snapshot_record.h"
#include "redo/place_gate.h"

namespace wherry::control {

// The redo that a run writes its snapshot into.
struct SnapshotRedo {
  redo::PlaceGate* gate = nullptr;
  std::uint64_t begin = 0;    // the epoch goes on behind this transaction
  redo::SnapshotMark before;  // so much of the snapshot is in it
  bool holds = true;          // false: the copy has tables that it cannot hold (any more)
};

class SnapshotWriter final : public dispatch::SnapshotRecord {
 public:
  SnapshotWriter(const SnapshotRedo& redo, const copy::SliceQueue& slices);

  std::uint64_t begin() const override { return redo_.begin; }
  void raise(std::uint64_t cseq) override { redo_.gate->raise(cseq); }
  Status placed(const std::shared_ptr<dispatch::Chunk>& chunk) override;
  Status stands(std::uint64_t cseq) override;

  // The table begins anew in a way that redo cannot hold: this redo never becomes complete.
  Status give_up(std::uint32_t table);
  // Nothing of the snapshot is still to come into the storage, which has so many pieces.
  bool settled(std::uint64_t durable) const;

 private:
  Result<std::uint64_t> put(redo::PieceKind kind, std::uint64_t cseq, std::uint32_t table);

  const SnapshotRedo redo_;
  const copy::SliceQueue& slices_;
  bool writes_;                      // pieces are still to come
  std::atomic<std::uint64_t> last_;  // the number of the last piece of all
};

}  // namespace wherry::control
