// What a storage holds, after damage of every kind, and over epochs.

#include "redo/archive.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redo/cleaner.h"
#include "redo/epoch.h"
#include "redo/find.h"
#include "redo/meta.h"
#include "redo/reader.h"
#include "redo/redo_for_tests.h"
#include "store/bytes_out.h"

namespace wherry::redo {
namespace {

using Objects = MemoryStorage::Objects;
using Step = store::RecordSource::Step;

EpochRequest request(std::uint64_t target, const std::string& feed = "shop") {
  EpochRequest asked;
  asked.feed = feed;
  asked.lease_epoch = 1;
  asked.dialect = Dialect::mariadb;
  asked.source = "server-a";
  asked.mapping = "{}";
  asked.target = place_at(target);
  return asked;
}

// All that is read, as "cseq:events" in order, or the error that ended it.
Result<std::vector<std::uint64_t>> read_all(MemoryStorage& storage, std::uint64_t done = 0) {
  auto archive = Archive::open(storage, "shop", {});
  if (!archive.ok()) return archive.error();
  auto reader = Reader::open(storage, archive.value(), done, {});
  if (!reader.ok()) return reader.error();
  std::vector<std::uint64_t> commits;
  std::size_t events = 0;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    if (!step.ok()) return step.error();
    if (step.value() == Step::nothing) return commits;
    if (step.value() == Step::event) {
      ++events;
      continue;
    }
    const std::uint64_t cseq = reader.value()->commit().cseq;
    EXPECT_EQ(events, events_of(cseq)) << cseq;
    events = 0;
    commits.push_back(cseq);
  }
}

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = first; i <= last; ++i) all.push_back(i);
  return all;
}

TEST(RedoArchive, NamesWhatIsNotThere) {
  MemoryStorage storage;
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_FALSE(archive.ok());
  EXPECT_EQ(archive.error().code, Errc::lost);
}

// Why the file is refused; empty: all of it is right.
std::string fault_of(Bytes file, const std::string& name) {
  Result<FileWalk> walk = FileWalk::open(file, name, {"shop", {1, 0xABCD}, 1, Hash128{}, {}});
  if (!walk.ok()) return walk.error().what;
  for (;;) {
    const auto block = walk.value().next();
    if (!block.ok()) return block.error().what;
    if (!block.value()) return "";
  }
}

TEST(RedoArchive, EveryFlippedBitIsFoundAndNamed) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 12);
  const std::string name = storage.names(".redo").front();
  std::vector<std::byte> bytes = storage.objects().at(name);
  ASSERT_EQ(fault_of(bytes, name), "");
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto flip = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] ^= flip;
    ASSERT_NE(fault_of(bytes, name).find(name), std::string::npos) << "bit " << bit;
    bytes[bit / 8] ^= flip;
  }
}

TEST(RedoArchive, EveryTruncationIsFoundAndNamed) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 12);
  const std::string name = storage.names(".redo").front();
  const std::vector<std::byte> whole = storage.objects().at(name);
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_NE(fault_of(Bytes(whole).first(size), name).find(name), std::string::npos) << size;
}

// No transaction of a damaged block reaches the reader, and the end is not taken for one.
TEST(RedoArchive, DamageStopsTheReader) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400);
  const std::vector<std::string> names = storage.names(".redo");
  ASSERT_GT(names.size(), 4U);
  const std::vector<std::byte> whole = storage.objects().at(names[2]);
  for (const std::size_t at : {whole.size() / 4, whole.size() / 2, whole.size() - 1}) {
    storage.change([&](Objects& objects) {
      objects[names[2]] = whole;
      objects[names[2]][at] ^= std::byte{1};
    });
    const auto read = read_all(storage);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().what.find(names[2]), std::string::npos) << read.error().what;
  }
}

TEST(RedoArchive, AMissingFileIsNoEnd) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400);
  const std::vector<std::string> names = storage.names(".redo");
  ASSERT_GT(names.size(), 4U);
  storage.change([&](Objects& objects) { objects.erase(names[2]); });
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_FALSE(archive.ok());
  EXPECT_EQ(archive.error().code, Errc::lost);
  EXPECT_NE(archive.error().what.find(names[2]), std::string::npos) << archive.error().what;
}

