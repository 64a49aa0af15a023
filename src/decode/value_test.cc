// Values that no capture holds: bytes a server never writes must be refused, and text must stand
// where it is. What servers do write is in captures_test.

#include "decode/value.h"

#include <gtest/gtest.h>

#include "decode/hex_for_tests.h"

namespace wherry::decode {
namespace {

Cell cell_of(const std::vector<std::byte>& bytes) {
  Cell cell;
  cell.data = bytes.data();
  cell.size = static_cast<std::uint32_t>(bytes.size());
  cell.present = true;
  return cell;
}

std::string text_of(const ColumnShape& shape, std::string_view hex) {
  const auto bytes = from_hex(hex);
  std::string text;
  const Status done = append_text(shape, cell_of(bytes), text);
  return done.ok() ? text : "error: " + done.error().what;
}

ColumnShape shape_of(WireType type, std::uint16_t meta = 0, bool is_unsigned = false) {
  ColumnShape shape;
  shape.type = type;
  shape.meta = meta;
  shape.is_unsigned = is_unsigned;
  return shape;
}

std::string json_of(std::string_view hex) {
  std::string text;
  const Status done = append_json(from_hex(hex), text);
  return done.ok() ? text : "error: " + done.error().what;
}

TEST(ValueTest, TextStandsInTheEvent) {
  const auto bytes = from_hex("61622020");
  const Cell cell = cell_of(bytes);
  for (const WireType type : {WireType::varchar, WireType::blob, WireType::string, WireType::bit,
                              WireType::geometry, WireType::vector}) {
    const auto raw = raw_text(shape_of(type, 4), cell);
    ASSERT_TRUE(raw.has_value());
    EXPECT_EQ(static_cast<const void*>(raw->data()), bytes.data());
    EXPECT_EQ(*raw, "ab  ");
  }
  EXPECT_FALSE(raw_text(shape_of(WireType::long_), cell).has_value());
}

TEST(ValueTest, FixedBinaryIsPaddedAndFixedTextIsNot) {
  ColumnShape shape = shape_of(WireType::string, 4);
  EXPECT_EQ(text_of(shape, "41"), "A");
  shape.fixed_binary = true;
  EXPECT_EQ(text_of(shape, "41"), std::string("A\0\0\0", 4));
  EXPECT_EQ(text_of(shape, "41424344"), "ABCD");
}

TEST(ValueTest, AppendsBehindWhatIsThere) {
  std::string text = "x";
  const auto bytes = from_hex("07");
  ASSERT_TRUE(append_text(shape_of(WireType::tiny), cell_of(bytes), text).ok());
  EXPECT_EQ(text, "x7");
}

TEST(ValueTest, WrongSizesAreRefused) {
  for (const WireType type :
       {WireType::tiny, WireType::long_, WireType::longlong, WireType::double_, WireType::date,
        WireType::datetime2, WireType::time2, WireType::timestamp2, WireType::year}) {
    EXPECT_EQ(text_of(shape_of(type), ""), "error: cell of a wrong size");
    EXPECT_EQ(text_of(shape_of(type), "010203040506070809"), "error: cell of a wrong size");
  }
  EXPECT_EQ(text_of(shape_of(WireType::null), ""), "error: cell of a wrong size");
}

TEST(ValueTest, ImpossibleDatesAndTimesAreRefused) {
  EXPECT_EQ(text_of(shape_of(WireType::date), "ffffff"), "error: DATE out of range");
  EXPECT_EQ(text_of(shape_of(WireType::datetime2), "0000000000"), "error: DATETIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::datetime2), "ffffffffff"), "error: DATETIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::datetime2, 2), "800000000064"),
            "error: DATETIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::time2), "ffffff"), "error: TIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::time2), "000000"), "error: TIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::timestamp2, 6), "00000001ffffff"),
            "error: TIMESTAMP out of range");
  EXPECT_EQ(text_of(shape_of(WireType::datetime), "ffffffffffffffff"),
            "error: DATETIME out of range");
  EXPECT_EQ(text_of(shape_of(WireType::time), "ffff7f"), "error: TIME out of range");
}

TEST(ValueTest, SmallestNegativeTimes) {
  EXPECT_EQ(text_of(shape_of(WireType::time2, 2), "7ffffff6"), "-00:00:00.10");
  EXPECT_EQ(text_of(shape_of(WireType::time2, 1), "7ffffff6"), "-00:00:00.1");
  EXPECT_EQ(text_of(shape_of(WireType::time2, 6), "7fffffffffff"), "-00:00:00.000001");
}

TEST(ValueTest, LateTimestampsOfMariadb) {
  EXPECT_EQ(text_of(shape_of(WireType::timestamp2), "ffffffff"), "2106-02-07 06:28:15");
}

