#include "storage/retry_policy.h"

#include <algorithm>

namespace wherry::storage {
namespace {

// A server that asks to slow down is not asked again within this.
constexpr std::chrono::milliseconds kSlowDownWait{1'000};

bool asks_to_slow_down(const Error& error) {
  return error.code == Errc::server && (error.server_code == 503 || error.server_code == 429);
}

}  // namespace

RetryPolicy endless_policy() {
  RetryPolicy policy;
  policy.total = {};
  policy.wait_when_refused = true;
  return policy;
}

Retry retry_of(const Error& error, const RetryPolicy& policy) {
  switch (error.code) {
    case Errc::network:
    case Errc::timeout:
    case Errc::server:
    case Errc::io:
      return Retry::soon;
    case Errc::refused:
      return policy.wait_when_refused ? Retry::slowly : Retry::never;
    case Errc::usage:
    case Errc::truncated:
    case Errc::malformed:
    case Errc::unsupported:
    case Errc::conflict:
    case Errc::lost:
    case Errc::interrupted:
    case Errc::differs:
      return Retry::never;
  }
  return Retry::never;
}

std::chrono::milliseconds wait_after(unsigned tries, const Error& error, const RetryPolicy& policy,
                                     double luck) {
  std::chrono::milliseconds wait = policy.wait_max;
  if (retry_of(error, policy) == Retry::soon && tries < 20)
    wait = std::min(policy.wait_max, policy.first_wait * (std::int64_t{1} << (tries - 1)));
  if (asks_to_slow_down(error)) wait = std::max(wait, kSlowDownWait * 2);
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(static_cast<double>(wait.count()) * (0.5 + luck / 2)));
}

bool outcome_unknown(Errc code) {
  return code == Errc::network || code == Errc::timeout || code == Errc::server;
}

}  // namespace wherry::storage
