// Notices a feed that runs and gets nowhere: its checkpoint stands still while the lag grows. Says
// since when and, in the feed's own words, what it waits for. Pure; one owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "feed/feed.h"

namespace wherry::control {

struct Stall {
  std::chrono::steady_clock::time_point since;
  std::string reason;
};

class StallWatch {
 public:
  // With every look at the feed. Nothing: it gets on, or has nothing to do.
  std::optional<Stall> look(const feed::FeedProgress& progress,
                            std::chrono::steady_clock::time_point now,
                            std::chrono::milliseconds limit);
  // A new run begins.
  void reset() { moved_.reset(); }

 private:
  struct Moved {
    std::chrono::steady_clock::time_point at;
    std::uint64_t cseq = 0;
    std::uint64_t rows = 0;
    std::chrono::milliseconds lag{0};
  };
  std::optional<Moved> moved_;
};

}  // namespace wherry::control
