// Runs the checksum verifier beside the job's own thread. start() once; result() after done().
// Borrows the runtime and the options.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "control/options.h"
#include "dispatch/tables.h"
#include "model/position.h"
#include "source/runtime.h"
#include "support/guarded.h"
#include "verify/checksum.h"

namespace wherry::control {

class VerifyStep {
 public:
  // Whether everything through this position of the source is at the target. Any thread.
  using Applied = std::function<Result<bool>(const Position&)>;
  // applied is given where the source is not fenced: what differs is looked at again before it
  // counts, at last when the target has what the source had logged by then.
  VerifyStep(source::Runtime& runtime, const CopyOptions& options,
             std::vector<dispatch::PlanPtr> plans, Applied applied)
      : runtime_(runtime),
        options_(options),
        plans_(std::move(plans)),
        applied_(std::move(applied)) {}
  ~VerifyStep() { stop(); }

  void start();
  void stop();
  bool done() const { return done_; }
  std::map<TableName, std::uint64_t> rows() const;
  Result<std::vector<verify::TableVerdict>> result();

 private:
  Result<std::vector<verify::TableVerdict>> run();
  Result<std::vector<verify::TablePair>> pairs() const;
  Status catch_up(const Endpoint& source) const;

  source::Runtime& runtime_;
  const CopyOptions& options_;
  const std::vector<dispatch::PlanPtr> plans_;
  const Applied applied_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  Guarded<std::map<TableName, std::uint64_t>> rows_;
  std::optional<Result<std::vector<verify::TableVerdict>>>
      result_;  // written by thread_, read after join
};

}  // namespace wherry::control
