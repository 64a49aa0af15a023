// The redo of one running feed or copy: claims the epoch, writes what the log of the source brings,
// raises the fence, and removes what no target needs any more. The owner starts it before anything
// runs at the target, and ends it after.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "control/redo_mapping.h"
#include "control/run_plan.h"
#include "feed/source_log.h"
#include "redo/epoch.h"
#include "redo/place_gate.h"
#include "redo/writer.h"

namespace wherry::control {

struct RedoOptions {
  std::string storage_uri;  // empty: no redo
  unsigned uploads = 8;
  unsigned encoders = 0;  // 0: one for each core, at most 16
  std::uint64_t memory = 256 << 20;
  std::uint64_t file_bytes = 64 << 20;
  std::chrono::milliseconds interval{1000};  // a row is on its way after this at the latest
  bool compress = true;
  std::uint64_t requests = 0;  // a minute; 0: no bound
  std::string mark;            // see control/redo_removal.h; empty: none is left
};

class RedoJob {
 public:
  // Any thread, never waits: everything through here may be seen at the target.
  using Raise = std::function<void(const dispatch::Board::Fence&)>;

  struct Stream {  // of the source
    Dialect dialect = Dialect::mysql;
    std::string identity;  // lasting
    bool fold_names = false;
  };
  struct Request {
    std::string name;     // of the redo, in its storage
    const RunPlan& plan;  // of the run, which holds the target's lease
    Stream stream;
    RedoMapping mapping;    // but for what the other parts know
    bool snapshot = false;  // a redo that begins now is to hold the snapshot
  };

  // Waits for the storage, and until the log has what the redo has.
  static Result<std::unique_ptr<RedoJob>> begin(const RedoOptions& options, const Request& request,
                                                feed::SourceLog& log,
                                                const std::function<bool()>& stopping);
  ~RedoJob();
  RedoJob(const RedoJob&) = delete;
  RedoJob& operator=(const RedoJob&) = delete;

  // Through here all is durable: where the fence stands at first.
  std::uint64_t durable_cseq() const;
  // Where the pieces of the snapshot come in; null: the redo holds changes only.
  redo::PlaceGate* gate();
  redo::SnapshotMark snapshot_before() const;
  void start(Raise raise);
  // About ten times a second: everything through this one is recorded at the target. Raises the
  // fence once more, in case a wake-up was missed.
  void tick(std::uint64_t recorded);
  // Uploads what it took, and ends.
  Status stop();

  std::optional<Error> failure() const;
  std::map<std::string, double> gauges() const;
  std::string waiting_for() const;  // words; empty: nothing is late

 private:
  struct Impl;
  explicit RedoJob(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The place in a log at which a low-water mark stands.
store::Place place_of(const dispatch::LowWater& low);

}  // namespace wherry::control
