// The sessions that a job keeps for itself beside those of its stages: one of the source for
// definitions and positions, one of the target that holds the lease. One thread.
#pragma once

#include <memory>
#include <optional>

#include "control/run_plan.h"

namespace wherry::control {

class JobSessions {
 public:
  // The parts outlive it.
  JobSessions(source::Runtime& runtime, const CopyOptions& options, const sink::Progress& progress)
      : runtime_(runtime), options_(options), progress_(progress) {}

  Status open();
  // Outlives restarts of either server; the lease goes with the target's session. Errc::conflict:
  // another run has it now.
  Status keep(std::uint64_t epoch);
  // The source is read somewhere else now.
  Status renew_source();

  mysql::Session& source() { return **source_; }
  mysql::Session& target() { return *target_; }
  RunSessions for_plan() {
    return {runtime_, source(), target(), progress_, [this] { return open_target(); }, {}, true};
  }

 private:
  Result<std::unique_ptr<mysql::Session>> open_target() const;

  source::Runtime& runtime_;
  const CopyOptions& options_;
  const sink::Progress& progress_;
  std::optional<source::SourceSession> source_;
  std::unique_ptr<mysql::Session> target_;
};

}  // namespace wherry::control
