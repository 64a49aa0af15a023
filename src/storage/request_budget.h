// So many requests a minute, spread evenly: whoever comes too early waits for his turn. Any thread;
// the clock outlives it.
#pragma once

#include <cstdint>

#include "support/clock.h"
#include "support/guarded.h"

namespace wherry::storage {

class RequestBudget {
 public:
  // per_minute: 0 is no bound. What was not used within a second is gone.
  RequestBudget(std::uint64_t per_minute, Clock& clock) : per_minute_(per_minute), clock_(clock) {}

  // Waits for a turn. False: stop was asked first, and the turn is not used.
  bool take(const std::stop_token& stop);
  // Only without a wait.
  bool take_now();

 private:
  Clock::Duration interval() const;
  Clock::Time first_free(Clock::Time next) const;

  const std::uint64_t per_minute_;
  Clock& clock_;
  Guarded<Clock::Time> next_;  // the first turn that nobody has
};

}  // namespace wherry::storage
