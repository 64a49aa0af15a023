// Keeps and publishes the status of a run: one immutable value, replaced whole. The job's thread
// writes, any thread reads.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/engine.h"
#include "control/status.h"
#include "support/guarded.h"
#include "verify/checksum.h"

namespace wherry::control {

class JobStatus {
 public:
  JobStatus();

  std::shared_ptr<const CopyStatus> get() const;

  void enter(CopyState state);
  void begin(const RunPlan& plan);
  // Whether numbers should be shown again by now: of many tables less often, since each time costs.
  bool due() const;
  void update(const EngineNumbers& numbers, const std::vector<dispatch::PlanPtr>& plans,
              bool paused, std::uint64_t generation);
  void fenced();
  void stop_at(const Position& stop);
  void downtime(std::chrono::milliseconds time);
  void warn(const std::vector<std::string>& warnings);
  void verifying(const std::map<TableName, std::uint64_t>& rows);
  // Errc::differs where tables differ or could not be compared.
  Status verified(const std::vector<verify::TableVerdict>& verdicts);
  void end(const Status& outcome);

 private:
  struct Sample {
    std::chrono::steady_clock::time_point at;
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
  };
  void publish();
  void update_tables(const std::vector<dispatch::PlanPtr>& plans);
  void update_rates();
  TableStatus& table(const std::string& name);

  Guarded<std::shared_ptr<const CopyStatus>> published_;
  CopyStatus now_;
  std::map<std::string, std::size_t> places_;  // of the tables in now_, by name
  std::chrono::steady_clock::time_point next_{};
  CopyState state_ = CopyState::starting;  // beneath a pause
  std::chrono::steady_clock::time_point entered_ = std::chrono::steady_clock::now();
  std::deque<Sample> samples_;
};

}  // namespace wherry::control
