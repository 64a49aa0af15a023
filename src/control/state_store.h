// The feeds of one server on disk: an SQLite file (docs/format/state.md), readable by its account
// alone since it holds passwords. Every call that returns is durable; a process that is killed
// leaves the last one that returned. Any thread; the calls go one after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/feed_spec.h"
#include "control/feed_state.h"
#include "model/position.h"
#include "support/result.h"

namespace wherry::control {

// What the operator wants of a feed.
enum class Wanted { running, paused, removed };
std::string_view to_string(Wanted wanted);

// How far a feed is: a cache of what its sink knows.
struct Checkpoint {
  std::uint64_t cseq = 0;
  Position position;
  std::uint64_t rows_copied = 0;
  bool operator==(const Checkpoint&) const = default;
};

// What the server notes of a feed as it goes.
struct FeedNote {
  Wanted wanted = Wanted::running;
  FeedState state = FeedState::normal;
  std::optional<Error> error;
  unsigned retries = 0;
  std::optional<Checkpoint> checkpoint;
};

struct FeedRecord {
  FeedSpec spec;
  FeedNote note;
  std::chrono::system_clock::time_point created, changed;
};

class StateStore {
 public:
  // path: made where it is missing. Errc::refused: a newer program wrote it, or it is something
  // else. Errc::io: the disk.
  static Result<StateStore> open(const std::string& path);
  StateStore(StateStore&&) noexcept;
  StateStore& operator=(StateStore&&) = delete;
  ~StateStore();

  Result<std::vector<FeedRecord>> feeds();  // by name
  // Errc::conflict: there is one of this name.
  Status add(const FeedRecord& record);
  Status set_spec(const FeedSpec& spec, std::chrono::system_clock::time_point changed);
  Status set_note(const std::string& name, const FeedNote& note,
                  std::chrono::system_clock::time_point changed);
  // All of them at once or none.
  struct Passed {
    std::string name;
    Checkpoint checkpoint;
  };
  Status set_checkpoints(std::span<const Passed> passed);
  Status remove(const std::string& name);

 private:
  class Database;
  explicit StateStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace wherry::control