TEST(ValueTest, DecimalDigitsAreChecked) {
  const auto shape = shape_of(WireType::newdecimal, 4 << 8 | 2);
  EXPECT_EQ(text_of(shape, "8c22"), "12.34");
  EXPECT_EQ(text_of(shape, "73dd"), "-12.34");
  EXPECT_EQ(text_of(shape, "8c64"), "error: DECIMAL digits");
  EXPECT_EQ(text_of(shape, "e422"), "error: DECIMAL digits");
}

TEST(ValueTest, NumbersThatAreNoneAreRefused) {
  EXPECT_EQ(text_of(shape_of(WireType::double_, 8), "000000000000f07f"),
            "error: number that is not finite");
  EXPECT_EQ(text_of(shape_of(WireType::float_, 4), "0000c07f"), "error: number that is not finite");
}

TEST(ValueTest, AddressesLongerThanTheirType) {
  ColumnShape shape = shape_of(WireType::string, 4);
  shape.flavor = WireFlavor::inet4;
  EXPECT_EQ(text_of(shape, "0a"), "10.0.0.0");
  EXPECT_EQ(text_of(shape, "0a00000001"), "error: fixed string longer than its type");
}

// Version 7, kept as written by servers since 10.11.5 and reversed by older ones.
TEST(ValueTest, UuidsOfOldServers) {
  ColumnShape shape = shape_of(WireType::string, 16);
  shape.flavor = WireFlavor::uuid;
  const std::string uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
  EXPECT_EQ(text_of(shape, "01890a5dac96774bbcceb302099a8057"), uuid);
  EXPECT_EQ(text_of(shape, "b302099a8057bcce774bac9601890a5d"), uuid);
}

TEST(ValueTest, CompressedColumns) {
  const auto shape = shape_of(WireType::blob_compressed, 2);
  EXPECT_EQ(text_of(shape, ""), "");
  EXPECT_EQ(text_of(shape, "00616263"), "abc");
  EXPECT_EQ(text_of(shape, "70616263"), "error: COMPRESSED column: unknown method");
  EXPECT_EQ(text_of(shape, "84ffffffff78"), "error: compressed bytes: length out of range");
  EXPECT_EQ(text_of(shape, "8405"), "error: COMPRESSED column");
}

TEST(JsonTest, Scalars) {
  EXPECT_EQ(json_of(""), "null");
  EXPECT_EQ(json_of("0400"), "null");
  EXPECT_EQ(json_of("0401"), "true");
  EXPECT_EQ(json_of("05ffff"), "-1");
  EXPECT_EQ(json_of("0bb81e85eb51b81e40"), "7.68");
  EXPECT_EQ(json_of("0b0000000000002e40"), "15.0");
  EXPECT_EQ(json_of("0c03612262"), "\"a\\\"b\"");
  EXPECT_EQ(json_of("0c020101"), "\"\\u0001\\u0001\"");
  EXPECT_EQ(json_of("0ff60404028c22"), "12.34");
}

TEST(JsonTest, MalformedDocuments) {
  for (const char* hex : {"00", "0403", "05ff", "0c05", "0c0561", "0cffffffffff", "0d00", "0f",
                          "0ff6024201", "0f0c0101", "0b000000000000f07f",
                          "00010005000000",       // entries beyond the size
                          "0201000700020500",     // a value outside its array
                          "0201000700020000"}) {  // an array that holds itself
    EXPECT_EQ(json_of(hex), "error: binary JSON") << hex;
  }
}

// Fifty arrays, each of which names the next one twice: 2^50 values in a few hundred bytes.
TEST(JsonTest, SharedValuesDoNotMultiply) {
  const auto two = [](unsigned value) {
    return std::string{static_cast<char>(value & 0xFF), static_cast<char>(value >> 8)};
  };
  std::string document(1, '\x02');
  constexpr unsigned kLevels = 50;
  for (unsigned level = 0; level < kLevels; ++level) {
    const unsigned size = (kLevels - level) * 10;
    document += two(2) + two(size);
    for (int i = 0; i < 2; ++i)
      document += (level + 1 < kLevels ? '\x02' : '\x04') + two(level + 1 < kLevels ? 10 : 0);
  }
  std::string text;
  EXPECT_FALSE(append_json(as_bytes(document), text).ok());
  EXPECT_LT(text.size(), 10 * document.size());
}

TEST(JsonTest, DepthIsLimited) {
  std::string document(1, '\x02');
  constexpr unsigned kLevels = 4000;
  for (unsigned level = 0; level < kLevels; ++level) {
    const unsigned size = (kLevels - level) * 7;
    for (const unsigned part : {1u, size}) {
      document += static_cast<char>(part & 0xFF);
      document += static_cast<char>(part >> 8);
    }
    document += std::string("\x02\x07\x00", 3);
  }
  std::string text;
  EXPECT_FALSE(append_json(as_bytes(document), text).ok());
  EXPECT_LT(text.size(), 200u);
}

}  // namespace
}  // namespace wherry::decode
