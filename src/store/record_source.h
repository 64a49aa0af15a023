// Whoever hands out records in the order of the stream: a log's cursor, or a redo archive. One
// thread, but for interrupt().
#pragma once

#include <chrono>
#include <memory>

#include "store/entry.h"
#include "store/segment.h"

namespace wherry::store {

class RecordSource {
 public:
  enum class Step { event, commit, nothing };

  virtual ~RecordSource() = default;
  // The next record. nothing: none came in this time. lost: what comes next is gone; interrupted:
  // interrupt() was called; malformed and truncated: damage, with its place; io.
  virtual Result<Step> next(std::chrono::milliseconds wait) = 0;
  // What next() returned. Views live until the next call of next().
  virtual const Event& event() const = 0;
  virtual const Commit& commit() const = 0;
  // Keeps what next() returned last where it is, longer than the views; null: it cannot be kept.
  virtual std::shared_ptr<const void> hold() { return nullptr; }
  // Another one than before: what next() returned stands in another block of memory.
  virtual const void* block() const { return nullptr; }
  // What the writer of the record defined; null: it is not known.
  virtual Definition definition(std::uint64_t id) const = 0;
  // Any thread: next() returns at once, now and later.
  virtual void interrupt() = 0;
};

}  // namespace wherry::store
