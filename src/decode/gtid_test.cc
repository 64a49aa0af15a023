// GTID events as MariaDB 10.11 and MySQL 9.7 write them; bodies without header and checksum.

#include <gtest/gtest.h>

#include "decode/event.h"
#include "decode/hex_for_tests.h"
#include "decode/varint.h"

namespace wherry::decode {
namespace {

Result<GtidEvent> decode(EventType type, std::string_view hex, std::uint32_t server = 1) {
  EventHeader header;
  header.type = type;
  header.server_id = server;
  const auto body = from_hex(hex);
  return decode_gtid(header, body);
}

constexpr char kMysqlGtid[] =
    "017b1d4255ecdb11f18aae02fc000000017a010000000000000211000000000000001200000000000000e5733e0c81"
    "6106"
    "a750620100";
constexpr char kTagged[] =
    "027200000002f63a84aab1036d0322c5032902b90204f103000000020404060a6d7974616708040a080c7fae483e0c"
    "8161"
    "0610f9051283120b";

TEST(GtidTest, Mysql) {
  const auto event = decode(EventType::gtid, kMysqlGtid);
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event.value().to_string(Dialect::mysql), "7b1d4255-ecdb-11f1-8aae-02fc00000001:378");
  EXPECT_EQ(event.value().number, 378u);
  EXPECT_EQ(event.value().commit_us, 0x0661810c3e73e5u);
}

TEST(GtidTest, Anonymous) {
  const auto event = decode(EventType::anonymous_gtid, kMysqlGtid);
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event.value().anonymous);
  EXPECT_EQ(event.value().to_string(Dialect::mysql), "");
}

TEST(GtidTest, Tagged) {
  const auto event = decode(EventType::gtid_tagged, kTagged);
  ASSERT_TRUE(event.ok()) << event.error().what;
  EXPECT_EQ(event.value().source, "7b1d4255-ecdb-11f1-8aae-02fc00000001:mytag");
  EXPECT_EQ(event.value().number, 1u);
  EXPECT_EQ(event.value().commit_us, 1796056744347822u);
}

TEST(GtidTest, EveryPrefixFails) {
  const auto check = [](EventType type, std::string_view hex, std::size_t needed) {
    const auto body = from_hex(hex);
    EventHeader header;
    header.type = type;
    for (std::size_t size = 0; size < needed; ++size) {
      EXPECT_FALSE(decode_gtid(header, Bytes(body).first(size)).ok()) << size;
    }
  };
  check(EventType::gtid, kMysqlGtid, 25);
  check(EventType::gtid_tagged, kTagged, 57);
  check(EventType::mariadb_gtid, "c501000000000000000000004c0700000001016762", 21);
}

TEST(GtidTest, MariadbPlainAndOfAnotherDomain) {
  const auto event = decode(EventType::mariadb_gtid, "0100000000000000070000000c000000000000", 99);
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event.value().to_string(Dialect::mariadb), "7-99-1");
  EXPECT_FALSE(event.value().standalone);
  EXPECT_FALSE(event.value().ddl);
}

TEST(GtidTest, MariadbXa) {
  auto event = decode(EventType::mariadb_gtid, "c501000000000000000000004c070000000101676201ff");
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event.value().xa_prepare);
  EXPECT_FALSE(event.value().xa_complete);
  EXPECT_FALSE(event.value().alter_start);
  event = decode(EventType::mariadb_gtid, "c601000000000000000000008d0700000001016762");
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event.value().xa_complete);
  EXPECT_TRUE(event.value().standalone);
}

TEST(GtidTest, MariadbTwoPhaseAlter) {
  auto event = decode(EventType::mariadb_gtid, "cc01000000000000000000002902000000000000");
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event.value().alter_start);
  EXPECT_TRUE(event.value().ddl);
  event = decode(EventType::mariadb_gtid, "cd01000000000000000000002904cc01000000000000");
  ASSERT_TRUE(event.ok());
  EXPECT_FALSE(event.value().alter_start);
  EXPECT_TRUE(event.value().alter_commit);
  event = decode(EventType::mariadb_gtid, "cd01000000000000000000002908cc01000000000000");
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event.value().alter_rollback);
}

TEST(GtidTest, MariadbGroupCommitId) {
  const auto event = decode(EventType::mariadb_gtid, "0500000000000000000000002e5200000000000000");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event.value().number, 5u);
  EXPECT_TRUE(event.value().ddl);
  EXPECT_FALSE(event.value().alter_start);
}

TEST(GtidListTest, TheLastOfEachDomain) {
  const auto body = from_hex(
      "03000000"
      "07000000"
      "63000000"
      "0100000000000000"
      "00000000"
      "02000000"
      "0500000000000000"
      "00000000"
      "01000000"
      "db01000000000000");
  const auto list = decode_gtid_list(body);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list.value().position, "0-1-475,7-99-1");
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(decode_gtid_list(Bytes(body).first(size)).ok());
  }
}

TEST(GtidListTest, FlagsAreNoCount) {
  const auto list = decode_gtid_list(from_hex("00000010"));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list.value().position, "");
}

TEST(VarintTest, AllSizes) {
  const auto read = [](std::string_view hex) {
    const auto bytes = from_hex(hex);
    Cursor in(bytes);
    const std::uint64_t value = read_varint(in);
    EXPECT_FALSE(in.failed());
    EXPECT_EQ(in.size(), 0u);
    return value;
  };
  EXPECT_EQ(read("00"), 0u);
  EXPECT_EQ(read("fe"), 127u);
  EXPECT_EQ(read("0102"), 128u);
  EXPECT_EQ(read("fdff"), 16383u);
  EXPECT_EQ(read("fbffff"), (1u << 21) - 1);
  EXPECT_EQ(read("7fffffffffffffff"), (std::uint64_t{1} << 56) - 1);
  EXPECT_EQ(read("ffffffffffffffffff"), ~std::uint64_t{0});
  EXPECT_EQ(read("ff0100000000000080"), 0x8000000000000001u);
}

TEST(VarintTest, SignIsTheLowestBit) {
  const auto read = [](std::string_view hex) {
    const auto bytes = from_hex(hex);
    Cursor in(bytes);
    return read_signed_varint(in);
  };
  EXPECT_EQ(read("00"), 0);
  EXPECT_EQ(read("04"), 1);
  EXPECT_EQ(read("02"), -1);
  EXPECT_EQ(read("06"), -2);
}

}  // namespace
}  // namespace wherry::decode
