// The value is reached under its lock only, and whoever waits for it is woken by a change.

#include "support/guarded.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace wherry {
namespace {

TEST(GuardedTest, CallsReturnWhatTheyReturn) {
  Guarded<std::vector<int>> guarded(3, 7);
  EXPECT_EQ(guarded.with([](std::vector<int>& values) { return values.size(); }), 3u);
  EXPECT_EQ(guarded.read([](const std::vector<int>& values) { return values[2]; }), 7);
}

TEST(GuardedTest, ChangesOfManyThreadsAllCount) {
  Guarded<int> guarded(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) guarded.with([](int& value) { ++value; });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(guarded.read([](const int& value) { return value; }), 40000);
}

TEST(GuardedTest, WaitSeesTheChange) {
  Guarded<int> guarded(0);
  int seen = 0;
  std::thread waiter([&] {
    seen = guarded.wait([](const int& value) { return value >= 3; },
                        [](int& value) { return std::exchange(value, 0); });
  });
  for (int i = 0; i < 3; ++i) guarded.with([](int& value) { ++value; });
  waiter.join();
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(guarded.read([](const int& value) { return value; }), 0);
}

TEST(GuardedTest, WaitForTellsWhetherItHolds) {
  Guarded<bool> guarded(false);
  const auto holds = [](const bool& value) { return value; };
  EXPECT_FALSE(guarded.wait_for(std::chrono::milliseconds(0), holds));
  guarded.with([](bool& value) { value = true; });
  EXPECT_TRUE(guarded.wait_for(std::chrono::milliseconds(0), holds));
}

TEST(GuardedTest, LockIsFreeAfterAThrow) {
  Guarded<int> guarded(1);
  EXPECT_THROW(guarded.with([](int&) -> int { throw 1; }), int);
  EXPECT_EQ(guarded.with([](int& value) { return value; }), 1);
}

}  // namespace
}  // namespace wherry
