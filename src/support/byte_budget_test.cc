// Charges are held until they are let go of, in the order they were asked for.

#include "support/byte_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace wherry {
namespace {

TEST(ByteBudgetTest, ChargeIsHeldUntilItsEnd) {
  ByteBudget budget(100);
  {
    const auto one = budget.charge(60);
    EXPECT_TRUE(one);
    const auto two = budget.charge(40);
    EXPECT_EQ(budget.used(), 100u);
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.peak(), 100u);
}

TEST(ByteBudgetTest, LargeChargeIsAdmittedAlone) {
  ByteBudget budget(10);
  const auto charge = budget.charge(1000);
  EXPECT_TRUE(charge);
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(ByteBudgetTest, MovedChargeIsReleasedOnce) {
  ByteBudget budget(100);
  {
    auto charge = budget.charge(30);
    ByteBudget::Charge other = std::move(charge);
    EXPECT_FALSE(charge);
    EXPECT_EQ(budget.used(), 30u);
    other = budget.charge(20);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(ByteBudgetTest, ResizeCorrectsAnEstimate) {
  ByteBudget budget(100);
  auto charge = budget.charge(30);
  charge.resize(170);  // held already: it cannot be refused
  EXPECT_EQ(budget.used(), 170u);
  EXPECT_EQ(budget.peak(), 170u);
  charge.resize(5);
  EXPECT_EQ(budget.used(), 5u);
  EXPECT_EQ(charge.bytes(), 5u);
  ByteBudget::Charge none;
  none.resize(9);
  EXPECT_EQ(budget.used(), 5u);
}

TEST(ByteBudgetTest, NeverMoreThanTheBudgetIsInUse) {
  ByteBudget budget(100);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) EXPECT_TRUE(budget.charge(40));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(budget.peak(), 100u);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(ByteBudgetTest, ReleaseWakesWhoWaits) {
  ByteBudget budget(10);
  std::optional<ByteBudget::Charge> held = budget.charge(10);
  bool charged = false;
  std::thread waiter([&] { charged = static_cast<bool>(budget.charge(5)); });
  held.reset();
  waiter.join();
  EXPECT_TRUE(charged);
}

TEST(ByteBudgetTest, ClosedBudgetGivesEmptyCharges) {
  ByteBudget budget(10);
  const auto held = budget.charge(10);
  bool charged = true;
  std::thread waiter([&] { charged = static_cast<bool>(budget.charge(5)); });
  budget.close();
  waiter.join();
  EXPECT_FALSE(charged);
  EXPECT_FALSE(budget.charge(1));
  EXPECT_EQ(budget.used(), 10u);
}

}  // namespace
}  // namespace wherry
