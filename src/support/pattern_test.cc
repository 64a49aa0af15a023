#include "support/pattern.h"

#include <gtest/gtest.h>

namespace wherry {
namespace {

Pattern pattern_of(std::string_view text) {
  Result<Pattern> parsed = Pattern::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? std::move(parsed).value() : Pattern();
}

bool matches(std::string_view pattern, std::string_view database, std::string_view table,
             NameCase name_case = NameCase::exact) {
  return pattern_of(pattern).matches(database, table, name_case);
}

std::vector<Pattern> list_of(std::string_view lines) {
  Result<std::vector<Pattern>> parsed = parse_pattern_lines(lines);
  EXPECT_TRUE(parsed.ok());
  return parsed.ok() ? std::move(parsed).value() : std::vector<Pattern>();
}

TEST(Pattern, NamesAndWildcards) {
  EXPECT_TRUE(matches("shop.orders", "shop", "orders"));
  EXPECT_FALSE(matches("shop.orders", "shop", "orders2"));
  EXPECT_TRUE(matches("shop", "shop", "anything"));
  EXPECT_TRUE(matches("*.log_*", "any", "log_"));
  EXPECT_FALSE(matches("*.log_*", "any", "blog_1"));
  EXPECT_TRUE(matches("shop_??.*", "shop_01", "t"));
  EXPECT_FALSE(matches("shop_??.*", "shop_1", "t"));
  EXPECT_TRUE(matches("a.*b*c", "a", "xbxbxc"));
  EXPECT_FALSE(matches("a.*b*c", "a", "xbxbx"));
  EXPECT_TRUE(matches("a.**", "a", ""));
}

TEST(Pattern, OneQuestionMarkIsOneCharacter) {
  EXPECT_TRUE(matches("a.?x", "a", "\xc3\xa9x"));
  EXPECT_FALSE(matches("a.??x", "a", "\xc3\xa9x"));
  EXPECT_TRUE(matches("a.?", "a", "\xff"));
}

TEST(Pattern, EscapesAndQuotes) {
  EXPECT_TRUE(matches("a.x\\*", "a", "x*"));
  EXPECT_FALSE(matches("a.x\\*", "a", "xy"));
  EXPECT_TRUE(matches("a\\.b.c", "a.b", "c"));
  EXPECT_TRUE(matches("`a.b`.`c``*`", "a.b", "c`*"));
  EXPECT_FALSE(matches("`a.b`.`c*`", "a.b", "cx"));
  EXPECT_TRUE(matches("\\!x.y", "!x", "y"));
}

TEST(Pattern, CaseOnlyWhereAsked) {
  EXPECT_FALSE(matches("Shop.Orders", "shop", "orders"));
  EXPECT_TRUE(matches("Shop.Orders", "shop", "oRDERS", NameCase::ignored));
}

TEST(Pattern, RefusesWhatIsNone) {
  for (const char* text :
       {"", "!", "a.", ".b", "a.b.c", "a.`b", "`a`b.c", "a.b\\", "``.x", "a..b"}) {
    EXPECT_FALSE(Pattern::parse(text).ok()) << text;
  }
}

TEST(Pattern, LongRunsOfWildcardsStayCheap) {
  std::string text = "a.";
  for (int i = 0; i < 500; ++i) text += "*x";
  EXPECT_FALSE(matches(text, "a", std::string(400, 'x')));
}

TEST(Pattern, FilesOfPatterns) {
  const std::vector<Pattern> list = list_of("# shops\nshop.*\r\n\n  !shop.tmp_*\n");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[1].negated());
  const Result<std::vector<Pattern>> broken = parse_pattern_lines("a.b\n\na.b.c\n");
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().what.find("line 3"), std::string::npos);
}

TEST(Selection, NothingGivenHoldsEverything) {
  EXPECT_TRUE(Selection().holds("a", "b"));
  EXPECT_TRUE(Selection().touches("a"));
}

TEST(Selection, IncludesThenExcludes) {
  const Selection selection(list_of("shop.*\n!shop.tmp_*\nshop.tmp_keep"), list_of("shop.secret"),
                            NameCase::exact);
  EXPECT_TRUE(selection.holds("shop", "orders"));
  EXPECT_FALSE(selection.holds("shop", "tmp_1"));
  EXPECT_TRUE(selection.holds("shop", "tmp_keep"));
  EXPECT_FALSE(selection.holds("shop", "secret"));
  EXPECT_FALSE(selection.holds("other", "orders"));
  EXPECT_TRUE(selection.touches("shop"));
  EXPECT_FALSE(selection.touches("other"));
}

TEST(Selection, OnlyNegatedIncludesStartFromEverything) {
  const Selection selection(list_of("!shop.tmp_*"), {}, NameCase::exact);
  EXPECT_TRUE(selection.holds("any", "t"));
  EXPECT_FALSE(selection.holds("shop", "tmp_1"));
}

TEST(Selection, WholeDatabases) {
  const Selection selection({}, list_of("old.*\nlog.x"), NameCase::ignored);
  EXPECT_FALSE(selection.touches("OLD"));
  EXPECT_TRUE(selection.touches("log"));
  EXPECT_FALSE(selection.holds("Old", "t"));
  EXPECT_TRUE(selection.holds("log", "y"));
}

TEST(Selection, NarrowedHoldsWhatIsHeldAndNamed) {
  Selection selection({}, list_of("shop.secret"), NameCase::exact);
  selection.narrow(list_of("shop.*\n!shop.tmp_*\nlog.x"));
  EXPECT_TRUE(selection.holds("shop", "orders"));
  EXPECT_FALSE(selection.holds("shop", "secret"));
  EXPECT_FALSE(selection.holds("shop", "tmp_1"));
  EXPECT_TRUE(selection.holds("log", "x"));
  EXPECT_FALSE(selection.holds("log", "y"));
  // What drops a database drops tables that are not named.
  EXPECT_FALSE(selection.touches("shop"));
  EXPECT_FALSE(selection.touches("log"));
  selection.narrow(list_of("shop.*"));
  EXPECT_TRUE(selection.touches("shop"));
  EXPECT_FALSE(selection.touches("log"));
}

}  // namespace
}  // namespace wherry
