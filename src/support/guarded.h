// Data that can be reached only inside a locked call, so that no field is read without its lock.
// Any thread. wait() sleeps until the predicate holds; notify by leaving a with() or calling
// poke().
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace wherry {

template <typename T>
class Guarded {
 public:
  template <typename... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  // Runs the call under the lock; whoever waits is woken afterwards.
  template <typename F>
  decltype(auto) with(F&& call) {
    struct Wake {
      std::condition_variable& changed;
      ~Wake() { changed.notify_all(); }
    } wake{changed_};
    const std::lock_guard lock(mutex_);
    return std::forward<F>(call)(value_);
  }

  // Runs the call under the lock without waking anybody: for readers.
  template <typename F>
  decltype(auto) read(F&& call) const {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(call)(std::as_const(value_));
  }

  // Sleeps until ready(value), then runs call(value) under the same lock.
  template <typename P, typename F>
  decltype(auto) wait(P&& ready, F&& call) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready(std::as_const(value_)); });
    return std::forward<F>(call)(value_);
  }

  // False: the time passed and ready(value) still does not hold.
  template <typename P>
  bool wait_for(std::chrono::milliseconds time, P&& ready) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return ready(std::as_const(value_)); });
  }

  void poke() { changed_.notify_all(); }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  T value_;  // mutex_
};

}  // namespace wherry
