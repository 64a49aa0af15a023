#include "support/clock.h"

#include <algorithm>

namespace wherry {
namespace {

class MachineClock : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }

  bool sleep_until(Time time, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  }
};

}  // namespace

Clock& machine_clock() {
  static MachineClock clock;
  return clock;
}

Clock::Time ManualClock::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

bool ManualClock::sleep_until(Time time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (now_ >= time) return !stop.stop_requested();
  sleeping_.insert(time);
  changed_.notify_all();
  const bool due = changed_.wait(lock, stop, [&] { return now_ >= time; });
  if (!due) sleeping_.erase(sleeping_.find(time));
  return !stop.stop_requested();
}

void ManualClock::advance(Duration by) {
  const std::lock_guard lock(mutex_);
  move_to(now_ + by);
}

void ManualClock::advance_to_next(std::size_t sleepers) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sleeping_.size() >= std::max<std::size_t>(sleepers, 1); });
  move_to(*sleeping_.begin());
}

std::size_t ManualClock::sleepers() const {
  const std::lock_guard lock(mutex_);
  return sleeping_.size();
}

void ManualClock::move_to(Time time) {
  now_ = time;
  sleeping_.erase(sleeping_.begin(), sleeping_.upper_bound(now_));
  changed_.notify_all();
}

}  // namespace wherry
