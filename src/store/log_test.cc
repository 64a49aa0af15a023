// Transactions go in once and come out whole, from memory and from files, now and after a restart.

#include "store/log.h"

#include <gtest/gtest.h>

#include <thread>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

TEST(StoreLog, GivesBackEveryByteFromMemoryAndFiles) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 300);
  EXPECT_GT(log->status().segments, 3u);
  EXPECT_LE(log->status().tail_bytes, small_options("").tail_bytes);
  ok(read_checked(*log, 1, 300));
  ok(read_checked(*log, 299, 300));
}

TEST(StoreLog, GoesOnAfterItWasClosed) {
  const Folder folder;
  for (std::uint64_t first = 1; first < 200; first += 50) {
    const auto log = open_log(small_options(folder.path()));
    EXPECT_EQ(log->writer().next(), first);
    EXPECT_EQ(log->durable_cseq(), first - 1);
    append_all(*log, first, first + 49);
    ok(read_checked(*log, 1, first + 49));
    ok(log->close());
  }
}

TEST(StoreLog, PacksBlocks) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.compress = true;
  {
    const auto log = open_log(options);
    append_all(*log, 1, 300);
  }
  std::size_t bytes = 0;
  for (const std::string& file : segment_files(folder.path())) bytes += read_file(file).size();
  EXPECT_LT(bytes, 300u * 120);
  ok(read_checked(*open_log(options), 1, 300));
}

TEST(StoreLog, StopsAndGoesOnBetweenTwoRows) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 100);
  for (std::uint64_t cseq = 1; cseq <= 100; cseq += 3) {
    for (std::uint64_t row = 0; row <= rows_of(cseq); ++row) {
      const auto cursor = log->cursor({cseq, row});
      ok(read_checked(*cursor, 100));
    }
  }
}

TEST(StoreLog, AnEventOfManyRowsCanBeEnteredInside) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  ok(log->writer().define(1, {}));
  ok(log->writer().begin(1));
  Event event = row_event("twenty rows");
  event.rows = 20;
  ok(log->writer().add(event));
  ok(log->writer().add(event));
  ok(log->writer().commit(commit_of(1)));
  ok(log->writer().publish());
  const auto cursor = log->cursor({1, 25});
  EXPECT_EQ(cursor->next(kNow).value(), Cursor::Step::event);
  EXPECT_EQ(cursor->first_row(), 20u);
  EXPECT_EQ(cursor->point(), (Point{1, 40}));
  EXPECT_EQ(cursor->next(kNow).value(), Cursor::Step::commit);
  EXPECT_EQ(cursor->point(), (Point{2, 0}));
}

// A transaction many times larger than the tail, its segments and blocks.
TEST(StoreLog, ALargeTransactionPassesInParts) {
  const Folder folder;
  constexpr std::size_t kRows = 2000;
  std::size_t peak = 0;
  {
    const auto log = open_log(small_options(folder.path()));
    append_all(*log, 1, 5);
    const auto waiting = log->cursor({6, 0});
    ok(log->writer().begin(6));
    for (std::size_t row = 0; row < kRows; ++row) {
      ok(log->writer().add(row_event(row_text(6, row))));
      peak = std::max(peak, log->status().tail_bytes);
    }
    EXPECT_EQ(waiting->next(kNow).value(), Cursor::Step::nothing);  // it has no end yet
    ok(log->writer().commit(commit_of(6)));
    append_all(*log, 7, 9);
    EXPECT_EQ(waiting->next(kNow).value(), Cursor::Step::event);
    EXPECT_LE(peak, small_options("").tail_bytes);
    EXPECT_GT(log->status().segments, 10u);
  }
  const auto log = open_log(small_options(folder.path()));
  for (const std::size_t from : {0, 1, 777, 1999, 2000}) {
    const auto cursor = log->cursor({6, from});
    for (std::size_t row = from; row < kRows; ++row) {
      ASSERT_EQ(cursor->next(kNow).value(), Cursor::Step::event);
      ASSERT_EQ(as_text(cursor->event().body), row_text(6, row));
    }
    EXPECT_EQ(cursor->next(kNow).value(), Cursor::Step::commit);
    ok(read_checked(*cursor, 9));
  }
}

