// Makes a stream durable in a storage, in order: collector, encoders, assembler, uploaders, each on
// threads of its own, none of which waits for I/O but the uploaders. One ledger of bytes holds all
// that is on its way; only the collector waits for room in it. Owner: whoever wires it; it must not
// outlive the storage. Any thread may ask.
//
//   records -> collector -> encoders -> TicketQueue -> assembler -> Uploads -> durable place
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "redo/collector.h"
#include "redo/file_builder.h"
#include "redo/ticket_queue.h"
#include "redo/uploads.h"
#include "support/bounded_queue.h"

namespace wherry::redo {

struct WriterOptions {
  unsigned uploaders = 8;
  unsigned encoders = 2;
  std::size_t memory = 256 << 20;  // of the ledger
  CutLimits cut;
  CollectorOptions collector;
  bool compress = true;
  std::size_t unreleased_max = 4096;
  std::chrono::milliseconds drain{15'000};  // how long stop() waits for what was taken
};

struct WriterStatus {
  DurablePtr durable;
  UploadCounts uploads;
  std::size_t held_bytes = 0;  // of the ledger
  std::size_t peak_bytes = 0;
  std::uint64_t taken_cseq = 0;   // the last transaction that was taken whole
  std::optional<Instant> oldest;  // when the oldest record that is not durable was taken
  std::optional<Error> failure;
};

class Writer {
 public:
  using Moved = std::function<void(const DurablePtr&)>;

  // records: what follows the claim's begin. moved: called on an uploader's thread whenever the
  // durable place moves; values may come late, never wrong. It must not wait.
  static Result<std::unique_ptr<Writer>> make(storage::Storage& storage, const Claim& claim,
                                              std::unique_ptr<store::RecordSource> records,
                                              const WriterOptions& options, Moved moved);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void start();
  // Takes nothing more, and uploads what it has, for as long as the drain may take; then ends all.
  // The error that ended it, if one did.
  Status stop();

  // All through this transaction is at the target: written into the footers to come.
  void set_checkpoint(std::uint64_t cseq);
  DurablePtr durable() const { return uploads_.durable(); }
  WriterStatus status() const;

 private:
  Writer(storage::Storage& storage, const Claim& claim, const WriterOptions& options, Moved moved);

  void collect();
  void encode();
  void assemble();
  bool seal_if_due(FileBuilder& builder, bool last);
  void fail(const Error& error);
  void abort();
  void join();

  const Claim claim_;
  const WriterOptions options_;
  ByteBudget ledger_;
  std::unique_ptr<Collector> collector_;
  BoundedQueue<Block> raw_;
  TicketQueue<Block> encoded_;
  Uploads uploads_;
  struct Marks {
    std::atomic<std::uint64_t> checkpoint{0};
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::int64_t> open_since{0};  // of the steady clock; 0: nothing is open
    std::atomic<bool> stopping{false};
  };
  Marks marks_;
  std::stop_source stop_;  // of the uploads
  Guarded<std::optional<Error>> failure_;
  struct Threads {
    std::thread collector;
    std::vector<std::thread> encoders;
    std::thread assembler;
    std::vector<std::thread> uploaders;
  };
  Threads threads_;
};

}  // namespace wherry::redo