TEST(RedoArchive, AFileOfAnotherFeedOrNumberIsForeign) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400);
  MemoryStorage other;
  write_files(other, first_claim("other"), 400);
  const std::vector<std::string> names = storage.names(".redo");
  const auto expect_foreign = [&](const std::vector<std::byte>& content) {
    const std::vector<std::byte> whole = storage.objects().at(names[1]);
    storage.change([&](Objects& objects) { objects[names[1]] = content; });
    const auto read = read_all(storage);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, Errc::refused) << read.error().what;
    storage.change([&](Objects& objects) { objects[names[1]] = whole; });
  };
  expect_foreign(other.objects().at(other.names(".redo")[1]));
  expect_foreign(storage.objects().at(names[2]));
}

TEST(RedoArchive, TheNextEpochGoesOnBehindWhatIsDurable) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 100);
  const auto second = begin_epoch(storage, request(40), {});
  ASSERT_TRUE(ok(second));
  EXPECT_EQ(second.value().begin, place_at(100));
  EXPECT_EQ(second.value().epoch.number, 2U);
  // Nothing written yet: what is resolved has not moved.
  EXPECT_EQ(Archive::open(storage, "shop", {}).value().resolved(), place_at(100));
  write_files(storage, second.value(), 250);
  const auto third = begin_epoch(storage, request(40), {});
  const auto fourth = begin_epoch(storage, request(40), {});
  ASSERT_TRUE(ok(third) && ok(fourth));
  write_files(storage, fourth.value(), 300);
  EXPECT_EQ(read_all(storage).value(), numbers(1, 300));
  EXPECT_EQ(read_all(storage, 99).value(), numbers(100, 300));
}

// A writer that was thought dead goes on: readers of the new epoch do not see it.
TEST(RedoArchive, AZombieChangesNothing) {
  MemoryStorage storage;
  TestWriter zombie(storage, first_claim(), {}, small_writer());
  ASSERT_TRUE(zombie.wait_for(100));
  const auto second = begin_epoch(storage, request(0), {});
  ASSERT_TRUE(ok(second));
  const std::uint64_t end = second.value().begin.cseq;
  ASSERT_TRUE(zombie.wait_for(end + 1000));
  ASSERT_TRUE(ok(zombie->stop()));
  EXPECT_EQ(Archive::open(storage, "shop", {}).value().resolved().cseq, end);
  write_files(storage, second.value(), end + 50);
  EXPECT_EQ(read_all(storage).value(), numbers(1, end + 50));
  EXPECT_FALSE(Archive::open(storage, "shop", {}).value().strays().empty());
}

TEST(RedoArchive, ATransactionCutOffByTheEndOfAnEpochIsReadOnce) {
  MemoryStorage storage;
  WriterOptions options = small_writer();
  options.cut.bytes_max = 1 << 10;
  const auto many = [](std::uint64_t cseq) -> std::size_t { return cseq == 8 ? 1000 : 1; };
  TestWriter writer(storage, first_claim(), {.last = 9, .events = many}, options);
  ASSERT_TRUE(writer.wait_for(9));
  ASSERT_TRUE(ok(writer->stop()));
  // The files from the middle of transaction 8 on never came.
  const std::vector<std::string> names = storage.names(".redo");
  ASSERT_GT(names.size(), 20U);
  storage.change([&](Objects& objects) {
    for (std::size_t i = 10; i < names.size(); ++i) objects.erase(names[i]);
  });
  EXPECT_EQ(Archive::open(storage, "shop", {}).value().resolved().cseq, 7U);
  const auto second = begin_epoch(storage, request(0), {});
  ASSERT_TRUE(ok(second));
  write_files(storage, second.value(), 20);
  const auto archive = Archive::open(storage, "shop", {});
  auto reader = Reader::open(storage, archive.value(), 7, {});
  ASSERT_TRUE(ok(reader));
  for (std::size_t event = 0; event < events_of(8); ++event)
    ASSERT_EQ(reader.value()->next(kLong).value(), Step::event);
  EXPECT_EQ(reader.value()->next(kLong).value(), Step::commit);
  EXPECT_EQ(reader.value()->commit().cseq, 8U);
}

