// Events made by hand become groups and batches: where groups begin and end, what goes out when,
// and what a new beginning of the stream leaves behind.

#include "decode/assembler.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/hash.h"

namespace wherry::decode {
namespace {

constexpr char kUuid[] = "11111111-1111-1111-1111-111111111111";

void put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    out += static_cast<char>(value & 0xFF);
    value >>= 8;
  }
}

// Makes the events of one server's stream; each event ends where the next one begins.
class EventMaker {
 public:
  bool checksummed = true;
  std::uint32_t at = 4;

  std::string event(EventType type, const std::string& body, std::uint16_t flags = 0) {
    const bool artificial = (flags & kFlagArtificial) != 0;
    const auto size = static_cast<std::uint32_t>(kHeaderSize + body.size() + (checksummed ? 4 : 0));
    if (!artificial) at += size;
    std::string out = frame(type, body, flags, size, artificial ? 0 : at);
    if (checksummed) seal(out);
    return out;
  }
  // Inside a payload: no checksum, no position.
  static std::string inner(EventType type, const std::string& body) {
    return frame(type, body, 0, static_cast<std::uint32_t>(kHeaderSize + body.size()), 0);
  }
  std::string description() {
    std::string body;
    put(body, 4, 2);
    std::string version = "9.7.4";
    version.resize(50);
    body += version;
    put(body, 0, 4);
    put(body, kHeaderSize, 1);
    body += std::string(42, '\x08');
    put(body, checksummed ? 1 : 0, 1);
    const auto size = static_cast<std::uint32_t>(kHeaderSize + body.size() + 4);
    std::string out = frame(EventType::format_description, body, 0, size, at += size);
    seal(out);
    return out;
  }
  std::string rotation(const std::string& file, bool artificial, std::uint64_t position = 4) {
    std::string body;
    put(body, position, 8);
    std::string out = event(EventType::rotate, body + file, artificial ? kFlagArtificial : 0);
    at = static_cast<std::uint32_t>(position);
    return out;
  }
  std::string gtid(std::uint64_t number) { return event(EventType::gtid, gtid_body(number)); }
  std::string query(const std::string& text) { return event(EventType::query, query_body(text)); }
  std::string rows(std::size_t bytes) {
    return event(EventType::write_rows_v2, std::string(bytes, 'r'));
  }
  std::string xid() { return event(EventType::xid, std::string(8, '\1')); }

  static std::string query_body(const std::string& text) {
    return std::string(13, '\0') + std::string(1, '\0') + text;
  }

 private:
  static std::string gtid_body(std::uint64_t number) {
    std::string body(1, '\0');
    body += std::string(16, '\x11');
    put(body, number, 8);
    put(body, 2, 1);
    put(body, 0, 16);
    return body;
  }
  static std::string frame(EventType type, const std::string& body, std::uint16_t flags,
                           std::uint32_t size, std::uint32_t end) {
    std::string out;
    put(out, 1000, 4);
    put(out, static_cast<std::uint64_t>(type), 1);
    put(out, 1, 4);
    put(out, size, 4);
    put(out, end, 4);
    put(out, flags, 2);
    return out + body;
  }
  static void seal(std::string& out) {
    put(out, crc32_of({reinterpret_cast<const std::byte*>(out.data()), out.size()}), 4);
  }
};

class AssemblerTest : public ::testing::Test {
 protected:
  AssemblerTest() {
    options_.batch_bytes = 1000;
    options_.part_bytes = 5000;
    begin();
  }
  void begin() { assembler_.emplace(options_, Position{{"bin.000001", 4}, ""}, 1); }
  Status feed_raw(const std::string& event) {
    return assembler_->feed({reinterpret_cast<const std::byte*>(event.data()), event.size()});
  }
  void feed(const std::string& event) {
    const Status done = feed_raw(event);
    ASSERT_TRUE(done.ok()) << done.error().what;
    if (!assembler_->full()) return;
    if (auto batch = assembler_->take()) taken_.push_back(std::move(batch));
  }
  void start() {
    feed(make_.rotation("bin.000001", true));
    feed(make_.description());
  }
  void transaction(std::uint64_t number, std::size_t bytes = 10) {
    feed(make_.gtid(number));
    feed(make_.query("BEGIN"));
    feed(make_.rows(bytes));
    feed(make_.xid());
  }
  std::vector<Group> groups() {
    if (auto batch = assembler_->take()) taken_.push_back(std::move(batch));
    std::vector<Group> all;
    for (const auto& batch : taken_) {
      all.insert(all.end(), batch->groups.begin(), batch->groups.end());
    }
    return all;
  }

  AssemblerOptions options_;
  std::optional<Assembler> assembler_;
  EventMaker make_;
  std::vector<std::unique_ptr<Batch>> taken_;
};

