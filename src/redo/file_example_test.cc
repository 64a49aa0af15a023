// The bytes of a whole file are those that docs/format/redo.md shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "redo/redo_for_tests.h"

namespace wherry::redo {
namespace {

// The bytes on the page: of each line of the block below "## An example" what stands before the
// explanation.
std::string bytes_on_the_page() {
  std::ifstream page("docs/format/redo.md");
  std::string bytes;
  std::string line;
  while (std::getline(page, line) && line != "## An example") {
  }
  while (std::getline(page, line) && line != "```") {
  }
  while (std::getline(page, line) && line != "```") {
    std::istringstream words(line.substr(0, line.find("   ")));
    for (std::string word; words >> word;) bytes += static_cast<char>(std::stoi(word, nullptr, 16));
  }
  return bytes;
}

std::string hex_lines(const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text +=
        fmt::format("{:02x}{}", static_cast<unsigned char>(bytes[i]), i % 16 == 15 ? '\n' : ' ');
  return text;
}

// Transaction 5 with one event, written by an epoch that begins behind transaction 4.
TEST(RedoFile, IsWrittenAsTheFormatsPageShows) {
  MemoryStorage storage;
  const Claim claim = first_claim("shop", 4);
  StreamShape shape;
  shape.last = 5;
  shape.event_bytes = 0;
  TestWriter writer(storage, claim, shape, small_writer());
  ASSERT_TRUE(writer.wait_for(5));
  ASSERT_TRUE(ok(writer->stop()));
  const std::vector<std::byte> file = storage.objects().at(file_name("shop", claim.epoch, 1));
  const std::string bytes(as_text(file));
  EXPECT_EQ(hex_lines(bytes), hex_lines(bytes_on_the_page()));
}

}  // namespace
}  // namespace wherry::redo
