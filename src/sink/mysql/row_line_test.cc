// A row sent piece by piece is the line that would be sent whole.

#include "sink/mysql/row_line.h"

#include <gtest/gtest.h>

#include <cstring>

#include "dispatch/plan_for_tests.h"
#include "sink/mysql/cell_sql.h"

namespace wherry::sink {
namespace {

class RowLineTest : public ::testing::Test {
 protected:
  RowLineTest() {
    table_.plan = dispatch::plan_of(dispatch::items_table());
    table_.map.columns = {{WireType::long_}, {WireType::blob, 4}};
    table_.wire_of = {0, 1};
  }
  std::vector<decode::Cell> image(const std::string& text) {
    decode::Cell number;
    number.data = reinterpret_cast<const std::byte*>(&id_);
    number.size = sizeof id_;
    number.present = true;
    decode::Cell name;
    name.data = reinterpret_cast<const std::byte*>(text.data());
    name.size = static_cast<std::uint32_t>(text.size());
    name.present = true;
    return {number, name};
  }
  std::string read(const std::vector<decode::Cell>& row, std::size_t room) {
    Result<RowLine> line = RowLine::make(table_, row.data());
    EXPECT_TRUE(line.ok());
    std::string out;
    std::string buffer(room, 'x');
    while (const std::size_t size = line.value().read(buffer.data(), room)) {
      EXPECT_LE(size, room);
      out.append(buffer, 0, size);
    }
    return out;
  }

  std::int32_t id_ = 7;
  dispatch::ResolvedTable table_;
};

TEST_F(RowLineTest, LargeValueIsEscapedWhateverTheRoom) {
  std::string text(100000, 'a');
  for (std::size_t i = 0; i < text.size(); i += 7) text[i] = "\t\n\\\0"[i % 4];
  const auto row = image(text);
  std::string whole = "7\t";
  std::string scratch;
  ASSERT_TRUE(append_cell_field(whole, table_, row.data(), 1, scratch).ok());
  whole += '\n';
  for (const std::size_t room : {2U, 3U, 4096U, 65536U, 1U << 20}) {
    EXPECT_EQ(read(row, room), whole) << room;
  }
}

TEST_F(RowLineTest, SmallValuesAndNull) {
  EXPECT_EQ(read(image("a\tb"), 4096), "7\ta\\tb\n");
  auto row = image("");
  row[1].null = true;
  EXPECT_EQ(read(row, 4), "7\t\\N\n");
}

TEST_F(RowLineTest, MissingColumnIsAnError) {
  auto row = image("a");
  row[1].present = false;
  const Result<RowLine> line = RowLine::make(table_, row.data());
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().code, Errc::unsupported);
}

TEST_F(RowLineTest, SizeOfARowIsThatOfItsCells) {
  EXPECT_EQ(row_bytes(table_, image(std::string(1000, 'a')).data()), 1004U);
}

}  // namespace
}  // namespace wherry::sink
