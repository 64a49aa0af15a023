// Who stops at a mark, who is woken, and that no wake is lost or doubled.

#include "dispatch/inflight_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>

namespace wherry::dispatch {
namespace {

constexpr InflightLimits kSmall{100, 50, 300, 150};

// A dispatcher that counts its wakes.
struct Dispatcher {
  explicit Dispatcher(InflightBudget& budget)
      : account(budget.open([this] {
          ++wakes;
          return takes_turn;
        })) {}
  // Hands over; whether it may go on.
  bool send(std::uint64_t bytes) {
    account->charge(bytes);
    return account->may_go_on();
  }

  std::atomic<int> wakes{0};
  bool takes_turn = true;
  std::unique_ptr<InflightBudget::Account> account;
};

TEST(InflightLimits, NameTheKeyThatIsWrong) {
  EXPECT_TRUE(check_limits({}).ok());
  EXPECT_NE(check_limits({0, 0, 300, 150}).error().what.find("dispatcher-high"), std::string::npos);
  EXPECT_NE(check_limits({100, 100, 300, 150}).error().what.find("dispatcher-low"),
            std::string::npos);
  EXPECT_NE(check_limits({100, 50, 300, 400}).error().what.find("feed-low"), std::string::npos);
  EXPECT_FALSE(check_limits({100, 50, std::uint64_t{1} << 41, 1}).ok());
}

TEST(InflightBudget, NeverStopsUnderItsMarks) {
  InflightBudget budget(kSmall);
  Dispatcher one(budget);
  for (int i = 0; i < 99; ++i) EXPECT_TRUE(one.send(1));
  one.account->release(99);
  EXPECT_EQ(one.wakes, 0);
  EXPECT_EQ(budget.stats().bytes, 0u);
  EXPECT_EQ(budget.stats().bytes_peak, 99u);
}

TEST(InflightBudget, StopsAtTheHighMarkAndIsWokenOnceAtTheLowOne) {
  InflightBudget budget(kSmall);
  Dispatcher one(budget);
  EXPECT_TRUE(one.send(60));
  EXPECT_FALSE(one.send(40));
  EXPECT_EQ(budget.stats().blocked_own, 1u);
  one.account->release(49);
  EXPECT_EQ(one.wakes, 0);
  one.account->release(1);
  EXPECT_EQ(one.wakes, 1);
  one.account->release(50);
  EXPECT_EQ(one.wakes, 1);
  EXPECT_EQ(budget.stats().blocked_own, 0u);
  std::uint64_t noted = 0;
  for (const std::uint64_t count : budget.stats().blocked.counts) noted += count;
  EXPECT_EQ(noted, 1u);
}

TEST(InflightBudget, LargerThanEveryMarkPassesAlone) {
  InflightBudget budget(kSmall);
  Dispatcher one(budget);
  EXPECT_FALSE(one.send(100000));
  one.account->release(100000);
  EXPECT_EQ(one.wakes, 1);
  EXPECT_TRUE(one.account->may_go_on());
}

TEST(InflightBudget, DurableBeforeTheHandOverReturns) {
  InflightBudget budget(kSmall);
  Dispatcher one(budget);
  one.account->charge(500);
  one.account->release(500);  // inside the hand-over
  EXPECT_TRUE(one.account->may_go_on());
  EXPECT_EQ(one.wakes, 0);
}

TEST(InflightBudget, FeedServesThoseWhoWaitInTheirOrder) {
  InflightBudget budget(kSmall);
  Dispatcher a(budget), b(budget), c(budget), d(budget), e(budget);
  EXPECT_TRUE(a.send(90));
  EXPECT_TRUE(b.send(90));
  EXPECT_TRUE(c.send(90));
  EXPECT_FALSE(d.send(90));  // 360 in flight
  EXPECT_FALSE(e.send(10));
  EXPECT_EQ(budget.stats().blocked_feed, 2u);
  EXPECT_EQ(d.account->blocked(), InflightBudget::Account::Blocked::feed);
  EXPECT_EQ(c.account->blocked(), InflightBudget::Account::Blocked::no);
  a.account->release(90);
  b.account->release(90);
  EXPECT_EQ(d.wakes + e.wakes, 0);  // 190: above the low mark
  EXPECT_FALSE(a.send(1)) << "nobody overtakes those who wait";
  c.account->release(90);
  EXPECT_EQ(d.wakes, 1);
  EXPECT_EQ(e.wakes, 1);
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(budget.stats().blocked_feed, 0u);
}

TEST(InflightBudget, RoomIsKeptForThoseWhoWereWoken) {
  InflightBudget budget({1000, 500, 300, 150});
  Dispatcher a(budget), b(budget), c(budget);
  EXPECT_FALSE(a.send(300));
  EXPECT_FALSE(b.send(200));
  EXPECT_FALSE(c.send(200));
  a.account->release(300);
  b.account->release(200);
  // 200 in flight; then nothing: a is first with 300, which leaves no room for b.
  c.account->release(200);
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(b.wakes, 0);
  EXPECT_TRUE(a.account->may_go_on());  // it has nothing to send after all
  EXPECT_EQ(b.wakes, 1);
}

TEST(InflightBudget, WhoHasNothingToSendHoldsUpNobody) {
  InflightBudget budget({1000, 500, 300, 150});
  Dispatcher a(budget), b(budget), c(budget);
  a.takes_turn = false;
  EXPECT_FALSE(a.send(300));
  EXPECT_FALSE(b.send(200));
  EXPECT_FALSE(c.send(200));
  a.account->release(300);
  b.account->release(200);
  c.account->release(200);
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(b.wakes, 1) << "its turn came although a says nothing more";
  EXPECT_EQ(c.wakes, 0);
  b.account->pass();
  EXPECT_EQ(c.wakes, 1);
}

TEST(InflightBudget, OwnLowMarkMovesToTheFeedsQueue) {
  InflightBudget budget(kSmall);
  Dispatcher a(budget), b(budget), c(budget), d(budget);
  EXPECT_TRUE(a.send(99));
  EXPECT_TRUE(b.send(99));
  EXPECT_FALSE(c.send(250));  // its own mark
  EXPECT_FALSE(d.send(10));   // the feed's
  c.account->release(200);
  EXPECT_EQ(c.wakes, 0);
  EXPECT_EQ(budget.stats().blocked_own, 0u);
  EXPECT_EQ(budget.stats().blocked_feed, 2u);
  a.account->release(99);
  b.account->release(99);
  EXPECT_EQ(d.wakes, 1);
  EXPECT_EQ(c.wakes, 0) << "what it is likely to send has no room beside the rest";
  c.account->release(50);
  EXPECT_EQ(c.wakes, 1);
}

TEST(InflightBudget, RemovalGivesEverythingBack) {
  InflightBudget budget(kSmall);
  Dispatcher a(budget);
  {
    Dispatcher gone(budget), waits(budget);
    EXPECT_FALSE(gone.send(290));
    EXPECT_FALSE(waits.send(60));
    EXPECT_FALSE(a.send(1));
    EXPECT_EQ(budget.stats().blocked_own, 1u);
    EXPECT_EQ(budget.stats().blocked_feed, 2u);
  }
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(budget.stats().blocked_own, 0u);
  EXPECT_EQ(budget.stats().blocked_feed, 0u);
  EXPECT_EQ(budget.stats().bytes, 1u);
}

// A sink of its own thread makes durable in random pieces; each dispatcher sleeps until woken. A
// lost wake would hang, a doubled one would be seen.
TEST(InflightBudget, NoWakeIsLostOrDoubledUnderLoad) {
  constexpr int kDispatchers = 6;
  constexpr int kBatches = 200;
  for (const InflightLimits& limits :
       {InflightLimits{1, 0, 1, 0}, InflightLimits{100, 50, 150, 75}, kSmall}) {
    InflightBudget budget(limits);
    struct One {
      std::atomic<int> woken{0};
      std::atomic<std::uint64_t> accepted{0};
      std::atomic<bool> done{false};
      int stops = 0;
      std::unique_ptr<InflightBudget::Account> account;
    };
    std::vector<One> all(kDispatchers);
    for (One& one : all) {
      one.account = budget.open([&one] {
        one.woken.fetch_add(1);
        one.woken.notify_one();
        return true;
      });
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < kDispatchers; ++i) {
      threads.emplace_back([&one = all[static_cast<std::size_t>(i)], i] {
        std::mt19937 random(static_cast<unsigned>(i));
        for (int batch = 0; batch < kBatches; ++batch) {
          const std::uint64_t bytes = 1 + random() % 60;
          one.account->charge(bytes);
          one.accepted.fetch_add(bytes);
          if (one.account->may_go_on()) continue;
          ++one.stops;
          for (int seen = one.woken; seen < one.stops; seen = one.woken) one.woken.wait(seen);
        }
        if (!one.account->may_go_on()) ++one.stops;  // its last turn is somebody else's
        one.done = true;
      });
    }
    std::thread sink([&] {
      std::mt19937 random(99);
      for (;;) {
        bool more = false;
        for (One& one : all) {
          const bool done = one.done;
          const std::uint64_t there = one.accepted;
          const std::uint64_t durable =
              done ? there : std::min<std::uint64_t>(there, random() % 90);
          if (durable > 0) {
            one.account->release(durable);
            one.accepted.fetch_sub(durable);
          }
          more |= !done || one.accepted > 0;
        }
        if (!more) return;
        std::this_thread::yield();
      }
    });
    for (std::thread& thread : threads) thread.join();
    sink.join();
    for (const One& one : all) EXPECT_EQ(one.woken, one.stops);
    EXPECT_EQ(budget.stats().bytes, 0u);
    EXPECT_EQ(budget.stats().blocked_own + budget.stats().blocked_feed, 0u);
  }
}

}  // namespace
}  // namespace wherry::dispatch
