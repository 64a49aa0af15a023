#include "control/signals.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <future>

namespace wherry::control {
namespace {

TEST(Signals, AskToStopAndToReport) {
  SignalWatch::block();
  std::promise<void> stopped;
  std::promise<void> reported;
  {
    const SignalWatch watch({[&] { stopped.set_value(); }, [&] { reported.set_value(); }});
    ::kill(::getpid(), SIGUSR1);
    reported.get_future().wait();
    ::kill(::getpid(), SIGTERM);
    stopped.get_future().wait();
  }
  SUCCEED();
}

TEST(SignalsDeathTest, TheSecondEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto interrupt_twice = [] {
    SignalWatch::block();
    std::promise<void> stopped;
    const SignalWatch watch({[&] { stopped.set_value(); }, [] {}});
    ::kill(::getpid(), SIGINT);
    stopped.get_future().wait();
    ::kill(::getpid(), SIGINT);
    for (;;) ::pause();
  };
  EXPECT_EXIT(interrupt_twice(), ::testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace wherry::control
