// One source as feeds see it: its runtime, its stream, and the durable log that the stream is read
// into once, however many feeds take it out. Owns the thread of the stream. Any thread may ask;
// whoever got something from here must be done with it before stop() returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "feed/batch_log.h"
#include "feed/bells.h"
#include "source/stream_stage.h"
#include "store/log.h"

namespace wherry::feed {

struct SourceLogOptions {
  // Folder, sizes and the bound on the disk. Identity, dialect and begin are filled in here.
  store::Options log;
  std::size_t stream_bytes = 32 << 20;  // received and not in the log yet, at most
  std::size_t part_bytes = 16 << 20;    // a transaction larger than this is received in parts
};

class SourceLog {
 public:
  // Opens the source's log or begins one, and checks that the source still brings what follows it.
  // begin: where a new log begins; nothing: where the source stands now. Errors: those of
  // store::Log::open() and of source::require_applied().
  static Result<std::unique_ptr<SourceLog>> open(const SourceLogOptions& options,
                                                 std::unique_ptr<source::Runtime> runtime,
                                                 const std::optional<store::Place>& begin);
  ~SourceLog();
  SourceLog(const SourceLog&) = delete;
  SourceLog& operator=(const SourceLog&) = delete;

  void start();
  // Ends the stream, writes out and closes the log.
  Status stop();

  store::Log& log() { return *log_; }
  Bells& bells() { return bells_; }  // rung for each batch that came into the log
  source::Runtime& runtime() { return *runtime_; }
  bool by_gtid() const { return by_gtid_; }
  source::StreamState stream() const { return stream_->state(); }
  // What ended the stream; nothing: it runs.
  std::optional<Error> failure() const;
  // Behind the last transaction that is in the log, or behind a later one.
  Result<store::Place> end();

 private:
  SourceLog(const SourceLogOptions& options, std::unique_ptr<source::Runtime> runtime,
            std::unique_ptr<store::Log> log, store::Place end);
  Status run();

  const std::unique_ptr<source::Runtime> runtime_;
  const std::unique_ptr<store::Log> log_;
  const store::Place begin_;  // of the stream
  const bool by_gtid_;
  ByteBudget budget_;
  BatchWriter writer_;
  Bells bells_;
  std::unique_ptr<source::StreamStage> stream_;
  std::thread thread_;
  Guarded<std::optional<Error>> failure_;
};

}  // namespace wherry::feed
