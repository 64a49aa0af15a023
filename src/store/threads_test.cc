// Everybody at once: a writer, cursors that wait, retention, look-ups, and the log closed under
// them.

#include <gtest/gtest.h>

#include <thread>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

TEST(StoreThreads, AWaitingCursorIsWokenByEachAppend) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  std::thread reader([&] { ok(read_checked(*log, 1, 2000)); });
  append_all(*log, 1, 2000);
  reader.join();
}

TEST(StoreThreads, AWaitingCursorCanBeInterrupted) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  for (int round = 0; round < 50; ++round) {
    const auto cursor = log->cursor({1, 0});
    std::thread reader(
        [&] { EXPECT_EQ(cursor->next(std::chrono::hours(1)).error().code, Errc::interrupted); });
    cursor->interrupt();
    reader.join();
  }
  const auto cursor = log->cursor({1, 0});
  std::thread reader(
      [&] { EXPECT_EQ(cursor->next(std::chrono::hours(1)).error().code, Errc::interrupted); });
  log->stop();
  reader.join();
}

TEST(StoreThreads, CursorsAppendsRetentionAndLookupsTogether) {
  const Folder folder;
  for (std::uint64_t first = 1; first < 1500; first += 500) {
    Options options = small_options(folder.path());
    options.disk_bytes_max = 64 << 10;
    options.sync_interval = std::chrono::milliseconds(1);
    const auto log = open_log(options);
    auto one = log->consumer("one", first - 1);
    auto two = log->consumer("two", first - 1);
    const auto consume = [&](Consumer& consumer) {
      const auto cursor = log->cursor({first, 0});
      for (std::uint64_t cseq = first; cseq < first + 500; ++cseq) {
        ok(read_checked(*cursor, cseq));
        consumer.advance(cseq);
      }
    };
    std::thread reader_one(consume, std::ref(one.value()));
    std::thread reader_two(consume, std::ref(two.value()));
    std::thread finder([&] {
      while (log->status().last_cseq < first + 499) {
        const std::uint64_t last = log->status().last_cseq;
        const auto found = log->lookup().by_cseq(last);
        if (found.ok() && last >= first) {
          EXPECT_EQ(found.value()->cseq, last);
        }
      }
    });
    append_all(*log, first, first + 499);
    reader_one.join();
    reader_two.join();
    finder.join();
    ok(log->close());
  }
}

}  // namespace
}  // namespace wherry::store
