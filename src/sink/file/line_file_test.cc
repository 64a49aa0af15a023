// What is there after a crash, and what is said about it.

#include "sink/file/line_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wherry::sink {
namespace {

class LineFileTest : public ::testing::Test {
 protected:
  LineFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "line_file_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/f.jsonl";
  }
  ~LineFileTest() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string line(std::uint64_t cseq, std::uint64_t row, std::size_t pad = 0) {
    return R"({"op":"insert","db":"d","table":"t","cseq":)" + std::to_string(cseq) + R"(,"row":)" +
           std::to_string(row) + R"(,"after":{"p":")" + std::string(pad, 'x') + "\"}}\n";
  }

  std::string folder_;
  std::string path_;
};

TEST_F(LineFileTest, LastWholeLineSaysWhatIsThere) {
  for (const std::size_t pad : {std::size_t{0}, std::size_t{64 << 10}, std::size_t{200'000}}) {
    const std::string whole = line(3, 1) + line(3, 2, pad) + line(7, 5, pad);
    const std::string torn = line(8, 1, pad);
    for (const std::size_t cut :
         {std::size_t{0}, std::size_t{1}, torn.size() / 2, torn.size() - 1}) {
      put(whole + torn.substr(0, cut));
      LineFile file(path_, {});
      ASSERT_TRUE(file.open().ok());
      EXPECT_TRUE(file.holds({7, 5}));
      EXPECT_TRUE(file.holds({3, 9}));
      EXPECT_FALSE(file.holds({7, 6}));
      EXPECT_FALSE(file.holds({8, 1}));
      EXPECT_EQ(content(), whole);
    }
  }
}

TEST_F(LineFileTest, FileWithoutAWholeLineIsEmpty) {
  put("{\"op\":\"ins");
  LineFile file(path_, {});
  ASSERT_TRUE(file.open().ok());
  EXPECT_FALSE(file.holds({1, 1}));
  EXPECT_EQ(content(), "");
}

TEST_F(LineFileTest, FileOfSomebodyElseIsRefused) {
  put("id,name\n1,cup\n");
  LineFile file(path_, {});
  const Status opened = file.open();
  EXPECT_EQ(opened.error().code, Errc::malformed);
  EXPECT_NE(opened.error().what.find(path_), std::string::npos);
  EXPECT_EQ(content(), "id,name\n1,cup\n");
}

TEST_F(LineFileTest, FileOfStatementsRemembersEachMark) {
  put(line(9, 1) + line(4, 1) + line(6, 1, 100'000) + "{\"op\"");
  LineFile file(path_, {}, true);
  ASSERT_TRUE(file.open().ok());
  EXPECT_TRUE(file.holds({9, 1}));
  EXPECT_TRUE(file.holds({4, 1}));
  EXPECT_TRUE(file.holds({6, 1}));
  EXPECT_FALSE(file.holds({5, 1}));
  EXPECT_EQ(content(), line(9, 1) + line(4, 1) + line(6, 1, 100'000));
}

TEST_F(LineFileTest, GoesOnAfterItGaveItsDescriptorBack) {
  LineFile file(path_, {});
  for (std::uint64_t cseq = 1; cseq <= 3; ++cseq) {
    ASSERT_TRUE(file.open().ok());
    EXPECT_TRUE(cseq == 1 || file.holds({cseq - 1, 1}));
    file.buffer() += line(cseq, 1);
    file.note({cseq, 1});
    ASSERT_TRUE(file.write().ok());
    ASSERT_TRUE(file.sync().ok());
    file.release();
    EXPECT_FALSE(file.is_open());
  }
  EXPECT_EQ(content(), line(1, 1) + line(2, 1) + line(3, 1));
}

TEST_F(LineFileTest, FailuresNameTheFile) {
  LineFile full(path_, {[](int, const void*, std::size_t) -> ssize_t {
                          errno = ENOSPC;
                          return -1;
                        },
                        ::fdatasync});
  ASSERT_TRUE(full.open().ok());
  full.buffer() = "x";
  EXPECT_NE(full.write().error().what.find(path_), std::string::npos);
  LineFile broken(path_, {::write, [](int) {
                            errno = EIO;
                            return -1;
                          }});
  ASSERT_TRUE(broken.open().ok());
  EXPECT_EQ(broken.sync().error().code, Errc::io);
}

TEST_F(LineFileTest, NamesOfFilesTellTablesApart) {
  EXPECT_EQ(file_name_of({"db", "t"}), "db.t.jsonl");
  EXPECT_NE(file_name_of({"a.b", "c"}), file_name_of({"a", "b.c"}));
  EXPECT_EQ(file_name_of({"d", "a/../b"}), "d.a%2F%2E%2E%2Fb.jsonl");
  EXPECT_EQ(file_name_of({"d",
                          "gr\xc3\xb6\xc3\x9f"
                          "e"}),
            "d.gr\xc3\xb6\xc3\x9f"
            "e.jsonl");
  std::string longest;
  for (int i = 0; i < 64; ++i) longest += "\xe4\xb8\xad";
  const std::string name = file_name_of({longest, longest + "1"});
  EXPECT_LE(name.size(), 255u);
  EXPECT_NE(name, file_name_of({longest, longest + "2"}));
}

TEST(LineMark, IsOnlyFoundInLinesOfOurs) {
  const auto mark = mark_of(
      R"({"op":"insert","db":",\"cseq\":9,\"row\":9","table":"t","cseq":12,"row":3,"gtid":null})");
  ASSERT_TRUE(mark.has_value());
  EXPECT_EQ(mark->cseq, 12u);
  EXPECT_EQ(mark->number, 3u);
  EXPECT_FALSE(mark_of("").has_value());
  EXPECT_FALSE(mark_of(R"({"op":"insert"})").has_value());
  EXPECT_FALSE(mark_of(R"({"op":"insert","cseq":x,"row":1})").has_value());
}

}  // namespace
}  // namespace wherry::sink