TEST_F(AssemblerTest, TransactionIsOneGroup) {
  start();
  transaction(7, 33);
  const auto all = groups();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].cseq, 1u);
  EXPECT_EQ(all[0].end, GroupEnd::commit);
  EXPECT_TRUE(all[0].opens && all[0].closes);
  EXPECT_EQ(all[0].event_count, 1u);
  EXPECT_EQ(all[0].end_offset, make_.at);
  EXPECT_EQ(all[0].gtid.number, 7u);
  EXPECT_EQ(taken_[0]->gtid_sources, std::vector<std::string>{kUuid});
  EXPECT_EQ(taken_[0]->events[0].size, 33u);  // without its checksum
  EXPECT_EQ(assembler_->edge().gtid, std::string(kUuid) + ":7");
  EXPECT_EQ(assembler_->edge().file.offset, make_.at);
}

TEST_F(AssemblerTest, StreamWithoutChecksums) {
  make_.checksummed = false;
  start();
  transaction(1, 33);
  ASSERT_EQ(groups().size(), 1u);
  EXPECT_EQ(taken_[0]->events[0].size, 33u);
}

TEST_F(AssemblerTest, RotationBeforeTheFormatMayHaveAChecksumOrNot) {
  for (const bool checksummed : {false, true}) {
    begin();
    make_.checksummed = checksummed;
    feed(make_.rotation("bin.000009", true, 157));
    EXPECT_EQ(assembler_->edge().file.to_string(), "bin.000009:157");
  }
  begin();
  EXPECT_FALSE(feed_raw(make_.xid()).ok());
}

TEST_F(AssemblerTest, StatementIsAGroupOfItsOwn) {
  start();
  feed(make_.gtid(1));
  feed(make_.query("CREATE TABLE t (a INT)"));
  EXPECT_FALSE(assembler_->inside_group());
  const auto all = groups();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].end, GroupEnd::statement);
  EXPECT_TRUE(all[0].has_statement);
}

TEST_F(AssemblerTest, StatementInsideATransactionDoesNotEndIt) {
  start();
  feed(make_.gtid(1));
  feed(make_.query("BEGIN"));
  feed(make_.query("SAVEPOINT a"));
  EXPECT_TRUE(assembler_->inside_group());
  feed(make_.query("ROLLBACK"));
  const auto all = groups();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].end, GroupEnd::rollback);
}

TEST_F(AssemblerTest, RotationEndsTheBatchAndMovesTheEdge) {
  start();
  transaction(1);
  feed(make_.rotation("bin.000002", false));
  ASSERT_EQ(taken_.size(), 1u);
  EXPECT_EQ(taken_[0]->file, "bin.000001");
  EXPECT_EQ(assembler_->edge().file.to_string(), "bin.000002:4");
  feed(make_.description());
  transaction(2);
  const auto all = groups();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].cseq, 2u);
  EXPECT_EQ(taken_.back()->file, "bin.000002");
  EXPECT_EQ(all[1].end_offset, make_.at);
}

TEST_F(AssemblerTest, RotationInsideATransactionIsAnError) {
  start();
  feed(make_.gtid(1));
  feed(make_.rows(10));
  EXPECT_FALSE(feed_raw(make_.rotation("bin.000002", false)).ok());
}

TEST_F(AssemblerTest, GtidInsideAGroupIsAnError) {
  start();
  feed(make_.gtid(1));
  EXPECT_FALSE(feed_raw(make_.gtid(2)).ok());
}

TEST_F(AssemblerTest, BatchGoesOutAtItsSizeWithWholeGroups) {
  start();
  for (std::uint64_t n = 1; n <= 10; ++n) transaction(n, 300);
  EXPECT_GE(taken_.size(), 2u);
  const auto all = groups();
  ASSERT_EQ(all.size(), 10u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].cseq, i + 1);
}

TEST_F(AssemblerTest, LargeGroupGoesOutInParts) {
  start();
  feed(make_.gtid(1));
  for (int i = 0; i < 8; ++i) feed(make_.rows(2000));
  feed(make_.xid());
  const auto all = groups();
  ASSERT_GE(all.size(), 3u);
  std::uint32_t events = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].cseq, 1u);
    EXPECT_EQ(all[i].opens, i == 0);
    EXPECT_EQ(all[i].closes, i + 1 == all.size());
    events += all[i].event_count;
  }
  EXPECT_EQ(events, 8u);
  EXPECT_EQ(assembler_->next_cseq(), 2u);
}

TEST_F(AssemblerTest, RestartForgetsAnUnfinishedGroup) {
  start();
  transaction(1);
  const Position edge = assembler_->edge();
  feed(make_.gtid(2));
  feed(make_.rows(50));
  assembler_->restart(5);
  EXPECT_EQ(assembler_->edge(), edge);
  EXPECT_FALSE(assembler_->inside_group());
  auto all = groups();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(taken_[0]->events.size(), 1u);
  make_.at = static_cast<std::uint32_t>(edge.file.offset);
  feed(make_.rotation("bin.000001", true, edge.file.offset));
  std::string description = make_.description();
  feed(description);
  transaction(2);
  all = groups();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].cseq, 2u);
  EXPECT_FALSE(all[1].aborted);
  EXPECT_EQ(taken_.back()->generation, 5u);
}

