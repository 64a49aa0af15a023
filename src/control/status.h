// What a running copy says of itself: one immutable value, republished at least every second by the
// job and read by the API, the progress view, SIGUSR1 and the report. Values; no threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/position.h"
#include "support/result.h"

namespace wherry::control {

enum class CopyState {
  starting,
  copying,
  catching_up,
  waiting_for_cutover,
  cutover,
  verifying,
  done,
  paused,
  failed,
  interrupted
};
std::string_view to_string(CopyState state);  // as the API spells it: "catching-up"

struct Difference {  // one row found by the verifier
  std::string table;
  std::string key;   // "id=5"
  std::string kind;  // "missing on target", "only on target", "differs"
  std::vector<std::string> columns;
};

struct TableStatus {
  std::string name;  // at the source
  std::string target_name;
  std::uint64_t rows_estimate = 0, rows_copied = 0, bytes_copied = 0;
  std::uint64_t changes_applied = 0;
  std::uint64_t rows_verified = 0;
  std::uint64_t differences = 0;
  std::string verified;  // "not verified", "equal", "different"
  bool copied = false;
};

struct CopyStatus {
  CopyState state = CopyState::starting;
  std::string waiting_for;  // who or what it waits for, in words; empty when moving
  std::optional<Error> error;
  bool resumable = false;
  std::vector<TableStatus> tables;
  std::uint64_t rows_estimate = 0, rows_copied = 0, bytes_copied = 0;
  double rows_per_second = 0, bytes_per_second = 0;  // over the last seconds
  std::optional<std::chrono::seconds> eta;
  std::uint64_t transactions_applied = 0, changes_applied = 0;
  std::map<std::string, std::uint64_t> ignored;  // statement kinds and events counted and left out
  std::chrono::milliseconds lag{
      0};  // now minus commit time of the last applied, 0 when idle and caught up
  Position start, current, stop;  // where the stream began, is applied through, must reach
  std::uint64_t source_generation = 1;
  bool source_fenced = false;
  std::optional<std::chrono::milliseconds> downtime;
  std::map<std::string, double> phase_seconds;
  std::vector<std::string> warnings;
  std::vector<Difference> differences;  // the first 1000
  std::chrono::system_clock::time_point started, updated;
};

std::uint64_t rows_verified(const CopyStatus& status);  // of all tables

}  // namespace wherry::control
