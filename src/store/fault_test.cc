// Disks that fail, and processes that are killed: nothing that was called durable is lost, nothing
// that was not acknowledged is called durable.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <random>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

std::atomic<int> syncs{0};
std::atomic<int> syncs_until_failure{-1};
std::atomic<long> bytes_until_full{-1};

int failing_sync(int file) {
  ++syncs;
  if (syncs_until_failure >= 0 && syncs_until_failure-- == 0) {
    errno = EIO;
    return -1;
  }
  return ::fdatasync(file);
}

ssize_t full_disk(int file, const iovec* parts, int, off_t offset) {
  const auto wanted = static_cast<long>(parts->iov_len);
  if (bytes_until_full <= 0) {
    errno = ENOSPC;
    return -1;
  }
  const long count = std::min(wanted, bytes_until_full.load());
  bytes_until_full -= count;
  return ::pwrite(file, parts->iov_base, static_cast<std::size_t>(count), offset);
}

TEST(StoreFault, AFailedSyncStopsTheLogForGood) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.calls.sync = failing_sync;
  const auto log = open_log(options);
  append_all(*log, 1, 5);
  ok(log->sync_to(5));
  append_all(*log, 6, 8);
  syncs_until_failure = 0;
  const Status failed = log->sync_to(8);
  const int after_failure = syncs;
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_NE(failed.error().what.find("cannot sync " + folder.path()), std::string::npos);
  EXPECT_EQ(log->durable_cseq(), 5u);
  ok(log->writer().begin(9));
  ok(log->writer().commit(commit_of(9)));
  EXPECT_EQ(log->writer().publish().error().code, Errc::io);
  EXPECT_EQ(log->sync_to(8).error().code, Errc::io);
  ok(read_checked(*log, 1, 8));  // what is in memory can be read
  const auto waiting = log->cursor({9, 0});
  EXPECT_EQ(waiting->next(kLong).error().code, Errc::io);
  EXPECT_EQ(log->close().error().code, Errc::io);
  EXPECT_EQ(syncs, after_failure) << "a sync that failed is not tried again";
}

TEST(StoreFault, AFullDiskStopsTheLogAndTheRestIsAPrefix) {
  for (long bytes = 200; bytes < 20'000; bytes += 1'111) {
    const Folder folder;
    Options options = small_options(folder.path());
    options.calls.write = full_disk;
    bytes_until_full = bytes;
    std::uint64_t durable = 0;
    {
      const Result<std::unique_ptr<Log>> log = Log::open(options);
      if (!log.ok()) continue;
      Status done = Unit{};
      for (std::uint64_t cseq = 1; done.ok(); ++cseq) {
        done = append(log.value()->writer(), cseq);
        if (done.ok()) done = log.value()->writer().publish();
        if (done.ok() && cseq % 7 == 0) done = log.value()->sync_to(cseq);
      }
      EXPECT_EQ(done.error().code, Errc::io);
      EXPECT_NE(done.error().what.find("No space left"), std::string::npos) << done.error().what;
      durable = log.value()->durable_cseq();
    }
    options.calls = {};
    const auto log = open_log(options);
    EXPECT_GE(log->status().last_cseq, durable);
    ok(read_checked(*log, 1, log->status().last_cseq));
    append_all(*log, log->writer().next(), log->writer().next() + 20);
  }
}

// In a process of its own: writes as it is told and says on the pipe what is durable.
[[noreturn]] void write_until_killed(const std::string& folder, unsigned seed, int pipe) {
  Options options = small_options(folder);
  options.sync_interval = std::chrono::milliseconds(3);
  const Result<std::unique_ptr<Log>> log = Log::open(options);
  if (!log.ok()) ::_exit(1);
  std::mt19937 random(seed);
  Writer& writer = log.value()->writer();
  while (true) {
    const std::uint64_t cseq = writer.next();
    Status done = append(writer, cseq);
    if (done.ok() && random() % 3 != 0) done = writer.publish();
    if (done.ok() && random() % 16 == 0) {
      (void)writer.begin(cseq + 1);
      for (unsigned row = random() % 200; row > 0; --row)
        (void)writer.add(row_event("of a transaction that is taken back"));
      done = writer.abort();
    }
    if (done.ok() && random() % 8 == 0) {
      done = writer.publish();
      if (done.ok()) done = log.value()->sync_to(cseq);
      const std::uint64_t durable = cseq;
      if (done.ok() && ::write(pipe, &durable, sizeof durable) != sizeof durable) ::_exit(2);
    }
    if (!done.ok()) ::_exit(3);
  }
}

TEST(StoreFault, AfterKillsTheLogIsAPrefixWithAllThatWasDurable) {
  const Folder folder;
  std::mt19937 random(20'240'607);
  for (unsigned round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      write_until_killed(folder.path(), round, ends[1]);
    }
    ::close(ends[1]);
    std::uint64_t durable = 0;
    for (unsigned acks = 1 + random() % 12; acks > 0; --acks)
      ASSERT_EQ(::read(ends[0], &durable, sizeof durable), ssize_t{sizeof durable}) << round;
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << round;
    while (::read(ends[0], &durable, sizeof durable) == ssize_t{sizeof durable}) {
    }
    ::close(ends[0]);
    const auto log = open_log(small_options(folder.path()));
    ASSERT_NE(log, nullptr) << round;
    EXPECT_GE(log->status().last_cseq, durable) << round;
    ok(read_checked(*log, 1, log->status().last_cseq));
  }
}

// The system's own refusal, not ours. The child says what it saw and dies with its log open.
TEST(StoreFault, AFileSizeLimitStopsTheLogWithItsReason) {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3'000, 3'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Result<std::unique_ptr<Log>> log = Log::open(small_options(folder.path()));
    Status done = log.ok() ? Status(Unit{}) : Status(log.error());
    for (std::uint64_t cseq = 1; done.ok(); ++cseq) {
      done = append(log.value()->writer(), cseq);
      if (done.ok()) done = log.value()->writer().publish();
    }
    if (done.error().what.find("File too large") == std::string::npos) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL) << "another reason, or none";
  const auto log = open_log(small_options(folder.path()));
  EXPECT_GT(log->status().last_cseq, 0u);
  ok(read_checked(*log, 1, log->status().last_cseq));
}

}  // namespace
}  // namespace wherry::store
