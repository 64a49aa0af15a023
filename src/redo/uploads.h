// Sealed files on their way into the storage. Uploaders take them in order and finish in any; the
// ring moves over the finished ones at its front and publishes one value, through which everything
// is durable. Any thread; it must not outlive the storage.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "redo/cut_rule.h"
#include "redo/sealed_file.h"
#include "redo/upload_model.h"
#include "storage/storage.h"
#include "support/guarded.h"

namespace wherry::redo {

// One immutable value: all through the place is in the storage.
struct Durable {
  store::Place place;
  std::uint64_t files = 0;  // of this epoch
  std::uint64_t bytes = 0;
  SnapshotMark snapshot;  // as far as it is in the storage
};
using DurablePtr = std::shared_ptr<const Durable>;

struct UploadCounts {
  unsigned in_flight = 0;
  std::size_t waiting = 0;     // sealed, without an uploader
  std::size_t unreleased = 0;  // sealed, and not behind the durable place
  std::uint64_t uploads = 0;
  std::optional<Instant> oldest;  // first row of the oldest file that is not released
  double latency_s = 0;           // what an upload costs, as measured
  double bytes_per_s = 0;
  std::size_t target_bytes = 0;
};

class Uploads {
 public:
  struct Options {
    unsigned uploaders = 8;
    std::size_t unreleased_max = 4096;  // files behind one that does not finish
  };
  // Called on an uploader's thread, without locks: freed when one looks for work, moved when the
  // durable place did. A later value may be reported before an earlier one.
  struct Calls {
    std::function<void()> freed;
    std::function<void(const DurablePtr&)> moved;
  };

  Uploads(storage::Storage& storage, const Options& options, const Durable& begin, Calls calls);

  // The assembler's: files in the order of their numbers. Never waits.
  void put(SealedFilePtr file);
  // One uploader, on its own thread, until close() and nothing waits, or stop. Errors: the
  // storage's, once it gives up.
  Status run(const std::stop_token& stop);
  // No more files will come.
  void close();
  // What waits is dropped; nobody takes up anything.
  void abandon();

  UploadLoad load() const;
  // Waits until a file may be put. False: the time passed.
  bool wait_for_room(std::chrono::milliseconds time);
  UploadCounts counts() const;
  DurablePtr durable() const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    store::Place after;
    SnapshotMark snapshot;
    Instant first_at{};
    bool done = false;
  };
  struct State {
    std::deque<SealedFilePtr> waiting;
    std::deque<Entry> ring;  // from the first file that is not released on
    DurablePtr durable;
    UploadModel model;
    unsigned in_flight = 0;
    std::uint64_t uploads = 0;
    bool closed = false;
  };
  SealedFilePtr take(const std::stop_token& stop);
  void finish(const SealedFile& file, std::chrono::steady_clock::duration took);

  storage::Storage& storage_;
  const Options options_;
  const Calls calls_;
  Guarded<State> state_;
};

}  // namespace wherry::redo
