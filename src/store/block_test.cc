// The bytes of a block, as docs/format/log.md shows them.

#include "store/block.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>

#include "store/bytes_out.h"
#include "store/log_for_tests.h"
#include "store/record.h"

namespace wherry::store {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}",
                        i == 0        ? ""
                        : i % 16 == 0 ? "\n"
                                      : " ",
                        static_cast<unsigned char>(bytes[i]));
  return text;
}

// The example of docs/format/log.md: one transaction of one event.
TEST(StoreBlock, IsWrittenAsTheFormatsPageShows) {
  const Folder folder;
  const std::string path = folder.path() + "/block";
  Event event;
  event.type = 30;
  event.timestamp = 0x65000000;
  event.server_id = 7;
  event.table_version = 3;
  event.body = as_bytes("row");
  Commit commit;
  commit.cseq = 5;
  commit.commit_us = 1'000'000;
  commit.generation = 1;
  commit.end_offset = 300;
  commit.file = "b.1";
  commit.gtid_number = 9;
  commit.gtid_server = 7;
  std::vector<std::byte> body(size_of(event) + size_of(commit));
  encode(event, body.data());
  encode(commit, body.data() + size_of(event));
  BlockHeader header;
  header.body_bytes = static_cast<std::uint32_t>(body.size());
  header.first = {5, 0};
  header.last_cseq = 5;
  const auto file = File::create(path, {});
  ok(write_block(file.value(), 0, header, body));
  EXPECT_EQ(hex(read_file(path)), R"(57 42 4c 4b 76 00 00 00 76 00 00 00 00 00 00 00
05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
05 00 00 00 00 00 00 00 12 1a 35 9d 03 00 00 00
01 1e 00 00 01 00 00 00 00 00 00 65 07 00 00 00
03 00 00 00 00 00 00 00 72 6f 77 3b 00 00 00 02
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 40
42 0f 00 00 00 00 00 01 00 00 00 00 00 00 00 2c
01 00 00 00 00 00 00 09 00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 07 00 00 00 00 00 03 00 62
2e 31 ad e2 89 c6 57 45 4e 44)");
}

TEST(StoreBlock, EveryTruncatedPrefixIsRefused) {
  const Folder folder;
  const std::string path = folder.path() + "/block";
  BlockHeader header;
  header.body_bytes = 5;
  const auto file = File::create(path, {});
  ok(write_block(file.value(), 0, header, as_bytes("12345")));
  const std::string whole = read_file(path);
  BlockReader reader;
  EXPECT_TRUE(ok(reader.read(file.value(), 0, 0)));
  EXPECT_EQ(as_text(reader.body()), "12345");
  for (std::size_t size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const auto cut = reader.read(file.value(), 0, 0);
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().code, Errc::truncated);
  }
}

long peak_kib() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// Sizes in a file are somebody's word: no memory is taken for what it cannot hold.
TEST(StoreBlock, ASizeThatTheFileCannotHoldTakesNoMemory) {
  const Folder folder;
  const auto file = File::create(folder.path() + "/block", {});
  const long before = peak_kib();
  BlockHeader header;
  header.stored_bytes = header.body_bytes = 2'000'000'000;
  std::array<std::byte, 200> bytes{};
  encode(header, bytes.data());
  ok(file.value().write(0, std::array<Bytes, 1>{Bytes(bytes)}));
  BlockReader reader;
  EXPECT_EQ(reader.read(file.value(), 0, 0).error().code, Errc::truncated);
  header.stored_bytes = 100;
  header.codec = Codec::zstd;
  // One frame's head that promises as much.
  BytesOut packed;
  packed.uint(0xFD2FB528, 4).uint(0xA0, 1).uint(header.body_bytes, 4);
  std::vector<std::byte> body(100);
  std::memcpy(body.data(), packed.bytes().data(), packed.size());
  ok(write_block(file.value(), 0, header, body));
  EXPECT_EQ(reader.read(file.value(), 0, 0).error().code, Errc::malformed);
  EXPECT_LT(peak_kib() - before, 500'000);
}

// Pieces of a snapshot stand in redo files only.
TEST(StoreBlock, OfASnapshotIsRefusedInALog) {
  const Folder folder;
  const auto file = File::create(folder.path() + "/block", {});
  BlockHeader header;
  header.kind = BlockKind::snapshot;
  const std::string body = "a piece";
  header.body_bytes = static_cast<std::uint32_t>(body.size());
  ok(write_block(file.value(), 0, header, as_bytes(body)));
  BlockReader reader;
  const auto read = reader.read(file.value(), 0, 0);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Errc::malformed);
  EXPECT_NE(read.error().what.find("which no log holds"), std::string::npos) << read.error().what;
}

TEST(StoreBlock, ABodyThatIsHeldIsNotWrittenOver) {
  const Folder folder;
  const auto file = File::create(folder.path() + "/block", {});
  BlockHeader header;
  header.body_bytes = 5;
  ok(write_block(file.value(), 0, header, as_bytes("first")));
  const std::uint64_t second = framed_bytes(header);
  ok(write_block(file.value(), second, header, as_bytes("other")));
  BlockReader reader;
  ok(reader.read(file.value(), 0, 0));
  const std::shared_ptr<const void> held = reader.hold();
  const Bytes body = reader.body();
  ok(reader.read(file.value(), second, 0));
  EXPECT_EQ(as_text(body), "first");
  EXPECT_EQ(as_text(reader.body()), "other");
}

}  // namespace
}  // namespace wherry::store
