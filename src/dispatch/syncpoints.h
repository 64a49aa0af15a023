// Consistent cuts: moments at which the target holds everything of the source through one
// transaction and nothing after it. Called by the scheduler, on its thread.
#pragma once

#include <cstdint>

#include "dispatch/board.h"

namespace wherry::dispatch {

class Syncpoints {
 public:
  virtual ~Syncpoints() = default;
  // Whether to cut now, before a transaction that committed at this time (microseconds since the
  // epoch). 0: nothing came for a while.
  virtual bool due(std::uint64_t commit_us) = 0;
  // The cut: all through `cut` has committed at the target, and no lane works.
  virtual Status record(const LowWater& cut) = 0;
};

}  // namespace wherry::dispatch
