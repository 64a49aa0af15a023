// The durable log of one source: whole transactions in the order of their cseq, the newest in
// memory, all in segment files. One producer writes, any number of cursors read, consumers say what
// they are done with. Owns its folder and its threads. docs/format/log.md has the files. Everything
// that it hands out must not outlive it; methods may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/consumer.h"
#include "store/cursor.h"
#include "store/flusher.h"
#include "store/lookup.h"
#include "store/scrubber.h"
#include "store/writer.h"

namespace wherry::store {

// One consistent look at a log.
struct LogStatus {
  std::uint64_t first_cseq = 1;    // the oldest that can be read
  std::uint64_t last_cseq = 0;     // the newest that cursors see
  std::uint64_t durable_cseq = 0;  // the newest that a loss of power leaves
  std::uint64_t disk_bytes = 0;
  std::size_t tail_bytes = 0;
  std::size_t segments = 0;
  bool throttled = false;       // the producer waits for the slowest consumer
  std::string slowest;          // the consumer with the oldest need; empty: there is none
  std::size_t scrub_left = 0;   // segments not yet read again since the log was opened
  std::optional<Error> error;   // the disk failed: the log is to be opened anew
  std::optional<Error> damage;  // the scrubber found something
};

class Log {
 public:
  // Opens the folder's log or begins one. Errors: recover() in recovery.h, and lost where the files
  // end before what was once durable. cuts: what a killed process left behind and was cut off.
  static Result<std::unique_ptr<Log>> open(const Options& options);
  ~Log();  // as close(), but nobody learns of errors

  // The producer's, one thread.
  Writer& writer() { return *writer_; }

  // Reads from the point on; where it is no longer in the log, the first next() says so.
  std::unique_ptr<Cursor> cursor(const Point& from) {
    return std::make_unique<Cursor>(shared_, from);
  }
  // Keeps what is behind `done` for it. lost: the log begins behind that; conflict: it ends before.
  Result<Consumer> consumer(const std::string& name, std::uint64_t done);
  // For whom the log keeps something, here or not.
  std::vector<std::string> consumers() const;
  Lookup lookup() { return Lookup(*this); }
  // What the writer defined; null: nothing that is still in the log uses it.
  Definition definition(std::uint64_t id) const;

  LogStatus status() const;
  std::uint64_t durable_cseq() const;
  // Waits until transactions up to cseq are durable. usage: it was not published.
  Status sync_to(std::uint64_t cseq);
  // What was cut off when the log was opened, a sentence each.
  const std::vector<std::string>& cuts() const { return cuts_; }

  // Sends home everybody who waits in the log; nothing is written from now on but what is there.
  void stop();
  // Writes and syncs what was published, seals the segment, ends the threads. An open transaction
  // never was. The producer must have stopped; cursors return.
  Status close();

 private:
  friend class Lookup;

  Log(const Options& options, Recovered recovered, std::optional<SegmentWriter> active);
  void start(std::vector<Segment> to_scrub);

  const Options options_;
  Shared shared_;
  std::vector<std::string> cuts_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Flusher> flusher_;
  std::unique_ptr<Scrubber> scrubber_;
  std::thread flushing_;
  std::thread scrubbing_;
};

}  // namespace wherry::store
