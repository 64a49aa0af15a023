// Records keep every field, and no bytes are taken for one that are none.

#include "store/record.h"

#include <gtest/gtest.h>

#include "store/bytes_out.h"
#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

std::vector<std::byte> two_records() {
  Event event = row_event("the row");
  event.rows = 3;
  const Commit commit = commit_of(77);
  std::vector<std::byte> bytes(size_of(event) + size_of(commit));
  encode(event, bytes.data());
  encode(commit, bytes.data() + size_of(event));
  return bytes;
}

TEST(StoreRecord, KeepsEveryField) {
  const std::vector<std::byte> bytes = two_records();
  RecordWalk walk(bytes);
  ASSERT_TRUE(walk.next());
  EXPECT_EQ(walk.kind(), RecordKind::event);
  const Event event = walk.event();
  EXPECT_EQ(event.rows, 3u);
  EXPECT_EQ(event.type, 30);
  EXPECT_EQ(event.flags, 1);
  EXPECT_EQ(event.timestamp, 1'700'000'000u);
  EXPECT_EQ(event.server_id, 7u);
  EXPECT_EQ(event.table_version, 1u);
  EXPECT_EQ(as_text(event.body), "the row");
  ASSERT_TRUE(walk.next());
  Commit commit;
  ASSERT_TRUE(walk.commit(commit));
  EXPECT_EQ(commit.cseq, 77u);
  EXPECT_EQ(commit.commit_us, 1'000'770u);
  EXPECT_EQ(commit.generation, 1u);
  EXPECT_EQ(commit.file, "binlog.000002");
  EXPECT_EQ(commit.end_offset, 7700u);
  EXPECT_EQ(commit.gtid_source, kUuid);
  EXPECT_EQ(commit.gtid_number, 77u);
  EXPECT_FALSE(walk.next());
  EXPECT_TRUE(walk.done());
  EXPECT_FALSE(walk.failed());
}

TEST(StoreRecord, RefusesEveryTruncatedPrefix) {
  const std::vector<std::byte> bytes = two_records();
  const std::size_t first = RecordWalk(bytes).offset() + kRecordHead + 7;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    RecordWalk walk(Bytes(bytes).first(size));
    while (walk.next()) {
    }
    EXPECT_EQ(walk.failed(), size != first) << size;
  }
}

TEST(StoreRecord, RefusesUnknownKindsAndBrokenCommits) {
  std::vector<std::byte> bytes = two_records();
  bytes[4] = std::byte{9};
  RecordWalk unknown(bytes);
  EXPECT_FALSE(unknown.next());
  EXPECT_TRUE(unknown.failed());
  bytes = two_records();
  RecordWalk walk(bytes);
  walk.next();
  walk.next();
  const std::size_t length_of_file = kRecordHead + 7 + kRecordHead + 54;
  bytes[length_of_file] = std::byte{0xFF};
  Commit commit;
  EXPECT_FALSE(walk.commit(commit));
}

}  // namespace
}  // namespace wherry::store
