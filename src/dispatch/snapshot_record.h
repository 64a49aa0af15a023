// Redo that holds the snapshot of a copy: what the scheduler tells it. Chunks stand in it at their
// places among the transactions, so it takes no transaction before the scheduler has said that
// nothing can be placed before that one. Called on the scheduler's thread; never waits.
#pragma once

#include "dispatch/work.h"
#include "support/result.h"

namespace wherry::dispatch {

class SnapshotRecord {
 public:
  virtual ~SnapshotRecord() = default;
  // The redo goes on behind this transaction: nothing is placed before, and no hold granted.
  virtual std::uint64_t begin() const = 0;
  // Nothing more is placed before this transaction.
  virtual void raise(std::uint64_t cseq) = 0;
  // The chunk has its place, which is not before what was raised last. Gives it its number.
  virtual Status placed(const std::shared_ptr<Chunk>& chunk) = 0;
  // The scheduler stands between two transactions, with all that could be placed in its place.
  virtual Status stands(std::uint64_t cseq) = 0;
};

}  // namespace wherry::dispatch
