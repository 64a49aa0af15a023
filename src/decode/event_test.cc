// The frame and the events without rows, from captures of MariaDB 10.11 and MySQL 9.7 servers and
// their binlog streams.

#include "decode/event.h"

#include <gtest/gtest.h>

#include "decode/hex_for_tests.h"
#include "support/hash.h"

namespace wherry::decode {
namespace {

constexpr char kMysqlDescription[] =
    "d3a70d6b0f010000007b0000007f00000000000400392e372e342d3200000000000000000000000000000000000000"
    "00"
    "00000000000000000000000000000000000000000000000000000013000d0008000000000400040000006300041a08"
    "00"
    "0000000000020000000a0a0a2a2a001234000a28000001d6038d2a";

FormatDescription checksummed(Dialect dialect) {
  FormatDescription format;
  format.dialect = dialect;
  format.checksummed = true;
  return format;
}

struct Opened {
  EventHeader header;
  std::vector<std::byte> event;
  Bytes body;
};

// A whole captured event, its checksum verified.
Opened open_event(std::string_view hex, Dialect dialect = Dialect::mysql) {
  Opened opened;
  opened.event = from_hex(hex);
  const auto header = decode_header(opened.event);
  EXPECT_TRUE(header.ok());
  if (header.ok()) opened.header = header.value();
  const auto body = event_body(opened.event, checksummed(dialect), true);
  EXPECT_TRUE(body.ok()) << (body.ok() ? "" : body.error().what);
  if (body.ok()) opened.body = body.value();
  return opened;
}

// Writes size and checksum anew after a test changed an event.
void seal(std::vector<std::byte>& event) {
  const auto size = static_cast<std::uint32_t>(event.size());
  std::memcpy(event.data() + 9, &size, 4);
  const std::uint32_t checksum = crc32_of(Bytes(event).first(event.size() - 4));
  std::memcpy(event.data() + event.size() - 4, &checksum, 4);
}

TEST(HeaderTest, ReadsAllFields) {
  const auto header = decode_header(from_hex(kMysqlDescription));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header.value().type, EventType::format_description);
  EXPECT_EQ(header.value().timestamp, 0x6b0da7d3u);
  EXPECT_EQ(header.value().server_id, 1u);
  EXPECT_EQ(header.value().size, 123u);
  EXPECT_EQ(header.value().log_pos, 127u);
}

TEST(HeaderTest, SizeMustBeThatOfTheBytes) {
  auto event = from_hex(kMysqlDescription);
  for (std::size_t size = 0; size < event.size(); ++size) {
    EXPECT_EQ(decode_header(Bytes(event).first(size)).error().code, Errc::truncated);
  }
  event.push_back({});
  EXPECT_EQ(decode_header(event).error().code, Errc::malformed);
}

TEST(FormatDescriptionTest, OfMysql) {
  const auto format = decode_format_description(from_hex(kMysqlDescription));
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format.value().server_version, "9.7.4-2");
  EXPECT_EQ(format.value().dialect, Dialect::mysql);
  EXPECT_TRUE(format.value().checksummed);
  EXPECT_EQ(format.value().post_header_sizes.size(), 42u);
  EXPECT_EQ(format.value().post_header_size(EventType::table_map), 8);
  EXPECT_EQ(format.value().post_header_size(EventType::write_rows_v2), 10);
  EXPECT_EQ(format.value().post_header_size(EventType::mariadb_gtid), 0);
}

TEST(FormatDescriptionTest, ChecksumFieldStandsEvenWhereChecksumsAreOff) {
  auto event = from_hex(kMysqlDescription);
  event[event.size() - 5] = std::byte{0};
  seal(event);
  const auto format = decode_format_description(event);
  ASSERT_TRUE(format.ok());
  EXPECT_FALSE(format.value().checksummed);
  EXPECT_EQ(format.value().post_header_sizes.size(), 42u);
  const auto body = event_body(event, format.value(), true);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body.value().size(), event.size() - kHeaderSize - 4);
}

