// The redo of a copy, and the log of the source that it is written from: where the copy itself
// reads the stream as well. The log lies in the state folder, or in a temporary one that goes with
// the run: what it loses is read from the source again. Owned by the job; one thread, but for the
// fence.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "control/redo_job.h"
#include "control/run_plan.h"
#include "control/snapshot_writer.h"

namespace wherry::control {

class CopyRedo {
 public:
  // The caller holds the target's lease. Waits for storage and source.
  static Result<std::unique_ptr<CopyRedo>> begin(const CopyOptions& options, const RunPlan& plan,
                                                 const RedoJob::Stream& stream,
                                                 const RunSessions& sessions,
                                                 const std::function<bool()>& stopping);
  ~CopyRedo();
  CopyRedo(const CopyRedo&) = delete;
  CopyRedo& operator=(const CopyRedo&) = delete;

  feed::SourceLog& log() { return *log_; }
  RedoJob& redo() { return *redo_; }
  // The redo as one that holds the snapshot; nothing: it holds changes only.
  std::optional<SnapshotRedo> snapshot() const { return snapshot_; }
  // About ten times a second: everything through this one is recorded at the target.
  void tick(std::uint64_t recorded);
  Status stop();

 private:
  CopyRedo() = default;
  Status open(const CopyOptions& options, const RunPlan& plan);
  Status begin_snapshot(const RunPlan& plan, const RunSessions& sessions);

  std::string temporary_;  // folder to be removed; empty: none
  std::unique_ptr<feed::SourceLog> log_;
  std::optional<store::Consumer> consumer_;
  std::unique_ptr<RedoJob> redo_;
  std::optional<SnapshotRedo> snapshot_;
};

}  // namespace wherry::control
