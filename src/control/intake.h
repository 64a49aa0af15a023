// Where the batches of a run come from: the source's own stream, or the log that it was read into.
// One intake a run; run() on its own thread, the rest from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "dispatch/board.h"
#include "feed/source_log.h"
#include "source/stream_stage.h"

namespace wherry::control {

class Intake {
 public:
  virtual ~Intake() = default;
  // Hands on what comes behind `from`, until stop(), an error, or a closed budget or push.
  virtual Status run(const dispatch::LowWater& from) = 0;
  virtual void stop() = 0;
  // connected: nothing waits that could be handed on, but what the source has not sent.
  virtual source::StreamState state() const = 0;
};

// Takes a batch, waits for room; false: the run ends.
using Push = std::function<bool(decode::BatchPtr)>;
// The budget holds what was pushed until it is done with; it outlives the intake.
using IntakeFactory = std::function<std::unique_ptr<Intake>(ByteBudget&, Push)>;

// memory: of the whole run, in bytes. The runtime outlives the intake.
IntakeFactory stream_intake(source::Runtime& runtime, bool by_gtid, std::uint64_t memory);
IntakeFactory log_intake(feed::SourceLog& log, std::uint64_t memory);

}  // namespace wherry::control
