// What goes into the log as batches comes out as the same groups.

#include "feed/batch_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/log_for_tests.h"

namespace wherry::feed {
namespace {

using decode::Batch;
using decode::Group;
using decode::GroupEnd;
using store::kLong;
using store::kNow;

// Batches as the assembler makes them, with made-up bytes.
class Stream {
 public:
  Stream() { next_format("10.11.1"); }
  void next_format(const std::string& version) {
    decode::FormatDescription format;
    format.dialect = Dialect::mysql;
    format.checksummed = true;
    format.post_header_sizes = {56, 13, 0};
    format.server_version = version;
    format_ = std::make_shared<const decode::FormatDescription>(std::move(format));
    fresh();
  }
  void fresh(const std::string& file = "binlog.000001") {
    batch_ = std::make_unique<Batch>();
    batch_->format = format_;
    batch_->file = file;
    batch_->generation = 1;
    batch_->gtid_sources = {std::string(store::kUuid)};
    first_event_ = 0;
  }
  void event(std::size_t bytes) {
    decode::EventRef ref;
    ref.offset = batch_->bytes.size();
    ref.size = static_cast<std::uint32_t>(bytes);
    ref.timestamp = 77;
    ref.server_id = 5;
    ref.type = decode::EventType::write_rows_v2;
    ref.flags = 1;
    batch_->events.push_back(ref);
    for (std::size_t i = 0; i < bytes; ++i)
      batch_->bytes.push_back(static_cast<std::byte>('a' + (cseq_ + i) % 26));
  }
  Group& group(bool opens = true, bool closes = true) {
    Group group;
    group.cseq = cseq_;
    group.end_offset = 100 * cseq_;
    group.commit_us = 1'000'000 + cseq_;
    group.gtid.number = cseq_;
    group.first_event = first_event_;
    group.event_count = static_cast<std::uint32_t>(batch_->events.size()) - first_event_;
    group.opens = opens;
    group.closes = closes;
    first_event_ = static_cast<std::uint32_t>(batch_->events.size());
    batch_->groups.push_back(group);
    if (closes) ++cseq_;
    return batch_->groups.back();
  }
  void transactions(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t e = 0; e < cseq_ % 3; ++e) event(20 + cseq_);
      group();
    }
  }
  const Batch& batch() const { return *batch_; }

 private:
  std::shared_ptr<const decode::FormatDescription> format_;
  std::unique_ptr<Batch> batch_;
  std::uint32_t first_event_ = 0;
  std::uint64_t cseq_ = 1;
};

// "cseq 3 binlog.000001:300 uuid:3 commit [w77:22 w77:22]", by group or part.
std::string text_of(const Batch& batch, const Group& group) {
  std::string out = fmt::format("{}{}cseq {} {}:{} {}:{} end {}{}{} {} [", group.opens ? "" : "...",
                                group.aborted ? "aborted " : "", group.cseq, batch.file,
                                group.closes ? group.end_offset : 0,
                                group.closes ? batch.gtid_sources.at(group.gtid.source) : "",
                                group.closes ? group.gtid.number : 0, static_cast<int>(group.end),
                                group.has_statement ? " statement" : "",
                                group.alter_start ? " alter" : "", batch.format->server_version);
  for (std::uint32_t i = 0; i < group.event_count; ++i) {
    const decode::EventRef& event = batch.events.at(group.first_event + i);
    out += fmt::format(" {}/{}/{}:{}", static_cast<int>(event.type), event.flags, event.timestamp,
                       as_text(batch.body(event)));
  }
  return out + "]" + (group.closes ? "" : "...");
}

class BatchLogTest : public ::testing::Test {
 protected:
  BatchLogTest() { open(); }
  void open() { log_ = store::open_log(store::small_options(folder_.path())); }
  void put(const Batch& batch) {
    BatchWriter writer(*log_);
    ASSERT_TRUE(store::ok(writer.put(batch)));
    for (const Group& group : batch.groups) put_.push_back(text_of(batch, group));
  }
  std::vector<std::string> read(std::uint64_t done, std::uint64_t last) {
    std::vector<std::string> out;
    BatchReader reader(*log_, done, {Dialect::mysql, 200, 400});
    while (reader.done() < last) {
      const Result<std::unique_ptr<Batch>> batch = reader.next(kLong);
      if (!store::ok(batch) || batch.value() == nullptr) break;
      for (const Group& group : batch.value()->groups)
        out.push_back(text_of(*batch.value(), group));
    }
    return out;
  }

