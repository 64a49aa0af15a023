// Sleeping ends when its time has come or when it is asked to, by either clock.

#include "support/clock.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace wherry {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ClockTest, TheMachinesOwnSleepsNotShorter) {
  Clock& clock = machine_clock();
  const Clock::Time until = clock.now() + milliseconds(1);
  EXPECT_TRUE(clock.sleep_until(until, {}));
  EXPECT_GE(clock.now(), until);
  EXPECT_TRUE(clock.sleep_until(until, {}));
}

TEST(ClockTest, AStopEndsAnySleep) {
  ManualClock manual;
  for (Clock* clock : {&machine_clock(), static_cast<Clock*>(&manual)}) {
    std::stop_source stop;
    std::optional<bool> slept;
    std::thread sleeper(
        [&] { slept = clock->sleep_until(clock->now() + hours(1), stop.get_token()); });
    stop.request_stop();
    sleeper.join();
    EXPECT_EQ(slept, false);
    EXPECT_FALSE(clock->sleep_until(clock->now(), stop.get_token()));
  }
  EXPECT_EQ(manual.sleepers(), 0u);
}

TEST(ClockTest, AManualOneMovesOnlyByHand) {
  ManualClock clock;
  const Clock::Time begin = clock.now();
  EXPECT_TRUE(clock.sleep_until(begin, {}));
  clock.advance(seconds(3));
  EXPECT_EQ(clock.now() - begin, seconds(3));
  EXPECT_TRUE(clock.sleep_until(begin + seconds(3), {}));
}

TEST(ClockTest, TheNextWakeComesWhenAllSleep) {
  ManualClock clock;
  const Clock::Time begin = clock.now();
  std::optional<Clock::Time> first;
  std::thread one([&] {
    clock.sleep_until(begin + seconds(1), {});
    first = clock.now();
    clock.sleep_until(begin + seconds(5), {});
  });
  std::thread two([&] { clock.sleep_until(begin + seconds(2), {}); });
  clock.advance_to_next(2);
  EXPECT_EQ(clock.now() - begin, seconds(1));
  clock.advance_to_next(2);  // the first one sleeps again
  EXPECT_EQ(clock.now() - begin, seconds(2));
  EXPECT_EQ(*first - begin, seconds(1));
  two.join();
  EXPECT_EQ(clock.sleepers(), 1u);
  clock.advance(hours(1));
  one.join();
  EXPECT_EQ(clock.sleepers(), 0u);
}

}  // namespace
}  // namespace wherry