TEST(RedoArchive, UploadsThatEndOutOfOrderAreNotMissing) {
  MemoryStorage storage;
  storage.on_put = [](const std::string& name, const storage::Limits& limits) -> Status {
    if (!name.ends_with("0001.redo")) return Unit{};
    while (!limits.stop.stop_requested()) std::this_thread::yield();
    return Error{Errc::interrupted, "stopped"};
  };
  WriterOptions options = small_writer();
  options.drain = std::chrono::milliseconds(0);
  TestWriter writer(storage, first_claim(), {}, options);
  while (storage.puts < 10) std::this_thread::yield();
  EXPECT_FALSE(writer->status().failure);
  (void)writer->stop();
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_EQ(archive.value().resolved().cseq, 0U);
  EXPECT_FALSE(archive.value().pending().empty());
}

TEST(RedoArchive, FeedsOfOneStorageDoNotTouchEachOther) {
  MemoryStorage storage;
  const std::vector<std::string> feeds{"shop", "sho", "shop-0000000001", "row", "meta", "Shop"};
  std::uint64_t last = 30;
  for (const std::string& feed : feeds) write_files(storage, first_claim(feed), last += 10);
  EXPECT_EQ(list_feeds(storage, {}).value().size(), feeds.size());
  ASSERT_TRUE(ok(remove_feed(storage, "shop", {"server-a", {1, 0xABCD}}, {})));
  EXPECT_EQ(Archive::open(storage, "shop", {}).error().code, Errc::lost);
  last = 30;
  for (const std::string& feed : feeds) {
    last += 10;
    if (feed == "shop") continue;
    const auto archive = Archive::open(storage, feed, {});
    ASSERT_TRUE(ok(archive)) << feed;
    EXPECT_EQ(archive.value().resolved().cseq, last) << feed;
  }
}

TEST(RedoArchive, ARemovalThatWasInterruptedIsFinishedByTheNextEpoch) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 100);
  storage.change([&](Objects& objects) {
    objects[tombstone_name("shop")] = {std::byte{'1'}};
    objects.erase(objects.find(claim_name("shop", 1)));
  });
  const auto claim = begin_epoch(storage, request(5), {});
  ASSERT_TRUE(ok(claim));
  EXPECT_EQ(claim.value().begin, place_at(5));
  EXPECT_GT(claim.value().epoch.number, 1U) << "what still removes leaves newer epochs alone";
  EXPECT_TRUE(storage.names(".redo").empty());
  EXPECT_FALSE(storage.has(tombstone_name("shop")));
}

TEST(RedoArchive, IsRemovedForItsOwnWriterAlone) {
  MemoryStorage storage;
  const FeedOwner owner{"server-a", {1, 0xABCD}};
  write_files(storage, first_claim(), 100);
  for (const FeedOwner& other : {FeedOwner{"server-b", owner.epoch}, {"server-a", {1, 0xABCE}}}) {
    EXPECT_EQ(remove_feed(storage, "shop", other, {}).error().code, Errc::refused);
    EXPECT_EQ(read_all(storage, 0).value(), numbers(1, 100));
    EXPECT_FALSE(storage.has(tombstone_name("shop")));
  }
  ASSERT_TRUE(ok(remove_feed(storage, "shop", owner, {})));
  EXPECT_TRUE(storage.list("shop/", "", 1, {}).value().empty());
  ASSERT_TRUE(ok(remove_feed(storage, "shop", owner, {})));
  EXPECT_TRUE(storage.list("shop/", "", 1, {}).value().empty());
}