TEST(FormatDescriptionTest, InUseFlagIsOutsideTheChecksum) {
  auto event = from_hex(kMysqlDescription);
  event[17] = std::byte{1};
  EXPECT_TRUE(decode_format_description(event).ok());
  event[17] = std::byte{2};
  EXPECT_EQ(decode_format_description(event).error().code, Errc::malformed);
}

TEST(FormatDescriptionTest, RefusesWhatItCannotFollow) {
  auto old = from_hex(kMysqlDescription);
  std::memcpy(old.data() + 21, "5.5.0", 6);
  seal(old);
  EXPECT_EQ(decode_format_description(old).error().code, Errc::unsupported);
  auto algorithm = from_hex(kMysqlDescription);
  algorithm[algorithm.size() - 5] = std::byte{7};
  seal(algorithm);
  EXPECT_EQ(decode_format_description(algorithm).error().code, Errc::unsupported);
}

TEST(ChecksumTest, IsVerifiedOnlyOnRequest) {
  auto event = from_hex("a8a60d6b10010000001f0000001705000000002306000000000000289032fc");
  EXPECT_TRUE(event_body(event, checksummed(Dialect::mysql), true).ok());
  event[20] ^= std::byte{1};
  EXPECT_EQ(event_body(event, checksummed(Dialect::mysql), true).error().code, Errc::malformed);
  const auto body = event_body(event, checksummed(Dialect::mysql), false);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body.value().size(), 8u);
}

// The first event of a stream, before any format description, with and without a checksum.
TEST(RotateTest, MadeUpRotateCarriesAChecksumOrNot) {
  for (const char* hex :
       {"00000000040100000029000000000000002000040000000000000062696e2e30303030363656bdbc6d",
        "00000000040100000025000000000000002000040000000000000062696e2e303030303636"}) {
    for (const bool known : {false, true}) {
      FormatDescription format;
      format.checksummed = known;
      const auto event = from_hex(hex);
      const auto body = event_body(event, format, true);
      ASSERT_TRUE(body.ok());
      const auto rotate = decode_rotate(body.value());
      ASSERT_TRUE(rotate.ok());
      EXPECT_EQ(rotate.value().next_file, "bin.000066");
      EXPECT_EQ(rotate.value().next_position, 4u);
    }
  }
}

TEST(RotateTest, NeedsAFileName) {
  EXPECT_EQ(decode_rotate(from_hex("0400000000000000")).error().code, Errc::malformed);
  EXPECT_EQ(decode_rotate(from_hex("04000000")).error().code, Errc::truncated);
  EXPECT_EQ(decode_rotate(from_hex("04000000000000006201")).error().code, Errc::malformed);
}

TEST(HeartbeatTest, BothForms) {
  const Opened first =
      open_event("000000001b0100000021000000f5000000000062696e2e30303030363631ff5505");
  auto beat = decode_heartbeat(first.header, first.body);
  ASSERT_TRUE(beat.ok());
  EXPECT_EQ(beat.value().file, "bin.000066");
  EXPECT_EQ(beat.value().offset, 245u);

  const Opened second =
      open_event("00000000290100000027000000f50000000000010a62696e2e3030303036360201f500bf468d9e");
  beat = decode_heartbeat(second.header, second.body);
  ASSERT_TRUE(beat.ok());
  EXPECT_EQ(beat.value().file, "bin.000066");
  EXPECT_EQ(beat.value().offset, 245u);
}

TEST(HeartbeatTest, OffsetsAboveTheHeader) {
  EventHeader header;
  header.type = EventType::heartbeat;
  const auto beat = decode_heartbeat(header, from_hex("000000000100000062696e2e31"));
  ASSERT_TRUE(beat.ok());
  EXPECT_EQ(beat.value().offset, std::uint64_t{1} << 32);
  EXPECT_EQ(beat.value().file, "bin.1");
}

