// Records consistent cuts in wherry.syncpoint at the target: which transaction of the source it
// holds through, and the target's own position just behind. Two reads, one of each server as of
// such a pair, show the same rows. due() and record() are the scheduler's thread's, request() and
// recorded() anybody's. Format: docs/format/progress.md.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "dispatch/syncpoints.h"
#include "sink/mysql/progress.h"
#include "sink/mysql/target_session.h"

namespace wherry::sink {

struct SyncpointOptions {
  // Of the source's commit times: one cut at each multiple since the epoch. 0: on request only.
  std::chrono::milliseconds interval{0};
  std::chrono::hours keep{7 * 24};  // older rows of the same run are deleted
};

// What the writer asks of its run.
struct SyncpointCalls {
  std::function<bool()> ready;     // whether the target is complete, so that a cut says something
  std::function<bool()> stopping;  // whether the run ends, so that nothing is waited for
};

class SyncpointWriter : public dispatch::Syncpoints {
 public:
  // progress outlives it.
  SyncpointWriter(TargetOptions target, const SyncpointOptions& options, const Progress& progress,
                  std::uint64_t epoch, SyncpointCalls calls);

  bool due(std::uint64_t commit_us) override;
  Status record(const dispatch::LowWater& cut) override;

  void request() { requested_ = true; }
  std::uint64_t recorded() const { return recorded_; }  // how many, by this object

 private:
  Status prepare();
  Status write(const dispatch::LowWater& cut);
  Status note_target(const dispatch::LowWater& cut);

  const TargetOptions target_;
  const SyncpointOptions options_;
  const Progress& progress_;
  const std::uint64_t epoch_;
  const SyncpointCalls calls_;
  std::unique_ptr<mysql::Session> session_;
  std::uint64_t last_slot_ = 0;  // the interval in which the last cut was made, or the run began
  std::atomic<bool> requested_{false};
  std::atomic<std::uint64_t> recorded_{0};
};

}  // namespace wherry::sink
