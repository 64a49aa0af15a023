// Time as those see it who wait: the machine's own, or one that a test moves by hand. Whoever waits
// for something else than an event takes a Clock, which outlives the wait. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <stop_token>

namespace wherry {

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = Time::duration;

  virtual ~Clock() = default;
  virtual Time now() const = 0;
  // Sleeps until then. False: stop was asked first.
  virtual bool sleep_until(Time time, const std::stop_token& stop) = 0;
};

// The steady clock of the machine.
Clock& machine_clock();

// Stands still until it is moved. Those who sleep are woken in the order of their times only as far
// as their threads run so.
class ManualClock : public Clock {
 public:
  Time now() const override;
  bool sleep_until(Time time, const std::stop_token& stop) override;

  void advance(Duration by);
  // Waits until so many sleep, then moves on to where the first of them wakes.
  void advance_to_next(std::size_t sleepers = 1);
  // Those who sleep and are not due yet.
  std::size_t sleepers() const;

 private:
  void move_to(Time time);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Time now_{std::chrono::hours(1)};  // this and below: mutex_
  std::multiset<Time> sleeping_;     // none that is due
};

}  // namespace wherry