TEST(IncidentTest, NumberAndMessage) {
  const auto body = from_hex("0100036f6e65");
  const auto incident = decode_incident(body);
  ASSERT_TRUE(incident.ok());
  EXPECT_EQ(incident.value().number, 1);
  EXPECT_EQ(incident.value().message, "one");
  EXPECT_EQ(decode_incident(from_hex("0100046f6e65")).error().code, Errc::truncated);
}

TEST(XaPrepareTest, SpellsTheName) {
  const Opened two =
      open_event("a8a60d6b260100000026000000681900000000000700000001000000010000006762390bc7ec");
  auto prepare = decode_xa_prepare(two.body);
  ASSERT_TRUE(prepare.ok());
  EXPECT_FALSE(prepare.value().one_phase);
  EXPECT_EQ(prepare.value().xid, "X'67',X'62',7");

  const Opened one =
      open_event("a8a60d6b260100000026000000b41b000000000101000000020000000000000000ffa758e459");
  prepare = decode_xa_prepare(one.body);
  ASSERT_TRUE(prepare.ok());
  EXPECT_TRUE(prepare.value().one_phase);
  EXPECT_EQ(prepare.value().xid, "X'00ff',X'',1");
}

TEST(RoleTest, UnknownTypesStopUnlessIgnorable) {
  EXPECT_EQ(role_of(static_cast<EventType>(99), 0), EventRole::unknown);
  EXPECT_EQ(role_of(static_cast<EventType>(99), kFlagIgnorable), EventRole::harmless);
  EXPECT_EQ(role_of(EventType::incident, 0), EventRole::unknown);
  EXPECT_EQ(role_of(EventType::rand, 0), EventRole::statement_rows);
  EXPECT_EQ(role_of(EventType::write_rows_v2, kFlagIgnorable), EventRole::rows);
  EXPECT_EQ(name_of(static_cast<EventType>(99)), "unknown");
}

TEST(QueryTest, StatusVariablesOfMysql) {
  const Opened opened = open_event(
      "a8a60d6b0201000000790000003821000000000f000000000000000100003c000000000000010400000000000000"
      "060373"
      "746403030002000421002100ff0005062b30323a30300704000c016500114b0600000000000012ff001300650061"
      "6c7465"
      "72207461626c65207a20616464206220696e744dbfeab4");
  const auto query = decode_query(opened.header, opened.body, checksummed(Dialect::mysql));
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query.value().thread_id, 15u);
  EXPECT_EQ(query.value().database, "e");
  EXPECT_EQ(query.value().statement, "alter table z add b int");
  EXPECT_EQ(query.value().sql_mode, 4u);
  EXPECT_EQ(query.value().charset_client, 33);
  EXPECT_EQ(query.value().collation_connection, 33);
  EXPECT_EQ(query.value().collation_server, 255);
  EXPECT_EQ(query.value().lc_time_names, 4);
  EXPECT_EQ(query.value().auto_increment_increment, 3);
  EXPECT_EQ(query.value().auto_increment_offset, 2);
  EXPECT_EQ(query.value().time_zone, "+02:00");
  EXPECT_EQ(query.value().ddl_xid, 1611u);
  EXPECT_EQ(query.value().default_collation_for_utf8mb4, 255);
}

TEST(QueryTest, StatusVariablesOfMariadb) {
  const Opened opened = open_event(
      "bfa60d6b0201000000740000009c1300000000150000000000000001000037000000000001010400000000000000"
      "0603"
      "737464030300020004210021002d0005062b30323a30300704008"
      "08c5003812b090000000000006500616c746572207461626c65207a20616464206220696e74505a2360",
      Dialect::mariadb);
  const auto query = decode_query(opened.header, opened.body, checksummed(Dialect::mariadb));
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query.value().statement, "alter table z add b int");
  EXPECT_EQ(query.value().flags2, 0x1000000u);
  EXPECT_EQ(query.value().collation_server, 45);
  EXPECT_EQ(query.value().microseconds, 217228u);
  EXPECT_EQ(query.value().ddl_xid, 2347u);
}

