// store_bench FOLDER [MIB]: how fast a log takes 200-byte rows, is opened again (with none of its
// files in memory) and tells where it ends, and is read from its files; process CPU beside wall
// time. The folder is left with the log in it.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "store/log.h"

namespace wherry::store {
namespace {

constexpr std::size_t kRowBytes = 200;
constexpr std::uint64_t kRowsOfTransaction = 10;
constexpr std::uint64_t kTransactionsOfBatch = 256;
constexpr std::uint64_t kScanned = 1 << 20;  // transactions at most: 2 GB

class Watch {
 public:
  void report(std::string_view what, double bytes) const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_;
    const double cpu = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
    fmt::print("{:<8} {:8.3f} s  {:8.3f} CPU s  {:8.0f} MB/s  {:8.0f} MB per CPU s\n", what,
               wall.count(), cpu, bytes / 1e6 / wall.count(), bytes / 1e6 / cpu);
  }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

void must(const Status& done) {
  if (done.ok()) return;
  fmt::print(stderr, "store_bench: {}\n", done.error().what);
  std::exit(1);
}

std::unique_ptr<Log> open_log(const Options& options) {
  Result<std::unique_ptr<Log>> log = Log::open(options);
  if (!log.ok()) must(log.error());
  return std::move(log).value();
}

void append(Log& log, std::uint64_t transactions) {
  Writer& writer = log.writer();
  const std::string row(kRowBytes, 'r');
  Event event;
  event.table_version = 1;
  event.body = as_bytes(row);
  must(writer.define(1, {}));
  for (std::uint64_t left = transactions; left > 0; --left) {
    Commit commit;
    commit.cseq = writer.next();
    commit.file = "binlog.000001";
    commit.end_offset = commit.cseq * 100;
    commit.gtid_source = "11111111-2222-3333-4444-555555555555";
    commit.gtid_number = commit.cseq;
    must(writer.begin(commit.cseq));
    for (std::uint64_t i = 0; i < kRowsOfTransaction; ++i) must(writer.add(event));
    must(writer.commit(commit));
    if (left % kTransactionsOfBatch == 0) must(writer.publish());
  }
  must(writer.publish());
}

void scan(Log& log, std::uint64_t first, std::uint64_t last) {
  const auto cursor = log.cursor({first, 0});
  while (cursor->point().cseq <= last) {
    const auto step = cursor->next(std::chrono::seconds(10));
    if (!step.ok()) must(step.error());
  }
}

// What is synced leaves the page cache.
void forget(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const int file = ::open(entry.path().c_str(), O_RDONLY);
    if (file < 0) continue;
    (void)::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

void run(const std::string& folder, std::uint64_t mib) {
  Options options;
  options.folder = folder;
  const std::uint64_t transactions = (mib << 20) / (kRowBytes * kRowsOfTransaction);
  const auto bytes = static_cast<double>(transactions * kRowsOfTransaction * kRowBytes);
  std::uint64_t first = 1;
  {
    const auto log = open_log(options);
    first = log->writer().next();
    const Watch appending;
    append(*log, transactions);
    appending.report("append", bytes);
    const Watch syncing;
    must(log->sync_to(log->status().last_cseq));
    syncing.report("sync", bytes);
    must(log->close());
  }
  forget(folder);
  const Watch opening;
  const auto log = open_log(options);
  must(log->lookup().end().ok() ? Status(Unit{}) : Error{Errc::malformed, "no end"});
  opening.report("open", static_cast<double>(log->status().disk_bytes));
  while (log->status().scrub_left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::uint64_t scanned = std::min(transactions, kScanned);
  for (int round = 0; round < 3; ++round) {
    const Watch scanning;
    scan(*log, first, first + scanned - 1);
    scanning.report("scan", static_cast<double>(scanned * kRowsOfTransaction * kRowBytes));
  }
}

}  // namespace
}  // namespace wherry::store

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: store_bench FOLDER [MIB]\n");
    return 2;
  }
  wherry::store::run(words[1], count > 2 ? std::strtoull(words[2], nullptr, 10) : 2048);
  return 0;
}
