#include "verify/row_text.h"

#include <gtest/gtest.h>

namespace wherry::verify {
namespace {

std::string shown(ColumnClass kind, const std::string& value, const std::string& charset = "") {
  return value_text({"c", kind, charset}, {value.data(), value.size()});
}

TEST(RowText, KeepsNullApart) {
  EXPECT_EQ(value_text({"c", ColumnClass::text, "utf8mb4"}, {}), "NULL");
  EXPECT_EQ(shown(ColumnClass::text, "NULL", "utf8mb4"), "'NULL'");
  EXPECT_EQ(shown(ColumnClass::integer, "-5"), "-5");
}

TEST(RowText, ShowsBytesThatAreNoTextAsHex) {
  EXPECT_EQ(shown(ColumnClass::text, "tüx", "utf8mb4"), "'tüx'");
  EXPECT_EQ(shown(ColumnClass::text, "t\xfcx", "utf8mb4"), "0x74fc78");
  EXPECT_EQ(shown(ColumnClass::text, "t\xfcx", "latin1"), "0x74fc78");
  EXPECT_EQ(shown(ColumnClass::text, "plain", "latin1"), "'plain'");
  EXPECT_EQ(shown(ColumnClass::text, "a\nb", "utf8mb4"), "0x610a62");
  EXPECT_EQ(shown(ColumnClass::binary, "ab"), "0x6162");
  for (const char* bad :
       {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xf0\x80\x80\x80"}) {
    EXPECT_TRUE(shown(ColumnClass::text, bad, "utf8mb4").starts_with("0x")) << bad;
  }
}

TEST(RowText, LongValuesThatDifferLaterLookDifferent) {
  const std::string one(500, 'x');
  std::string other = one;
  other.back() = 'y';
  EXPECT_LT(shown(ColumnClass::text, one, "utf8mb4").size(), 150U);
  EXPECT_NE(shown(ColumnClass::text, one, "utf8mb4"), shown(ColumnClass::text, other, "utf8mb4"));
  EXPECT_NE(shown(ColumnClass::binary, one), shown(ColumnClass::binary, other));
}

TEST(RowText, CutsBetweenCharacters) {
  std::string text(79, 'x');
  for (int i = 0; i < 20; ++i) text += "ü";
  EXPECT_TRUE(
      shown(ColumnClass::text, text, "utf8mb4").starts_with("'" + std::string(79, 'x') + "'..."));
}

}  // namespace
}  // namespace wherry::verify