  store::Folder folder_;
  std::unique_ptr<store::Log> log_;
  Stream stream_;
  std::vector<std::string> put_;
};

TEST_F(BatchLogTest, GroupsComeOutAsTheyWentIn) {
  stream_.transactions(40);
  put(stream_.batch());
  stream_.fresh("binlog.000002");
  stream_.transactions(10);
  stream_.event(30);
  Group& statement = stream_.group();
  statement.end = GroupEnd::statement;
  statement.has_statement = true;
  stream_.event(5);
  Group& alter = stream_.group();
  alter.has_statement = alter.alter_start = true;
  put(stream_.batch());
  EXPECT_EQ(read(0, 52), put_);
  EXPECT_EQ(read(50, 52), std::vector<std::string>(put_.begin() + 50, put_.end()));
}

TEST_F(BatchLogTest, AReopenedLogKnowsTheFormats) {
  stream_.transactions(10);
  put(stream_.batch());
  stream_.next_format("11.4.2");
  stream_.transactions(10);
  put(stream_.batch());
  ASSERT_TRUE(store::ok(log_->close()));
  open();
  EXPECT_EQ(log_->writer().next(), 21u);
  EXPECT_EQ(read(0, 20), put_);
}

TEST_F(BatchLogTest, PartsAreOneGroupAndComeOutInPartsOfTheReader) {
  stream_.event(90);
  stream_.group(true, false);
  put(stream_.batch());
  BatchReader early(*log_, 0, {Dialect::mysql, 200, 400});
  const Result<std::unique_ptr<Batch>> nothing = early.next(kNow);
  ASSERT_TRUE(store::ok(nothing));
  EXPECT_EQ(nothing.value(), nullptr) << "an unfinished group is not seen";
  stream_.fresh();
  for (int i = 0; i < 5; ++i) stream_.event(90);
  stream_.group(false, true);
  put(stream_.batch());
  const std::vector<std::string> parts = read(0, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(parts[0].starts_with("cseq 1") && parts[0].ends_with("...")) << parts[0];
  EXPECT_TRUE(parts[1].starts_with("...cseq 1 binlog.000001:100 ")) << parts[1];
}

TEST_F(BatchLogTest, AnAbortedGroupNeverWas) {
  stream_.event(90);
  stream_.group(true, false);
  put(stream_.batch());
  stream_.fresh();
  stream_.group(false, false).aborted = true;
  put(stream_.batch());
  stream_.fresh();
  stream_.transactions(2);
  put(stream_.batch());
  EXPECT_EQ(read(0, 2), std::vector<std::string>(put_.end() - 2, put_.end()));
}

TEST_F(BatchLogTest, BatchesOutliveTheBlocksTheyCameFrom) {
  stream_.transactions(40);
  put(stream_.batch());
  std::vector<std::unique_ptr<Batch>> held;
  for (const bool from_disk : {false, true}) {
    if (from_disk) {
      ASSERT_TRUE(store::ok(log_->close()));
      open();
    }
    auto reader =
        std::make_unique<BatchReader>(*log_, 0, BatchReaderOptions{Dialect::mysql, 200, 400});
    while (reader->done() < 40) {
      Result<std::unique_ptr<Batch>> batch = reader->next(kLong);
      ASSERT_TRUE(store::ok(batch));
      held.push_back(std::move(batch).value());
    }
  }
  log_.reset();
  std::vector<std::string> out;
  std::size_t borrowed = 0;
  for (const auto& batch : held) {
    if (batch->borrowed.base != nullptr) ++borrowed;
    for (const Group& group : batch->groups) out.push_back(text_of(*batch, group));
  }
  EXPECT_GT(borrowed, 10u);
  std::vector<std::string> twice = put_;
  twice.insert(twice.end(), put_.begin(), put_.end());
  EXPECT_EQ(out, twice);
}

TEST_F(BatchLogTest, AnInterruptedReaderSaysSo) {
  BatchReader reader(*log_, 0, {});
  reader.interrupt();
  const Result<std::unique_ptr<Batch>> next = reader.next(kLong);
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().code, Errc::interrupted);
}

}  // namespace
}  // namespace wherry::feed