TEST_F(AssemblerTest, RestartAfterPartsSaysThatTheyAreVoid) {
  start();
  feed(make_.gtid(1));
  for (int i = 0; i < 4; ++i) feed(make_.rows(2000));
  ASSERT_EQ(taken_.size(), 1u);
  assembler_->restart(2);
  const auto all = groups();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[1].aborted);
  EXPECT_FALSE(all[1].opens);
  EXPECT_EQ(all[1].cseq, 1u);
  EXPECT_EQ(assembler_->next_cseq(), 1u);
  EXPECT_EQ(assembler_->edge().gtid, "");
}

TEST_F(AssemblerTest, HeartbeatMovesTheEdgeOutsideGroupsOnly) {
  start();
  const auto beat = [&](std::uint32_t ahead) {
    EventMaker other = make_;
    other.at += ahead;
    return other.event(EventType::heartbeat, "bin.000001");
  };
  transaction(1);
  const std::uint64_t before = assembler_->edge().file.offset;
  feed(beat(1000));
  const std::uint64_t after = assembler_->edge().file.offset;
  EXPECT_GT(after, before + 1000);
  make_.at = static_cast<std::uint32_t>(after);
  feed(make_.gtid(2));
  feed(beat(500));
  EXPECT_EQ(assembler_->edge().file.offset, after);
}

TEST_F(AssemblerTest, PayloadIsOneTransaction) {
  start();
  std::string inside = EventMaker::inner(EventType::query, EventMaker::query_body("BEGIN"));
  inside += EventMaker::inner(EventType::write_rows_v2, std::string(20, 'r'));
  inside += EventMaker::inner(EventType::xid, std::string(8, '\1'));
  std::string body;
  body += std::string("\x02\x03\xfc\xff", 4) + std::string(1, '\0');  // not compressed
  body += "\x01\x01";
  body += static_cast<char>(inside.size());
  body += std::string(1, '\0') + inside;
  feed(make_.gtid(1));
  feed(make_.event(EventType::transaction_payload, body));
  const auto all = groups();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].event_count, 1u);
  EXPECT_EQ(taken_[0]->events[0].size, 20u);
  EXPECT_EQ(all[0].end_offset, make_.at);
}

TEST_F(AssemblerTest, OffsetsGoOnBeyondFourGigabytes) {
  start();
  make_.at = 0xFFFFFFC0u;
  feed(make_.event(EventType::heartbeat, "bin.000001"));
  transaction(1);
  EXPECT_EQ(assembler_->edge().file.offset, (std::uint64_t{1} << 32) + make_.at);
}

TEST_F(AssemblerTest, UnknownEventStopsTheStreamUnlessIgnorable) {
  start();
  EXPECT_TRUE(feed_raw(make_.event(static_cast<EventType>(99), "x", kFlagIgnorable)).ok());
  const Status done = feed_raw(make_.event(static_cast<EventType>(99), "x"));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, Errc::unsupported);
}

// sequence, domain 2, flags (1: one statement is the whole group).
std::string mariadb_gtid(std::uint64_t sequence, unsigned flags) {
  std::string body;
  put(body, sequence, 8);
  put(body, 2, 4);
  put(body, flags, 1);
  put(body, 0, 6);
  return body;
}

TEST_F(AssemblerTest, GroupsOfMariadb) {
  options_.dialect = Dialect::mariadb;
  assembler_.emplace(options_, Position{{"bin.000001", 4}, "0-1-7,2-1-3"}, 50);
  start();
  feed(make_.event(EventType::mariadb_gtid, mariadb_gtid(4, 1)));
  feed(make_.query("CREATE TABLE t (a INT)"));
  EXPECT_FALSE(assembler_->inside_group());
  EXPECT_EQ(assembler_->edge().gtid, "0-1-7,2-1-4");
  feed(make_.event(EventType::mariadb_gtid, mariadb_gtid(5, 0)));
  feed(make_.query("INSERT INTO t VALUES (1)"));
  EXPECT_TRUE(assembler_->inside_group());
  EXPECT_EQ(assembler_->edge().gtid, "0-1-7,2-1-4");
  feed(make_.query("COMMIT"));
  const auto all = groups();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cseq, 50u);
  EXPECT_EQ(all[0].end, GroupEnd::statement);
  EXPECT_EQ(all[1].end, GroupEnd::commit);
  EXPECT_EQ(assembler_->edge().gtid, "0-1-7,2-1-5");
}

TEST_F(AssemblerTest, WrongChecksumIsAnError) {
  start();
  std::string event = make_.rows(10);
  event[25] ^= 1;
  EXPECT_FALSE(feed_raw(event).ok());
}

}  // namespace
}  // namespace wherry::decode