TEST(QueryTest, CompressedTextSurvivesAMove) {
  const Opened opened = open_event(
      "e8a70d6ba501000000980000004702000000001c0000000000000001000023000000000001010000205400000000"
      "0603"
      "73746404210021002d008157090000000000006500815f789c5dca410e80200c04c0aff4a8af6aaaae4002c5d035"
      "f27c3d"
      "3be7d9078c10da5621e514ef14cc120cd97bbb06227068f04b0d4e7d0ab39ad6ee49e1fd4e598949b59fc5a438d7"
      "17ef5c"
      "24c5825cc293",
      Dialect::mariadb);
  auto query = decode_query(opened.header, opened.body, checksummed(Dialect::mariadb));
  ASSERT_TRUE(query.ok());
  const QueryView moved = std::move(query).value();
  EXPECT_EQ(moved.statement,
            "create table if not exists "
            "compressed_statement_with_a_long_enough_text_aaaaaaaaaaaaaaaa(a int)");
}

TEST(QueryTest, UnknownVariableEndsTheVariablesOnly) {
  // sql_mode, then a code from the future, then the database.
  const auto body =
      from_hex("01000000000000000100000c00010400000000000000c80102640053454c45435431");
  EventHeader header;
  header.type = EventType::query;
  const auto query = decode_query(header, body, checksummed(Dialect::mysql));
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query.value().sql_mode, 4u);
  EXPECT_EQ(query.value().database, "d");
  EXPECT_EQ(query.value().statement, "SELECT1");
}

TEST(PayloadTest, RealTransaction) {
  const Opened opened = open_event(
      "a8a60d6b2801000000c9000000a31f000000000201000301d90101a80028b52ffd20d9fd0400c2c81f2b7055331c"
      "c0f7ff"
      "ffff2fae34a5d3ff0ffa8290a62e470ec0cbebc06ae05ec423b412105bb20d37d97bcb14ff2fab04e17f3a1ace25"
      "fe02c4"
      "94bf0b8e45d7c18536b534a05833b5302f8a906717e1ede3dd88f1819dc471509ef5ab77e029072cd2b6caa4a222"
      "5f4fc3"
      "f3e9295a19009494c08caef82e0d2df9fbb048db020d00a004c40555c0a00f8c11146c83e6c0c547d8c1b21e100f"
      "8c3c00"
      "2f44949cc2");
  const auto payload = decode_transaction_payload(opened.body, 1000);
  ASSERT_TRUE(payload.ok()) << payload.error().what;
  ASSERT_EQ(payload.value().events.size(), 4u);
  const EventType types[] = {EventType::query, EventType::table_map, EventType::write_rows_v2,
                             EventType::xid};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto header = decode_header(payload.value().events[i]);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header.value().type, types[i]);
  }
  // One byte less than it unpacks to.
  EXPECT_EQ(decode_transaction_payload(opened.body, 216).error().code, Errc::unsupported);
  for (std::size_t size = 0; size < opened.body.size(); ++size) {
    EXPECT_FALSE(decode_transaction_payload(opened.body.first(size), 1000).ok()) << size;
  }
}

TEST(PayloadTest, Uncompressed) {
  // One event of 19 bytes and nothing else.
  const std::string event = "00000000030100000013000000000000000000";
  const auto payload = decode_transaction_payload(from_hex("020301fcff0001011300" + event), 19);
  ASSERT_FALSE(payload.ok());  // the value of 255 takes three bytes, which the length must say
  const auto good = decode_transaction_payload(from_hex("0203fcff0001011300" + event), 19);
  ASSERT_TRUE(good.ok()) << good.error().what;
  EXPECT_EQ(good.value().events.size(), 1u);
  EXPECT_EQ(decode_transaction_payload(from_hex("0203fcff0001011300" + event), 18).error().code,
            Errc::unsupported);
}

}  // namespace
}  // namespace wherry::decode
