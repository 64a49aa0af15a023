// Bounded by bytes, never wedged by one large item, and drained after it was closed.

#include "support/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace wherry {
namespace {

struct Item {
  int number = 0;
  std::size_t bytes = 0;
  std::size_t byte_size() const { return bytes; }
};

TEST(BoundedQueueTest, FirstInFirstOut) {
  BoundedQueue<Item> queue(100);
  ASSERT_TRUE(queue.push({1, 40}));
  ASSERT_TRUE(queue.push({2, 60}));
  EXPECT_EQ(queue.queued_bytes(), 100u);
  EXPECT_EQ(queue.pop()->number, 1);
  EXPECT_EQ(queue.queued_bytes(), 60u);
  EXPECT_EQ(queue.try_pop()->number, 2);
  EXPECT_FALSE(queue.try_pop());
  EXPECT_EQ(queue.queued_bytes(), 0u);
}

TEST(BoundedQueueTest, LargeItemIsAdmittedAlone) {
  BoundedQueue<Item> queue(10);
  ASSERT_TRUE(queue.push({1, 1000}));
  EXPECT_EQ(queue.queued_bytes(), 1000u);
  EXPECT_EQ(queue.pop()->number, 1);
}

TEST(BoundedQueueTest, FullQueueHoldsTheProducerBack) {
  BoundedQueue<Item> queue(100);
  std::size_t most = 0;
  std::thread producer([&] {
    for (int n = 0; n < 1000; ++n) EXPECT_TRUE(queue.push({n, 30}));
    queue.close();
  });
  int next = 0;
  while (true) {
    most = std::max(most, queue.queued_bytes());
    const auto item = queue.pop();
    if (!item) break;
    EXPECT_EQ(item->number, next++);
  }
  producer.join();
  EXPECT_EQ(next, 1000);
  EXPECT_LE(most, 100u);
}

TEST(BoundedQueueTest, ClosedQueueIsDrainedAndTakesNothing) {
  BoundedQueue<Item> queue(100);
  ASSERT_TRUE(queue.push({1, 1}));
  queue.close();
  EXPECT_FALSE(queue.push({2, 1}));
  EXPECT_FALSE(queue.closed_and_empty());
  EXPECT_EQ(queue.pop()->number, 1);
  EXPECT_FALSE(queue.pop());
  EXPECT_TRUE(queue.closed_and_empty());
}

TEST(BoundedQueueTest, ClosingWakesAProducerThatWaits) {
  BoundedQueue<Item> queue(10);
  ASSERT_TRUE(queue.push({1, 10}));
  bool pushed = true;
  std::thread producer([&] { pushed = queue.push({2, 10}); });
  queue.close();
  producer.join();
  EXPECT_FALSE(pushed);
}

TEST(BoundedQueueTest, GivingUpIsNotTheEnd) {
  BoundedQueue<Item> queue(10);
  EXPECT_FALSE(queue.pop_for(std::chrono::milliseconds(0)));
  EXPECT_FALSE(queue.closed_and_empty());
}

}  // namespace
}  // namespace wherry
