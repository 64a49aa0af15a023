// The writer's promises (docs/design/redo.md lists them by number): what is durable is a prefix,
// and nothing but memory stops the assembler.

#include "redo/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "redo/archive.h"
#include "redo/reader.h"
#include "redo/redo_for_tests.h"

namespace wherry::redo {
namespace {

using Objects = MemoryStorage::Objects;
using Step = store::RecordSource::Step;

// Lets uploads through one by one, by what the test says.
class Gate {
 public:
  explicit Gate(MemoryStorage& storage) {
    storage.on_put = [this](const std::string& name, const storage::Limits& limits) {
      return pass(name, limits);
    };
  }
  void open_all() {
    state_.with([](State& state) { state.all = true; });
  }
  void open(std::uint64_t number) {
    state_.with([&](State& state) { state.numbers.insert(number); });
  }
  bool wait_for_arrivals(std::size_t count) {
    return state_.wait_for(kLong, [&](const State& state) { return state.arrived >= count; });
  }

 private:
  struct State {
    bool all = false;
    std::set<std::uint64_t> numbers;
    std::size_t arrived = 0;
  };
  Status pass(const std::string& name, const storage::Limits& limits) {
    const auto id = parse_file_name("shop", name);
    if (!id) return Unit{};
    const std::stop_callback wake(limits.stop, [this] { state_.with([](State&) {}); });
    state_.with([](State& state) { ++state.arrived; });
    return state_.wait(
        [&](const State& state) {
          return state.all || state.numbers.contains(id->number) || limits.stop.stop_requested();
        },
        [&](State& state) -> Status {
          if (state.all || state.numbers.contains(id->number)) return Unit{};
          return Error{Errc::interrupted, "stopped"};
        });
  }
  Guarded<State> state_;
};

// Everything that a reader brings, compared with what the stream brought.
std::uint64_t expect_stream(MemoryStorage& storage, std::uint64_t done, std::size_t event_bytes) {
  auto archive = Archive::open(storage, "shop", {});
  if (!ok(archive)) return 0;
  auto reader = Reader::open(storage, archive.value(), done, {});
  if (!ok(reader)) return 0;
  std::uint64_t cseq = done + 1;
  std::size_t event = 0;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    if (!ok(step)) return 0;
    if (step.value() == Step::nothing) break;
    if (step.value() == Step::event) {
      EXPECT_EQ(as_text(reader.value()->event().body), text_of(cseq, event++, event_bytes));
      EXPECT_NE(reader.value()->definition(kFormat), nullptr);
      continue;
    }
    EXPECT_EQ(reader.value()->commit().cseq, cseq);
    EXPECT_EQ(event, events_of(cseq));
    ++cseq;
    event = 0;
  }
  EXPECT_TRUE(reader.value()->ended());
  EXPECT_EQ(cseq - 1, archive.value().resolved().cseq);
  return cseq - 1;
}

TEST(RedoWriter, BringsEveryRecordBackInOrder) {
  for (const bool compress : {false, true}) {
    MemoryStorage storage;
    WriterOptions options = small_writer();
    options.compress = compress;
    TestWriter writer(storage, first_claim(), {.last = 5000}, options);
    ASSERT_TRUE(writer.wait_for(5000));
    EXPECT_TRUE(ok(writer->stop()));
    EXPECT_EQ(expect_stream(storage, 0, 100), 5000U);
    EXPECT_EQ(expect_stream(storage, 1234, 100), 5000U);
    EXPECT_EQ(expect_stream(storage, 5000, 100), 5000U);
  }
}

TEST(RedoWriter, AnIdleStreamIsDurableWithoutMoreRecords) {
  MemoryStorage storage;
  TestWriter writer(storage, first_claim(), {.last = 2}, small_writer());
  EXPECT_TRUE(writer.wait_for(2));
  EXPECT_EQ(writer->durable()->place, place_at(2));
}

// With every upload hanging, the assembler goes on until the memory is used, and no further.
TEST(RedoWriter, HangingUploadsStopItAtItsMemoryAndNotBefore) {
  MemoryStorage storage;
  Gate gate(storage);
  const WriterOptions options = small_writer();
  TestWriter writer(storage, first_claim(), {}, options);
  ASSERT_TRUE(gate.wait_for_arrivals(options.uploaders));
  const std::size_t block = options.collector.block_bytes + 200;
  while (writer->status().held_bytes + block < options.memory) std::this_thread::yield();
  EXPECT_LE(writer->status().peak_bytes, options.memory + block);
  EXPECT_EQ(writer->durable()->place.cseq, 0U);
  gate.open_all();
  EXPECT_TRUE(writer.wait_for(50'000));
}

// The durable place is the end of the longest run of finished files, whatever order they end in.
TEST(RedoWriter, WhatIsDurableIsAPrefix) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    MemoryStorage storage;
    Gate gate(storage);
    WriterOptions options = small_writer();
    options.uploaders = 8;
    TestWriter writer(storage, first_claim(), {}, options);
    ASSERT_TRUE(gate.wait_for_arrivals(8));
    std::vector<std::uint64_t> order{1, 2, 3, 4, 5, 6, 7, 8};
    std::shuffle(order.begin(), order.end(), random);
    std::set<std::uint64_t> done;
    for (const std::uint64_t number : order) {
      done.insert(number);
      gate.open(number);
      while (!storage.has(file_name("shop", {1, 0xABCD}, number))) std::this_thread::yield();
      std::uint64_t prefix = 0;
      while (done.contains(prefix + 1)) ++prefix;
      while (writer->durable()->files < prefix) std::this_thread::yield();
      EXPECT_EQ(writer->durable()->files, prefix);
      const auto archive = Archive::open(storage, "shop", {});
      ASSERT_TRUE(ok(archive));
      EXPECT_EQ(archive.value().files().size(), prefix);
      EXPECT_EQ(archive.value().resolved(), writer->durable()->place);
    }
    std::uint64_t last = 0;
    for (const DurablePtr& move : writer.moves()) last = std::max(last, move->place.cseq);
    EXPECT_LE(last, writer->durable()->place.cseq);
  }
}

// One file that does not end holds back what is durable, and nothing else.
TEST(RedoWriter, AStragglerHoldsUpNoOtherUpload) {
  MemoryStorage storage;
  Gate gate(storage);
  WriterOptions options = small_writer();
  options.unreleased_max = 64;
  TestWriter writer(storage, first_claim(), {}, options);
  for (std::uint64_t number = 2; number <= 64; ++number) gate.open(number);
  while (storage.puts < 63) std::this_thread::yield();
  EXPECT_EQ(writer->durable()->files, 0U);
  EXPECT_LE(writer->status().uploads.unreleased, 64U);
  gate.open_all();
  while (writer->durable()->files < 64) std::this_thread::yield();
}

TEST(RedoWriter, AnUploadThatFailsEndsItWithItsError) {
  MemoryStorage storage;
  storage.on_put = [](const std::string& name, const storage::Limits&) -> Status {
    if (name.ends_with("3.redo")) return Error{Errc::refused, "no access"};
    return Unit{};
  };
  TestWriter writer(storage, first_claim(), {}, small_writer());
  while (!writer->status().failure) std::this_thread::yield();
  EXPECT_EQ(writer->status().failure->code, Errc::refused);
  EXPECT_NE(writer->status().failure->what.find("no access"), std::string::npos);
  EXPECT_EQ(writer->durable()->files, 2U);
  EXPECT_FALSE(writer->stop().ok());
}

TEST(RedoWriter, StopBringsWhatItTookIntoTheStorage) {
  MemoryStorage storage;
  WriterOptions options = small_writer();
  options.cut.age_max = options.cut.age_idle = std::chrono::hours(1);
  options.cut.bytes_max = 1 << 30;
  options.memory = 64 << 20;
  TestWriter writer(storage, first_claim(), {.last = 100}, options);
  while (writer->status().taken_cseq < 100) std::this_thread::yield();
  EXPECT_EQ(storage.puts, 0U);
  EXPECT_TRUE(ok(writer->stop()));
  EXPECT_EQ(writer->durable()->place.cseq, 100U);
  EXPECT_EQ(expect_stream(storage, 0, 100), 100U);
}

TEST(RedoWriter, AStatementIsDurableWithoutWaitingForAge) {
  MemoryStorage storage;
  WriterOptions options = small_writer();
  options.cut.age_max = options.cut.age_idle = std::chrono::hours(1);
  options.cut.bytes_max = 1 << 20;
  options.collector.seals = [](const store::Commit& commit) { return commit.cseq == 9; };
  TestWriter writer(storage, first_claim(), {.last = 9}, options);
  EXPECT_TRUE(writer.wait_for(9));
  EXPECT_EQ(storage.names(".redo").size(), 1U);
}

TEST(RedoWriter, ARowLargerThanEverythingPassesAlone) {
  MemoryStorage storage;
  WriterOptions options = small_writer();
  options.memory = 64 << 10;
  TestWriter writer(storage, first_claim(),
                    {.last = 6, .event_bytes = 3 << 20, .events = events_of}, options);
  ASSERT_TRUE(writer.wait_for(6));
  EXPECT_TRUE(ok(writer->stop()));
  EXPECT_EQ(expect_stream(storage, 0, 3 << 20), 6U);
}

// Files follow each other without a gap, each record is in exactly one.
TEST(RedoWriter, FilesAreContiguousAndBounded) {
  MemoryStorage storage;
  const WriterOptions options = small_writer();
  TestWriter writer(storage, first_claim(), {.last = 3000}, options);
  ASSERT_TRUE(writer.wait_for(3000));
  EXPECT_TRUE(ok(writer->stop()));
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  store::Point next{1, 0};
  Hash128 chain;
  std::uint64_t number = 1;
  for (const ArchiveFile& file : archive.value().files()) {
    EXPECT_EQ(file.number, number++);
    EXPECT_LE(file.bytes, options.cut.bytes_max + 2 * options.collector.block_bytes + 1024);
    const auto header = read_header(storage, file, {});
    const auto footer = read_footer(storage, file, {});
    ASSERT_TRUE(ok(header) && ok(footer));
    EXPECT_EQ(header.value().first, next);
    EXPECT_EQ(header.value().previous, chain);
    next = footer.value().end;
    chain = footer.value().chain;
  }
  EXPECT_EQ(next, (store::Point{3001, 0}));
}

}  // namespace
}  // namespace wherry::redo
