// The stages of a running copy or feed and their threads: intake, scheduler, lanes, readers, index
// builder. Built from a plan; start() once, then stop() before destruction. The first failure of
// any stage ends all of them. Any thread may ask.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "control/intake.h"
#include "control/run_plan.h"
#include "control/snapshot_writer.h"
#include "copy/slice_queue.h"
#include "dispatch/scheduler.h"
#include "sink/mysql/lane.h"
#include "sink/mysql/syncpoint_writer.h"
#include "support/pattern.h"

namespace wherry::control {

struct EngineOptions {
  unsigned lanes = 4;
  unsigned readers = 2;
  std::uint64_t memory = 1ULL << 30;
  std::uint64_t chunk_rows = 0;
  std::uint64_t rate_rows = 0;
  std::uint64_t rate_bytes = 0;
  std::chrono::milliseconds max_lag{0};
  bool fold_names = false;  // this and below: see dispatch::SchedulerOptions
  std::map<sql::Kind, sql::Policy> policies;
};

// Numbers for the status, read together.
struct EngineNumbers {
  bool copied = false;     // every chunk is committed, and in redo, and every late index there
  bool caught_up = false;  // nothing that arrived waits
  std::chrono::milliseconds lag{0};
  std::uint64_t transactions = 0, changes = 0;
  std::uint64_t filtered = 0;  // rows of the snapshot and changes that filters left out
  std::map<std::string, std::uint64_t> ignored;
  dispatch::LowWater low;
  std::uint64_t recorded =
      0;  // how much of low a resume would know: the stream from there is needed
  source::StreamState stream;
  std::string waiting_for;
  std::uint64_t syncpoints = 0;   // recorded since the start
  std::uint64_t chunk_bytes = 0;  // of chunks that have not committed
};

// What an engine is built from; the references outlive it.
struct EngineParts {
  const CopyOptions& options;
  EngineOptions settings;
  RunPlan& plan;
  source::Runtime* runtime;  // null: nothing is read but the intake, and no table is being copied
  Dialect dialect;           // of the source
  const sink::Progress& progress;
  Selection selection;
  IntakeFactory intake;
  std::optional<sink::SyncpointOptions> syncpoints;
  // With redo: nothing behind this group may be seen at the target until the fence is raised.
  std::optional<std::uint64_t> fence = std::nullopt;
  std::optional<SnapshotRedo> snapshot = std::nullopt;  // redo that holds the snapshot too
};

class Engine {
 public:
  explicit Engine(EngineParts parts);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void start();
  // Ends every stage: at once, or what was given out is finished first.
  void stop();
  std::optional<Error> failure() const;

  EngineNumbers numbers() const;
  std::vector<dispatch::PlanPtr> plans() const;
  void pause(bool paused);
  // See dispatch::Board. Any thread.
  void raise_fence(const dispatch::Board::Fence& fence);
  // Cuts soon, once everything is copied. False: this run makes no syncpoints.
  bool request_syncpoint();
  void change(const EngineOptions& options);
  // A chunk out of redo, once all before it was pushed. Waits for room; false: the run ends.
  bool replay(std::shared_ptr<dispatch::Chunk> chunk);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
