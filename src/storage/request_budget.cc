#include "storage/request_budget.h"

#include <algorithm>

namespace wherry::storage {

Clock::Duration RequestBudget::interval() const {
  return Clock::Duration(std::chrono::minutes(1)) / per_minute_;
}

Clock::Time RequestBudget::first_free(Clock::Time next) const {
  return std::max(next, clock_.now() - std::chrono::seconds(1));
}

bool RequestBudget::take(const std::stop_token& stop) {
  if (per_minute_ == 0) return !stop.stop_requested();
  const Clock::Time turn = next_.with([&](Clock::Time& next) {
    const Clock::Time mine = first_free(next);
    next = mine + interval();
    return mine;
  });
  return clock_.sleep_until(turn, stop);
}

bool RequestBudget::take_now() {
  if (per_minute_ == 0) return true;
  return next_.with([&](Clock::Time& next) {
    const Clock::Time mine = first_free(next);
    if (mine > clock_.now()) return false;
    next = mine + interval();
    return true;
  });
}

}  // namespace wherry::storage
