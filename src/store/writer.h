// The producer's side of a log: whole transactions, in parts of any number. Bytes are copied once,
// into the tail. Cursors see a transaction only after its commit was published. One thread; it
// must not outlive its log.
#pragma once

#include <map>

#include "store/state.h"

namespace wherry::store {

class Writer {
 public:
  // next: the first cseq to come; last_commit_us: of the newest commit in the log.
  Writer(Shared& shared, const Options& options, std::uint64_t next, std::uint64_t last_commit_us);

  // What rows of a table version need to be read, in the caller's own form; before the first of
  // them. An id means the same for the life of the log. The same id again: nothing happens.
  Status define(std::uint64_t id, Bytes content);
  // No new rows will use it: it goes with the last segment that needs it.
  void retire(std::uint64_t id);

  // Begins a transaction; cseq must be next(). Waits while the disk's bound is reached.
  Status begin(std::uint64_t cseq);
  // Waits while the tail is full of what is not on disk yet. An event that is larger than the whole
  // tail is admitted alone.
  Status add(const Event& event);
  Status commit(Commit commit);
  // Shows cursors what was committed. Call it behind each batch: once for many small transactions.
  Status publish();
  // The open transaction never was. Without one: nothing happens.
  Status abort();

  std::uint64_t next() const { return next_; }
  bool inside() const { return inside_; }

 private:
  Status wait_for_disk();
  Result<std::byte*> reserve(std::size_t bytes);
  Status next_chunk(std::size_t bytes);
  Status push_chunk(std::shared_ptr<Chunk> chunk);
  Status usable() const;

  Shared& shared_;
  const Options& options_;
  std::shared_ptr<Chunk> chunk_;  // the newest of the tail; null: the next record makes one
  std::size_t used_ = 0;          // bytes in it
  std::size_t committed_ = 0;     // of these, up to the last commit
  std::size_t begin_ = 0;         // where the open transaction begins in it
  std::uint64_t next_;
  std::uint64_t row_ = 0;  // of the open transaction
  std::uint64_t last_commit_us_;
  bool inside_ = false;
  bool handed_on_ = false;  // pieces of the open transaction are in older chunks
};

}  // namespace wherry::store
