// A storage that is away, on a clock that the test moves, and a process that dies between any two
// of the storage's operations.

#include <gtest/gtest.h>

#include "redo/archive.h"
#include "redo/cleaner.h"
#include "redo/epoch.h"
#include "redo/redo_for_tests.h"
#include "storage/emulated_storage.h"
#include "storage/memory_storage.h"
#include "storage/retrying_storage.h"

namespace wherry::redo {
namespace {

using namespace std::chrono_literals;

// A writer in front of a storage whose time stands still unless it is moved.
class OutageTest : public ::testing::Test {
 protected:
  OutageTest()
      : bad_(std::make_shared<storage::EmulatedStorage>(std::make_shared<storage::MemoryStorage>(),
                                                        storage::FaultOptions{}, clock_)),
        storage_(bad_, storage::endless_policy(), clock_) {
    options_ = small_writer();
    const std::string text = encode(first_claim());
    const Bytes part = as_bytes(text);
    ok(storage_.put(claim_name("shop", 1), {&part, 1}, {}));
  }

  void start(std::uint64_t last) {
    auto made = Writer::make(storage_, first_claim(),
                             std::make_unique<TestStream>(StreamShape{.last = last}), options_,
                             [](const DurablePtr&) {});
    ASSERT_TRUE(ok(made));
    writer_ = std::move(made).value();
    writer_->start();
  }
  // Moves the time on whenever somebody sleeps, until the durable place has passed this one.
  void move_until_past(std::uint64_t cseq) {
    while (durable() <= cseq) {
      if (clock_.sleepers() > 0)
        clock_.advance_to_next();
      else
        std::this_thread::yield();
    }
  }
  std::uint64_t durable() const { return writer_->durable()->place.cseq; }

  ManualClock clock_;
  std::shared_ptr<storage::EmulatedStorage> bad_;
  storage::RetryingStorage storage_;
  WriterOptions options_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(OutageTest, OfASecondAMinuteAndTenMinutesHealsByItself) {
  start(UINT64_MAX);
  std::uint64_t reached = 0;
  for (const std::chrono::seconds outage : {1s, 60s, 600s}) {
    move_until_past(reached + 5'000);
    bad_->set_outage(storage::EmulatedStorage::Outage::failing);
    const Clock::Time end = clock_.now() + outage;
    while (clock_.now() < end) clock_.advance_to_next();
    EXPECT_FALSE(writer_->status().failure) << "the writer goes on by itself";
    reached = durable();
    bad_->set_outage(storage::EmulatedStorage::Outage::none);
    move_until_past(reached);
  }
  const WriterStatus status = writer_->status();
  EXPECT_LE(status.peak_bytes, options_.memory + options_.collector.block_bytes + 200);
  ASSERT_TRUE(ok(writer_->stop()));
  const auto archive = Archive::open(storage_, "shop", {});
  ASSERT_TRUE(ok(archive));
  EXPECT_EQ(archive.value().resolved(), writer_->durable()->place);
  EXPECT_GT(archive.value().resolved().cseq, reached);
}

TEST_F(OutageTest, TheCountsAreThoseOfTheStorage) {
  start(20'000);
  // The time stands still, so no upload is late enough for a second one.
  while (durable() < 20'000) std::this_thread::yield();
  ASSERT_TRUE(ok(writer_->stop()));
  const WriterStatus status = writer_->status();
  EXPECT_EQ(status.uploads.uploads + 1, bad_->counts().puts) << "the claim is one more";
  EXPECT_EQ(status.durable->files, status.uploads.uploads);
  EXPECT_EQ(status.uploads.unreleased, 0U);
  EXPECT_EQ(status.uploads.in_flight, 0U);
  EXPECT_EQ(status.held_bytes, 0U);
  EXPECT_FALSE(status.oldest);
}

// At each moment between two operations of the storage: what a new start would find there.
TEST(RedoCrash, BetweenAnyTwoOperationsNothingDurableIsLost) {
  MemoryStorage storage;
  std::vector<MemoryStorage::Objects> moments;
  storage.after_change = [&](const MemoryStorage::Objects& objects) { moments.push_back(objects); };
  std::uint64_t written = 0;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    EpochRequest request;
    request.feed = "shop";
    request.lease_epoch = round;
    request.dialect = Dialect::mariadb;
    request.source = "server-a";
    request.target = place_at(written / 2);
    const auto claim = begin_epoch(storage, request, {});
    ASSERT_TRUE(ok(claim));
    EXPECT_EQ(claim.value().begin.cseq, written);
    written += 120;
    WriterOptions options = small_writer();
    options.cut.bytes_max = 2 << 10;
    TestWriter writer(storage, claim.value(), {.last = written}, options, written / 2);
    ASSERT_TRUE(writer.wait_for(written));
    ASSERT_TRUE(ok(writer->stop()));
    Cleaner cleaner(storage, "shop");
    ASSERT_TRUE(ok(cleaner.run({})));
  }
  std::uint64_t before = 0;
  for (const MemoryStorage::Objects& moment : moments) {
    MemoryStorage then;
    then.change([&](MemoryStorage::Objects& objects) { objects = moment; });
    const auto archive = Archive::open(then, "shop", {});
    ASSERT_TRUE(ok(archive));
    EXPECT_GE(archive.value().resolved().cseq, before);
    EXPECT_LE(archive.value().checkpoint(), archive.value().resolved().cseq);
    before = archive.value().resolved().cseq;
  }
  EXPECT_EQ(before, written);
  EXPECT_GT(moments.size(), 50U);
}

}  // namespace
}  // namespace wherry::redo
