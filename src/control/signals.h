// The signals of the program, taken by one thread of their own: SIGINT and SIGTERM ask to stop, a
// second of them ends the process at once, SIGUSR1 prints the status. block() comes before any
// other thread starts, so that no other thread is ever interrupted.
#pragma once

#include <functional>
#include <memory>

namespace wherry::control {

struct SignalCalls {
  std::function<void()> stop;    // the first SIGINT or SIGTERM
  std::function<void()> report;  // SIGUSR1
};

class SignalWatch {
 public:
  static void block();

  explicit SignalWatch(SignalCalls calls);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
