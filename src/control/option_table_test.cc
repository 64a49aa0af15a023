#include "control/option_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace wherry::control {
namespace {

// A table that records what its setters were given.
class OptionTable : public ::testing::Test {
 protected:
  std::vector<Option> table() {
    const auto keep = [this](std::string name) {
      return [this, name](const std::string& value) -> Status {
        if (value == "bad") return Error{Errc::usage, "it is bad"};
        seen.push_back(name + "=" + value);
        return Unit{};
      };
    };
    return {
        {"source", "URI", "where from", OptionKind::secret_uri, keep("source")},
        {"include", "PATTERN", "which", OptionKind::list, keep("include")},
        {"lanes", "N", "how many", OptionKind::value, keep("lanes")},
        {"resume", "", "go on", OptionKind::toggle, keep("resume")},
        {"config", "FILE", "keys", OptionKind::value, keep("config")},
    };
  }
  Status read(std::vector<std::string> arguments) { return read_options(table(), arguments); }
  Status read_text(std::string_view toml) {
    Result<std::vector<Setting>> settings = read_config(table(), toml, "w.toml");
    if (!settings.ok()) return settings.error();
    return apply_settings(table(), {}, std::move(settings).value());
  }

  std::vector<std::string> seen;
};
using Seen = std::vector<std::string>;

TEST_F(OptionTable, TakesValuesInBothForms) {
  ASSERT_TRUE(read({"--lanes", "3", "--source=mysql://h/"}).ok());
  EXPECT_EQ(seen, (Seen{"source=mysql://h/", "lanes=3"}));
}

TEST_F(OptionTable, TakesAValueThatBeginsWithDashes) {
  ASSERT_TRUE(read({"--include", "--x"}).ok());
  EXPECT_EQ(seen, (Seen{"include=--x"}));
}

TEST_F(OptionTable, GivesListsInTheirOrder) {
  ASSERT_TRUE(read({"--include", "b", "--include=a"}).ok());
  EXPECT_EQ(seen, (Seen{"include=b", "include=a"}));
}

TEST_F(OptionTable, TogglesNeedNoValue) {
  ASSERT_TRUE(read({"--resume"}).ok());
  ASSERT_TRUE(read({"--resume=false"}).ok());
  EXPECT_EQ(seen, (Seen{"resume=true", "resume=false"}));
  EXPECT_FALSE(read({"--resume=maybe"}).ok());
}

TEST_F(OptionTable, NamesTheNearestOfAnUnknownOption) {
  const Status status = read({"--sorce", "x"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Errc::usage);
  EXPECT_EQ(status.error().what, "unknown option --sorce (did you mean --source?)");
}

TEST_F(OptionTable, RefusesWhatIsGivenTwiceAndWhatHasNoValue) {
  EXPECT_FALSE(read({"--lanes", "1", "--lanes", "2"}).ok());
  EXPECT_FALSE(read({"--lanes"}).ok());
  EXPECT_TRUE(seen.empty());
}

TEST_F(OptionTable, NamesTheOptionWhoseValueIsWrong) {
  const Status status = read({"--lanes", "bad"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "--lanes: it is bad");
}

TEST_F(OptionTable, AWordThatIsNoOptionIsRefusedWithoutItsPassword) {
  const Status status = read({"mysql://u:secret-1@h/"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what.find("secret-1"), std::string::npos) << status.error().what;
}

TEST_F(OptionTable, ReadsTheKeysOfAFile) {
  ASSERT_TRUE(
      read_text("source = 'mysql://h/'\ninclude = ['a', 'b']\nlanes = 4\nresume = true\n").ok());
  EXPECT_EQ(seen, (Seen{"source=mysql://h/", "include=a", "include=b", "lanes=4", "resume=true"}));
}

TEST_F(OptionTable, RefusesKeysAndValuesThatItDoesNotKnow) {
  const Status unknown = read_text("\nlane = 4\n");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().what, "unknown key lane in w.toml (line 2) (did you mean lanes?)");
  EXPECT_FALSE(read_text("lanes = [1, 2]").ok());
  EXPECT_FALSE(read_text("[lanes]\nx = 1").ok());
  EXPECT_FALSE(read_text("resume = 'true'").ok());
  EXPECT_FALSE(read_text("config = 'other.toml'").ok());
  EXPECT_FALSE(read_text("lanes = ").ok());
}

TEST_F(OptionTable, TheCommandLineHidesTheFile) {
  const std::string path = std::filesystem::path(::testing::TempDir()) / "wherry_option_table.toml";
  std::ofstream(path) << "lanes = 4\ninclude = ['a', 'b']\n";
  ASSERT_TRUE(read({"--config", path, "--include", "c"}).ok());
  EXPECT_EQ(seen, (Seen{"include=c", "lanes=4", "config=" + path}));
  std::filesystem::remove(path);
}

TEST_F(OptionTable, AMissingFileIsNamed) {
  const Status status = read({"--config", "/nowhere/w.toml"});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("/nowhere/w.toml"), std::string::npos);
}

TEST_F(OptionTable, ReplacesReferencesOnlyInUris) {
  ::setenv("WHERRY_TEST_PASSWORD", "p@ss/w:d%", 1);
  ASSERT_TRUE(read({"--source", "mysql://u:${WHERRY_TEST_PASSWORD}@h/", "--lanes", "${X}"}).ok());
  EXPECT_EQ(seen, (Seen{"source=mysql://u:p%40ss%2Fw%3Ad%25@h/", "lanes=${X}"}));
}

TEST(ExpandReferences, TakesAWholeValueAsItIs) {
  ::setenv("WHERRY_TEST_URI", "mysql://u:p%40@h/", 1);
  const Result<std::string> value = expand_references("${WHERRY_TEST_URI}");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value.value(), "mysql://u:p%40@h/");
}

TEST(ExpandReferences, ReadsAFileWithoutItsLastLineEnd) {
  const std::string path = std::filesystem::path(::testing::TempDir()) / "wherry_secret";
  std::ofstream(path) << "a b\n";
  const Result<std::string> value = expand_references("mysql://u:${file:" + path + "}@h/");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value.value(), "mysql://u:a%20b@h/");
  std::filesystem::remove(path);
}

TEST(ExpandReferences, RefusesWhatIsMissing) {
  ::unsetenv("WHERRY_TEST_NONE");
  EXPECT_FALSE(expand_references("${WHERRY_TEST_NONE}").ok());
  EXPECT_FALSE(expand_references("mysql://${WHERRY_TEST_NONE").ok());
  EXPECT_FALSE(expand_references("${file:/nowhere/secret}").ok());
  EXPECT_FALSE(expand_references("${}").ok());
}

TEST(DescribeOptions, WrapsAtTheWidth) {
  const std::vector<Option> table = {
      {"name", "WORD", "one two three four five six seven eight nine ten", OptionKind::value, {}}};
  const std::string text = describe(table, 60);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 60U);
    start = end + 1;
  }
  EXPECT_NE(text.find("--name WORD"), std::string::npos);
  EXPECT_NE(text.find("ten"), std::string::npos);
}

}  // namespace
}  // namespace wherry::control
