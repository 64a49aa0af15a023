#include "control/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

#include "control/exit_code.h"
#include "support/log.h"

namespace wherry::control {
namespace {

// SIGUSR2 is our own: it wakes the watching thread when the watch ends.
sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

}  // namespace

struct SignalWatch::Impl {
  SignalCalls calls;
  std::atomic<bool> ended{false};
  std::thread thread;

  void watch() {
    const sigset_t set = watched();
    bool asked = false;
    for (;;) {
      int signal = 0;
      if (sigwait(&set, &signal) != 0) continue;
      if (signal == SIGUSR2) {
        if (ended.load()) return;
      } else if (signal == SIGUSR1) {
        calls.report();
      } else if (std::exchange(asked, true)) {
        log::set_status_line("");
        ::_exit(static_cast<int>(ExitCode::interrupted));
      } else {
        log::info("control", "asked to stop; once more ends at once");
        calls.stop();
      }
    }
  }
};

void SignalWatch::block() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalWatch::SignalWatch(SignalCalls calls) : impl_(std::make_unique<Impl>()) {
  impl_->calls = std::move(calls);
  impl_->thread = std::thread([impl = impl_.get()] { impl->watch(); });
}

SignalWatch::~SignalWatch() {
  impl_->ended = true;
  pthread_kill(impl_->thread.native_handle(), SIGUSR2);
  impl_->thread.join();
}

}  // namespace wherry::control
