// Batches of the stream into a durable log and out of it again. The log keeps each event as the
// source sent it; what a batch needs besides stands in the commit's flags and in one definition for
// each format of the stream. Both classes: one thread, but for interrupt(); they must not outlive
// the log.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "decode/batch.h"
#include "store/log.h"

namespace wherry::feed {

class BatchWriter {
 public:
  explicit BatchWriter(store::Log& log) : log_(log) {}

  // All groups of the batch; readers see those that are complete when it returns. Waits where the
  // log does: for its disk, and for its slowest consumer at the bound.
  Status put(const decode::Batch& batch);

 private:
  Status put(const decode::Batch& batch, const decode::Group& group);

  store::Log& log_;
  std::shared_ptr<const decode::FormatDescription> format_;
  std::uint64_t format_id_ = 0;
};

// Whether there is a statement in the transaction.
bool holds_statement(const store::Commit& commit);

// What the commit of a transaction says, read ahead of its events: a part of a large one has a
// group that says nothing yet.
struct CommitFacts {
  decode::Group group;      // with no events
  std::string gtid_source;  // MySQL: what group.gtid.source stands for
};
Result<CommitFacts> commit_of(store::Log& log, std::uint64_t cseq);

struct BatchReaderOptions {
  Dialect dialect = Dialect::mysql;     // of the source
  std::size_t batch_bytes = 512 << 10;  // a batch is complete at this size
  std::size_t part_bytes = 16 << 20;    // a group larger than this is handed out in parts
  // Others are left out, their groups are not. Asked about each event, in their order; null: all.
  std::function<bool(const store::Event&)> wanted = nullptr;
};

class BatchReader {
 public:
  // Reads the groups behind cseq `done`. The log may not reach so far yet.
  BatchReader(store::Log& log, std::uint64_t done, const BatchReaderOptions& options)
      : BatchReader(log.cursor({done + 1, 0}), done, options) {}
  // records: of the groups behind `done`, in their order without a gap.
  BatchReader(std::unique_ptr<store::RecordSource> records, std::uint64_t done,
              const BatchReaderOptions& options);

  // What there is, up to the size of a batch; null: nothing came in this time. Errors: those of
  // store::RecordSource::next().
  Result<std::unique_ptr<decode::Batch>> next(std::chrono::milliseconds wait);
  // The last cseq that was handed out whole.
  std::uint64_t done() const { return done_; }
  // Any thread: next() returns at once, now and later.
  void interrupt() { records_->interrupt(); }

 private:
  std::unique_ptr<decode::Batch> begin();
  void carry_over(decode::Batch& from);
  bool fits(const decode::Batch& batch) const;
  Status take_event(decode::Batch& batch);
  std::size_t place(decode::Batch& batch, Bytes body);
  void take_commit(decode::Batch& batch);
  Status set_format(decode::Batch& batch, std::uint64_t id);
  std::unique_ptr<decode::Batch> finish(std::unique_ptr<decode::Batch> batch);

  const BatchReaderOptions options_;
  const std::unique_ptr<store::RecordSource> records_;
  std::uint64_t done_;
  using Format = std::shared_ptr<const decode::FormatDescription>;
  std::map<std::uint64_t, Format> formats_;
  Format no_events_;                        // of batches whose groups are all empty
  decode::Group group_;                     // under construction
  std::uint64_t events_seen_ = 0;           // of it, in it or left out
  std::string file_;                        // where the last group ended
  std::unique_ptr<decode::Batch> carried_;  // the next batch, begun with the open group's events
  std::size_t events_before_ = 0;           // in the last batch: the next has as many, mostly
  bool record_waits_ = false;  // the cursor stands on a record that belongs to the next batch
  store::RecordSource::Step step_ = store::RecordSource::Step::nothing;
};

}  // namespace wherry::feed