TEST(StoreLog, AnAbortedTransactionNeverWas) {
  const Folder folder;
  for (const std::size_t rows : {0, 1, 30, 2000}) {
    const auto log = open_log(small_options(folder.path()));
    const std::uint64_t next = log->writer().next();
    append_all(*log, next, next + 2);
    ok(log->writer().begin(next + 3));
    for (std::size_t row = 0; row < rows; ++row)
      ok(log->writer().add(row_event("never seen, never seen, never seen")));
    ok(log->writer().abort());
    append_all(*log, next + 3, next + 20);
    ok(read_checked(*log, 1, next + 20));
  }
  ok(read_checked(*open_log(small_options(folder.path())), 1, 84));
}

TEST(StoreLog, AnOpenTransactionIsGoneAfterClosing) {
  const Folder folder;
  {
    const auto log = open_log(small_options(folder.path()));
    append_all(*log, 1, 3);
    ok(log->writer().begin(4));
    for (int row = 0; row < 500; ++row) ok(log->writer().add(row_event("no end comes for this")));
  }
  const auto log = open_log(small_options(folder.path()));
  EXPECT_EQ(log->status().last_cseq, 3u);
  append_all(*log, 4, 10);
  ok(read_checked(*log, 1, 10));
}

TEST(StoreLog, AnEventLargerThanTheTailIsAdmittedAlone) {
  const Folder folder;
  const std::string large(50'000, 'L');
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 20);
  ok(log->writer().begin(21));
  ok(log->writer().add(row_event(large)));
  ok(log->writer().commit(commit_of(21)));
  append_all(*log, 22, 60);
  const auto cursor = log->cursor({21, 0});
  EXPECT_EQ(cursor->next(kNow).value(), Cursor::Step::event);
  EXPECT_EQ(as_text(cursor->event().body), large);
}

TEST(StoreLog, CommitTimesNeverGoBack) {
  const Folder folder;
  {
    const auto log = open_log(small_options(folder.path()));
    append_all(*log, 1, 5);
  }
  const auto log = open_log(small_options(folder.path()));
  ok(log->writer().begin(6));
  Commit commit = commit_of(6);
  commit.commit_us = 5;
  ok(log->writer().commit(commit));
  ok(log->writer().publish());
  const auto cursor = log->cursor({6, 0});
  EXPECT_EQ(cursor->next(kNow).value(), Cursor::Step::commit);
  EXPECT_EQ(cursor->commit().commit_us, commit_of(5).commit_us);
}

TEST(StoreLog, RefusesNumbersOutOfOrder) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  EXPECT_EQ(log->writer().begin(2).error().code, Errc::usage);
  ok(log->writer().begin(1));
  EXPECT_EQ(log->writer().begin(1).error().code, Errc::usage);
  EXPECT_EQ(log->writer().commit(commit_of(2)).error().code, Errc::usage);
  ok(log->writer().commit(commit_of(1)));
  EXPECT_EQ(log->writer().add(row_event("x")).error().code, Errc::usage);
  EXPECT_EQ(log->sync_to(1).error().code, Errc::usage);  // not published
}

TEST(StoreLog, RefusesTheLogOfAnotherSource) {
  const Folder folder;
  Options options = small_options(folder.path());
  append_all(*open_log(options), 1, 3);
  options.identity = "source-b";
  const auto refused = Log::open(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_NE(refused.error().what.find("source-a"), std::string::npos);
}

TEST(StoreLog, DurableIsWhatWasSynced) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 3);
  ok(log->sync_to(2));
  EXPECT_GE(log->durable_cseq(), 2u);
  EXPECT_LE(log->durable_cseq(), 3u);
}

TEST(StoreLog, SyncsAfterBytesAndAfterTimeByItself) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.sync_bytes = 2048;
  {
    const auto log = open_log(options);
    append_all(*log, 1, 200);
    while (log->durable_cseq() < 100) std::this_thread::yield();
  }
  options.sync_bytes = 1 << 30;
  options.sync_interval = std::chrono::milliseconds(1);
  const auto log = open_log(options);
  append_all(*log, 201, 201);
  while (log->durable_cseq() < 201) std::this_thread::yield();
}

TEST(StoreLog, ALogCanBeginAnywhere) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.begin.cseq = 41;
  options.begin.gtid = std::string(kUuid) + ":1-41";
  {
    const auto log = open_log(options);
    append_all(*log, 42, 50);
    EXPECT_EQ(log->status().first_cseq, 42u);
  }
  const auto log = open_log(options);
  ok(read_checked(*log, 42, 50));
  const auto early = log->cursor({41, 0});
  EXPECT_EQ(early->next(kNow).error().code, Errc::lost);
}

}  // namespace
}  // namespace wherry::store
