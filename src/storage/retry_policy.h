// Which failed calls are made again, when, and for how long. Values and pure functions.
#pragma once

#include <chrono>
#include <cstdint>

#include "storage/storage.h"

namespace wherry::storage {

struct RetryPolicy {
  std::chrono::milliseconds first_wait{100};
  std::chrono::milliseconds wait_max{15'000};
  // Of all tries of one call and the waits between them. Zero: until stop is asked.
  std::chrono::milliseconds total{600'000};
  // Whether a call that was refused (no access, no bucket) waits for somebody to help. It is told
  // at once and every minute.
  bool wait_when_refused = false;
  bool hedge = true;                      // a second put of the same object for one that is late
  std::uint64_t requests_per_minute = 0;  // tries, hedges included; 0: no bound
};

// For a writer that must go on whatever happens to its storage, as long as nobody stops it.
RetryPolicy endless_policy();

enum class Retry {
  never,
  soon,   // with a wait that grows from first_wait
  slowly  // with wait_max from the first try on
};

Retry retry_of(const Error& error, const RetryPolicy& policy);

// Between 1/2 and 1 of what the tries so far have earned; luck: from 0 to 1.
std::chrono::milliseconds wait_after(unsigned tries, const Error& error, const RetryPolicy& policy,
                                     double luck);

// Whether the storage may have done what it did not answer.
bool outcome_unknown(Errc code);

}  // namespace wherry::storage
