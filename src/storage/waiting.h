// Waits as a call to a storage does: no longer than its limits. Any thread.
#pragma once

#include "storage/storage.h"
#include "support/clock.h"

namespace wherry::storage {

// Sleeps until then. Errc::timeout: the limit, counted from `begin`, came first; Errc::interrupted:
// stop was asked first.
Status wait_until(Clock& clock, Clock::Time begin, Clock::Time until, const Limits& limits);

Error interrupted();

}  // namespace wherry::storage