// The removal is interrupted behind each of its steps; another writer begins there, or the next
// call goes on.
TEST(RedoArchive, ARemovalSparesWhoComesMeanwhile) {
  MemoryStorage storage;
  const FeedOwner owner{"server-a", {1, 0xABCD}};
  write_files(storage, first_claim(), 100);
  std::vector<MemoryStorage::Objects> moments;
  storage.after_change = [&](const MemoryStorage::Objects& objects) { moments.push_back(objects); };
  ASSERT_TRUE(ok(remove_feed(storage, "shop", owner, {})));
  storage.after_change = nullptr;
  ASSERT_GT(moments.size(), 4U);
  for (const MemoryStorage::Objects& moment : moments) {
    storage.change([&](Objects& objects) { objects = moment; });
    ASSERT_TRUE(ok(remove_feed(storage, "shop", owner, {})));
    EXPECT_TRUE(storage.list("shop/", "", 1, {}).value().empty());

    storage.change([&](Objects& objects) { objects = moment; });
    const auto claim = begin_epoch(storage, request(40), {});
    ASSERT_TRUE(ok(claim));
    EXPECT_NE(claim.value().epoch, owner.epoch);
    write_files(storage, claim.value(), 150);
    const MemoryStorage::Objects before = storage.objects();
    EXPECT_EQ(remove_feed(storage, "shop", owner, {}).error().code, Errc::refused);
    EXPECT_EQ(storage.objects(), before);
  }
}

// It looked before the other writer claimed the next epoch, and removes what it saw.
TEST(RedoArchive, ARemovalThatIsLateSparesTheNextEpoch) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 100);
  const auto claim = begin_epoch(storage, request(40), {});
  ASSERT_TRUE(ok(claim));
  write_files(storage, claim.value(), 150);
  storage.change([&](Objects& objects) { objects[tombstone_name("shop")] = {std::byte{'1'}}; });
  const FeedOwner owner{"server-a", {1, 0xABCD}};
  EXPECT_EQ(remove_feed(storage, "shop", owner, {}).error().code, Errc::refused);
  EXPECT_FALSE(storage.has(claim_name("shop", 1)));
  EXPECT_EQ(read_all(storage, 100).value(), numbers(101, 150));
}

TEST(RedoArchive, AnEpochBeginsWithASweepOfItsFeed) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 100);
  ASSERT_TRUE(ok(begin_epoch(storage, request(40), {})));
  EXPECT_EQ(storage.swept(), std::vector<std::string>{"shop/"});
}

TEST(RedoArchive, FilesBelowTheCheckpointGoAndNoOthers) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400, 200);
  const std::size_t before = storage.names(".redo").size();
  Cleaner cleaner(storage, "shop");
  ASSERT_TRUE(ok(cleaner.run({})));
  EXPECT_LT(storage.names(".redo").size(), before);
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_LE(archive.value().begin().cseq, 200U);
  EXPECT_GT(archive.value().begin().cseq, 100U);
  const std::uint64_t begin = archive.value().begin().cseq;
  EXPECT_EQ(read_all(storage, begin).value(), numbers(begin + 1, 400));
  EXPECT_EQ(read_all(storage, begin - 1).error().code, Errc::lost);
}

// Files go away between the list and the look at them.
TEST(RedoArchive, IsLookedAtWhileOldFilesAreRemoved) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400, 200);
  Cleaner cleaner(storage, "shop");
  bool removed = false;
  storage.on_get = [&](const std::string&) {
    if (std::exchange(removed, true)) return;
    ASSERT_TRUE(ok(cleaner.run({})));
  };
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_GT(archive.value().begin().cseq, 100U);
}

// Each old file goes away just before it is looked at, as fast as one can look.
TEST(RedoArchive, KeepsUpWithARemovalThatIsAlwaysOneFileAhead) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400, 200);
  const std::vector<std::string> all = storage.names(".redo");
  MemoryStorage cleaned;
  cleaned.change([&](Objects& objects) { objects = storage.objects(); });
  ASSERT_TRUE(ok(Cleaner(cleaned, "shop").run({})));
  const std::size_t old = all.size() - cleaned.names(".redo").size();
  ASSERT_GT(old, 4U);
  storage.on_get = [&](const std::string& name) {
    const auto at = std::find(all.begin(), all.end(), name);
    if (at - all.begin() < static_cast<std::ptrdiff_t>(old))
      storage.change([&](Objects& objects) { objects.erase(name); });
  };
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_EQ(archive.value().files().front().name, all[old]);
}

