// What a replay holds of the files at once, counted in bytes.

#include "redo/fetcher.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "redo/reader.h"
#include "redo/redo_for_tests.h"

namespace wherry::redo {
namespace {

// Adds up what is asked for while a reader is open: whole files, and the looks into them that find
// where to begin.
class CountingStorage : public MemoryStorage {
 public:
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const storage::Limits& limits) override {
    auto content = MemoryStorage::get(name, offset, bytes, limits);
    const bool whole = offset == 0 && content.ok() && content.value().size() == bytes;
    if (!whole) ++looks;
    if (whole) {
      const std::uint64_t now = fetched += bytes;
      const std::uint64_t held = now - std::min(now, read_through.load());
      if (held > held_max) held_max = held;  // a late one is smaller
    }
    return content;
  }

  std::atomic<std::uint64_t> fetched{0};
  std::atomic<std::uint64_t> read_through{0};
  std::atomic<std::uint64_t> held_max{0};
  std::atomic<std::uint64_t> looks{0};
};

struct Replayed {
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  std::uint64_t held_max = 0;
  std::uint64_t before_first = 0;  // fetched when the first transaction was there
  std::uint64_t looks = 0;
};

constexpr std::size_t kMemory = 64 << 10;
constexpr std::uint64_t kFileMax = 20 << 10;

Replayed replay(std::uint64_t transactions) {
  CountingStorage storage;
  TestWriter writer(storage, first_claim(), {.last = transactions}, small_writer());
  EXPECT_TRUE(writer.wait_for(transactions));
  EXPECT_TRUE(ok(writer->stop()));
  const auto archive = Archive::open(storage, "shop", {});
  Replayed done;
  done.files = archive.value().files().size();
  for (const ArchiveFile& file : archive.value().files()) EXPECT_LE(file.bytes, kFileMax);
  storage.fetched = storage.held_max = storage.looks = 0;
  ReaderOptions options;
  options.fetch.memory = kMemory;
  auto reader = Reader::open(storage, archive.value(), 0, options);
  if (!ok(reader)) return done;
  done.bytes = reader.value()->bytes_all();
  // Nothing is read until no other file fits.
  const std::uint64_t ahead = std::min<std::uint64_t>(done.bytes, kMemory - kFileMax);
  while (storage.fetched < ahead) std::this_thread::yield();
  std::uint64_t commits = 0;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    if (!ok(step) || step.value() == store::RecordSource::Step::nothing) break;
    storage.read_through = reader.value()->bytes_done();
    if (step.value() != store::RecordSource::Step::commit) continue;
    if (++commits == 1) done.before_first = storage.fetched;
  }
  EXPECT_EQ(commits, transactions);
  done.held_max = storage.held_max;
  done.looks = storage.looks;
  return done;
}

// A file counts until the first record behind it: what is open comes on top of the memory.
TEST(RedoFetcher, ARangeAHundredTimesLargerTakesNoMoreMemory) {
  const Replayed small = replay(400);
  const Replayed large = replay(40'000);
  EXPECT_GT(small.bytes, kMemory / 2);
  EXPECT_GT(large.bytes, 80 * small.bytes);
  for (const Replayed& one : {small, large}) {
    EXPECT_LE(one.held_max, kMemory + kFileMax);
    EXPECT_LE(one.before_first, kMemory + kFileMax) << "the first comes before the rest is fetched";
    EXPECT_LE(one.looks, 4 + std::bit_width(one.files)) << "halvings of " << one.files << " files";
  }
}

}  // namespace
}  // namespace wherry::redo
