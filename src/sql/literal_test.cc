// Values as fields of a LOAD DATA line, and back.

#include "sql/literal.h"

#include <gtest/gtest.h>

namespace wherry::sql {
namespace {

std::string field(std::string_view text) {
  std::string out;
  append_field(out, text);
  return out;
}

TEST(LoadField, EscapesWhatEndsAFieldOrALine) {
  EXPECT_EQ(field(""), "");
  EXPECT_EQ(field("plain"), "plain");
  EXPECT_EQ(field(std::string_view("a\tb\nc\\d\0e", 9)), "a\\tb\\nc\\\\d\\0e");
  EXPECT_EQ(field("\\N"), "\\\\N");
  EXPECT_EQ(field("\xFF\x80\r'\""), "\xFF\x80\r'\"");
}

// One special byte at every place of texts of every length around the width of a block.
TEST(LoadField, FindsASpecialByteAtEveryPlace) {
  for (std::size_t size = 1; size <= 50; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char special : {'\\', '\t', '\n', '\0'}) {
        std::string text(size, 'x');
        text[at] = special;
        const std::string line = field(text);
        ASSERT_EQ(line.size(), size + 1) << size << " " << at;
        std::string_view rest(line);
        std::string back;
        ASSERT_TRUE(take_field(rest, back));
        ASSERT_EQ(back, text);
      }
    }
  }
}

TEST(LoadField, EscapesEveryByteOfALongText) {
  const std::string text(1000, '\n');
  const std::string line = field(text);
  EXPECT_EQ(line.size(), 2000u);
  std::string_view rest(line);
  std::string back;
  EXPECT_TRUE(take_field(rest, back));
  EXPECT_EQ(back, text);
}

TEST(LoadField, TellsNullFromText) {
  std::string line;
  append_null_field(line);
  line += '\t';
  append_field(line, "\\N");
  std::string_view rest(line);
  std::string back;
  EXPECT_FALSE(take_field(rest, back));
  EXPECT_TRUE(take_field(rest, back));
  EXPECT_EQ(back, "\\N");
}

TEST(LoadField, IsSkippedWithoutLookingInside) {
  std::string line = field("a\tb\\") + '\t' + field("\n") + "\t\\N\tlast\n";
  std::string_view rest(line);
  for (int i = 0; i < 3; ++i) skip_field(rest);
  EXPECT_EQ(rest, "last\n");
  skip_field(rest);
  EXPECT_TRUE(rest.empty());
}

TEST(LoadField, TakesNoMoreThanTheRoomHolds) {
  char room[3];
  std::size_t filled = 0;
  EXPECT_EQ(escape_field("ab\t", room, filled), 2u);  // an escape is not cut in two
  EXPECT_EQ(filled, 2u);
  EXPECT_EQ(escape_field("\t", room, filled), 1u);
  EXPECT_EQ(filled, 4u);
  EXPECT_EQ(escape_field("", room, filled), 0u);
}

}  // namespace
}  // namespace wherry::sql