// Below the checkpoint some files may go before others.
TEST(RedoArchive, AHoleBelowTheCheckpointIsNoDamage) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 400, 200);
  const std::vector<std::string> names = storage.names(".redo");
  storage.change([&](Objects& objects) { objects.erase(names[1]); });
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_EQ(archive.value().files().front().name, names[2]);
}

TEST(RedoArchive, ATargetAheadOfTheRedoIsRefused) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 100);
  EXPECT_EQ(begin_epoch(storage, request(101), {}).error().code, Errc::lost);
  EpochRequest other = request(50);
  other.source = "server-b";
  EXPECT_EQ(begin_epoch(storage, other, {}).error().code, Errc::refused);
}

// The version stands behind the magic words; the checksum is made to fit again.
TEST(RedoArchive, ANewerVersionIsRefusedAndNotGuessed) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 12);
  const auto make_newer = [&](const std::string& name) {
    storage.change([&](Objects& objects) {
      std::vector<std::byte>& bytes = objects[name];
      bytes[8] = std::byte{3};
      const auto size = static_cast<std::size_t>(load_le(bytes.data() + 12, 4));
      store::put_le(bytes.data() + size - 4, crc32c_of(Bytes(bytes).first(size - 4)), 4);
    });
  };
  const auto whole = storage.objects();
  make_newer(storage.names(".redo").front());
  EXPECT_EQ(read_all(storage).error().code, Errc::unsupported);
  storage.change([&](Objects& objects) { objects = whole; });
  make_newer(claim_name("shop", 1));
  EXPECT_EQ(read_all(storage).error().code, Errc::unsupported);
}

TEST(RedoMeta, IsAHintAndNoMore) {
  MemoryStorage storage;
  EXPECT_FALSE(read_meta(storage, "shop", {}));
  ASSERT_TRUE(ok(write_meta(storage, "shop", {{1, 2}, 40, 30}, {})));
  const auto meta = read_meta(storage, "shop", {});
  ASSERT_TRUE(meta);
  EXPECT_LE(meta->checkpoint, meta->resolved);
  const std::vector<std::byte> whole = storage.objects().at(meta_name("shop"));
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    storage.change([&](Objects& objects) {
      objects[meta_name("shop")] = whole;
      objects[meta_name("shop")][bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    });
    EXPECT_FALSE(read_meta(storage, "shop", {})) << bit;
  }
  write_files(storage, first_claim(), 100);
  EXPECT_EQ(Archive::open(storage, "shop", {}).value().resolved(), place_at(100));
}

TEST(RedoArchive, FindsTheLastTransactionWithin) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 300);
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  for (const std::uint64_t wanted : {0ULL, 1ULL, 7ULL, 150ULL, 299ULL, 300ULL}) {
    const auto found = last_within(
        storage, archive.value(),
        [&](const store::Place& place) -> Result<bool> { return place.cseq <= wanted; }, {});
    ASSERT_TRUE(ok(found));
    EXPECT_EQ(found.value(), place_at(wanted));
  }
}

TEST(RedoReader, EndsWhereItIsTold) {
  MemoryStorage storage;
  write_files(storage, first_claim(), 300);
  const auto archive = Archive::open(storage, "shop", {});
  ReaderOptions options;
  options.until = 120;
  auto reader = Reader::open(storage, archive.value(), 100, options);
  ASSERT_TRUE(ok(reader));
  std::vector<std::uint64_t> commits;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    ASSERT_TRUE(ok(step));
    if (step.value() == Step::nothing) break;
    if (step.value() == Step::commit) commits.push_back(reader.value()->commit().cseq);
  }
  EXPECT_EQ(commits, numbers(101, 120));
}

}  // namespace
}  // namespace wherry::redo
