// The log keeps what its slowest consumer needs, says so before the disk is full, and then waits.

#include <gtest/gtest.h>

#include <thread>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

void wait_for_segments(const Log& log, std::size_t count) {
  while (log.status().segments > count) std::this_thread::yield();
}

TEST(StoreRetention, SegmentsGoWhenEveryConsumerPassedThem) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  auto fast = log->consumer("fast", 0);
  auto slow = log->consumer("slow", 0);
  append_all(*log, 1, 300);
  ok(log->sync_to(300));
  const std::size_t all = log->status().segments;
  fast.value().advance(300);
  ok(log->sync_to(300));
  EXPECT_EQ(log->status().segments, all);
  EXPECT_EQ(log->status().slowest, "slow");
  ok(read_checked(*log, 1, 300));
  slow.value().advance(200);
  while (log->status().first_cseq < 100) std::this_thread::yield();
  EXPECT_LE(log->status().first_cseq, 201u);
  ok(read_checked(*log, 201, 300));
  EXPECT_EQ(log->cursor({1, 0})->next(kNow).error().code, Errc::lost);
  EXPECT_EQ(log->consumer("late", 5).error().code, Errc::lost);
  EXPECT_EQ(log->consumer("early", 301).error().code, Errc::conflict);
  slow.value().forget();
  wait_for_segments(*log, 2);
}

TEST(StoreRetention, AReopenedLogKeepsWhatItsConsumersNeeded) {
  const Folder folder;
  {
    const auto log = open_log(small_options(folder.path()));
    log->consumer("a", 0).value().advance(0);
    append_all(*log, 1, 100);
  }
  const auto log = open_log(small_options(folder.path()));
  auto other = log->consumer("b", 100);
  append_all(*log, 101, 150);
  other.value().advance(150);
  ok(log->sync_to(150));
  EXPECT_EQ(log->status().first_cseq, 1u);
  EXPECT_EQ(log->status().slowest, "a");
}

TEST(StoreRetention, TheSlowestIsPressedThenTheWriterWaits) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.disk_bytes_max = 40 << 10;
  const auto log = open_log(options);
  auto fast = log->consumer("fast", 0);
  auto slow = log->consumer("slow", 0);
  while (!slow.value().standing().pressed) {
    append_all(*log, log->writer().next(), log->writer().next());
    ok(log->sync_to(log->status().last_cseq));
    fast.value().advance(log->status().last_cseq);
    ASSERT_FALSE(log->status().throttled);
    ASSERT_LT(log->status().disk_bytes, options.disk_bytes_max);
  }
  EXPECT_FALSE(fast.value().standing().pressed);
  std::thread producer([&] { append_all(*log, log->writer().next(), 1000); });
  const auto cursor = log->cursor({1, 0});
  while (!log->status().throttled) {
    fast.value().advance(log->status().last_cseq);
    std::this_thread::yield();
  }
  EXPECT_TRUE(slow.value().standing().pressed);
  EXPECT_FALSE(fast.value().standing().pressed);
  EXPECT_LT(log->status().last_cseq, 1000u);
  fast.value().forget();
  for (std::uint64_t cseq = 1; cseq <= 1000; ++cseq) {
    ok(read_checked(*cursor, cseq));
    slow.value().advance(cseq);
  }
  producer.join();
  EXPECT_EQ(log->status().last_cseq, 1000u);
  EXPECT_LT(log->status().disk_bytes, options.disk_bytes_max + (16 << 10));
}

TEST(StoreRetention, DefinitionsInUseOutliveTheirSegments) {
  const Folder folder;
  {
    const auto log = open_log(small_options(folder.path()));
    auto consumer = log->consumer("a", 0);
    ok(log->writer().define(8, as_bytes("table eight")));
    ok(log->writer().define(9, as_bytes("table nine")));
    ok(log->writer().begin(1));
    ok(log->writer().add(row_event("x", 8)));
    ok(log->writer().add(row_event("x", 9)));
    ok(log->writer().commit(commit_of(1)));
    append_all(*log, 2, 100);
    ok(log->sync_to(100));
    log->writer().retire(9);
    consumer.value().advance(100);
    while (log->definition(9) != nullptr) std::this_thread::yield();
    EXPECT_GT(log->status().first_cseq, 1u);
  }
  const auto log = open_log(small_options(folder.path()));
  ASSERT_NE(log->definition(8), nullptr);
  EXPECT_EQ(*log->definition(8), "table eight");
  EXPECT_EQ(*log->definition(1), "table one");
  EXPECT_EQ(log->definition(9), nullptr);
}

}  // namespace
}  // namespace wherry::store
