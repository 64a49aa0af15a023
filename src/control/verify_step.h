// Runs the checksum verifier beside the job's own thread. start() once; result() after done().
// Borrows the runtime.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "control/options.h"
#include "dispatch/tables.h"
#include "source/runtime.h"
#include "support/guarded.h"
#include "verify/checksum.h"

namespace wherry::control {

class VerifyStep {
 public:
  // live: the source is not fenced; ranges that differ are looked at again before they count.
  VerifyStep(source::Runtime& runtime, const CopyOptions& options,
             std::vector<dispatch::PlanPtr> plans, bool live)
      : runtime_(runtime), options_(options), plans_(std::move(plans)), live_(live) {}
  ~VerifyStep() { stop(); }

  void start();
  void stop();
  bool done() const { return done_; }
  std::map<TableName, std::uint64_t> rows() const;
  Result<std::vector<verify::TableVerdict>> result();

 private:
  Result<std::vector<verify::TableVerdict>> run();
  Result<std::vector<verify::TablePair>> pairs() const;

  source::Runtime& runtime_;
  const CopyOptions& options_;
  const std::vector<dispatch::PlanPtr> plans_;
  const bool live_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  Guarded<std::map<TableName, std::uint64_t>> rows_;
  std::optional<Result<std::vector<verify::TableVerdict>>>
      result_;  // written by thread_, read after join
};

}  // namespace wherry::control
