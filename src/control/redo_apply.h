// Replays a redo into the target that its feed or copy wrote: the applier of live replication, fed
// from the storage, so that what is at the target already is passed over exactly. No source is
// needed. One job, one run(); stop() and progress() from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/options.h"
#include "redo/archive.h"

namespace wherry::control {

struct RedoApplyOptions {
  std::string storage_uri;
  std::string feed;  // empty: the only one there
  std::string target_uri;
  Endpoint target;
  std::string to;  // a GTID set, file:offset or a time (ISO 8601, UTC); empty: all that is durable
  std::vector<std::string> tables;  // patterns, by the source's names; none: all that the feed has
  unsigned lanes = 4;
  std::uint64_t memory = 1ULL << 30;
  std::string meta_database = "wherry";
  bool target_binlog = true;
  bool dry_run = false;
};

struct RedoApplyProgress {
  std::uint64_t from = 0;  // the target had all through here
  std::uint64_t low = 0;   // and has now
  std::uint64_t last = 0;  // and is to have
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_all = 0;
  std::uint64_t changes = 0;
  std::string waiting_for;
};

// What a run did.
struct RedoApplyReport {
  std::string feed;
  store::Place from;
  store::Place to;
  std::vector<std::string> tables;  // all that it was about; none: all of the feed
  std::uint64_t transactions = 0;
  std::uint64_t changes = 0;
  std::uint64_t bytes = 0;  // of the files that were read
  double seconds = 0;
};

class RedoApply {
 public:
  explicit RedoApply(RedoApplyOptions options);
  ~RedoApply();

  // Errc::refused and usage: nothing was written. Errc::interrupted: stop(); a new run goes on.
  Result<RedoApplyReport> run();
  void stop();
  RedoApplyProgress progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
