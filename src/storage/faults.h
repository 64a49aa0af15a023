// What a bad storage does, and when: the options, the dice, and lists that are behind. Any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/storage.h"
#include "support/clock.h"
#include "support/guarded.h"

namespace wherry::storage {

struct FaultOptions {
  std::chrono::milliseconds latency{0};  // of each call; the median where there is a sigma
  double sigma = 0;                      // of the log-normal distribution of the latency
  std::uint64_t bandwidth = 0;           // bytes a second of one call; 0: no bound
  std::uint64_t link = 0;                // bytes a second of all calls together; 0: no bound
  double errors = 0;  // share of calls that fail; half of the writes among them took effect
  double torn = 0;    // share of writes that leave the beginning of the object and fail
  double lost = 0;    // share of writes that say they succeeded and did nothing
  std::chrono::milliseconds stale{0};  // how far lists are behind
  std::uint64_t seed = 1;
};

enum class Fate { passes, fails, fails_behind, is_torn, is_lost };

struct Throw {
  Fate fate = Fate::passes;
  double latency_factor = 1;
  double share = 0;  // of the bytes that a torn write leaves
};

class Dice {
 public:
  explicit Dice(const FaultOptions& options) : options_(options) {}

  // A write of this name; the next one of the name gets another throw until one passes.
  Throw write(const std::string& name);
  // The n-th call of any other kind.
  Throw read(std::string_view kind);

 private:
  struct Thrown {
    std::unordered_map<std::string, std::uint64_t> failed_writes;  // names that do not pass yet
    std::map<std::string, std::uint64_t, std::less<>> calls;       // by kind
  };
  Throw cast(std::string_view kind, std::string_view what, std::uint64_t number) const;

  const FaultOptions options_;
  Guarded<Thrown> thrown_;
};

// Lists as they were a while ago, for objects that came and went.
class StaleView {
 public:
  StaleView(std::chrono::milliseconds behind, Clock& clock) : behind_(behind), clock_(clock) {}

  bool exact() const { return behind_.count() == 0; }
  // before: the object of this name until now, or null.
  void changed(const std::string& name, const Entry* before);
  // How many names a page may lack, or have too many.
  std::size_t differences();
  // Turns a page of what is there now into one of what was; whole: it ends the list.
  void turn_back(std::vector<Entry>& page, const std::string& prefix, const std::string& after,
                 bool whole);

 private:
  struct Change {
    Clock::Time at;
    bool was_there = false;
    Entry before;
  };
  using Changes = std::map<std::string, Change>;

  void forget(Changes& changes) const;

  const std::chrono::milliseconds behind_;
  Clock& clock_;
  Guarded<Changes> changes_;
};

}  // namespace wherry::storage
