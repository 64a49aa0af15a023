#include "storage/waiting.h"

#include <algorithm>

#include "support/units.h"

namespace wherry::storage {

Error interrupted() { return {Errc::interrupted, "the call was told to stop"}; }

Status wait_until(Clock& clock, Clock::Time begin, Clock::Time until, const Limits& limits) {
  const Clock::Time limit = begin + limits.timeout;
  if (!clock.sleep_until(std::min(until, limit), limits.stop)) return interrupted();
  if (until > limit)
    return Error{Errc::timeout, "not done after " + format_duration(limits.timeout)};
  return Unit{};
}

}  // namespace wherry::storage
