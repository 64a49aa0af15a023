// How long puts took lately, by size, and so which one is late. Late ones may be answered by a
// second put, one in ten at most, so that a storage that is slow as a whole is not asked twice as
// much. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/clock.h"
#include "support/guarded.h"

namespace wherry::storage {

class Stragglers {
 public:
  // A put of so many bytes took so long; one that was given up counts with the time until then.
  void took(std::uint64_t bytes, Clock::Duration time);
  // From when on a put of so many bytes is late: behind the 95 % of those of its size, or of the
  // next larger one of which enough have been seen. Nothing: of none.
  std::optional<Clock::Duration> late_after(std::uint64_t bytes) const;
  // Whether one more may be hedged. Each put pays in, so it is asked once a hedge.
  bool may_hedge();

 private:
  struct Class {
    std::vector<Clock::Duration> times;  // the newest kTimesMax, in a ring
    std::size_t next = 0;
  };
  struct Seen {
    std::array<Class, 65> by_size;  // by the number of bits of the size
    double credit = 0;              // hedges that may be made
  };

  Guarded<Seen> seen_;
};

}  // namespace wherry::storage
