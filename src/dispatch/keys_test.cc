// Identities are exact, conflict values err only towards a conflict, and both are the same whether
// a row comes from the stream or from a snapshot.

#include "dispatch/keys.h"

#include <gtest/gtest.h>

#include <cstring>

#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

std::optional<std::string> comparable(const Column& column, std::string_view text,
                                      std::uint32_t prefix = 0) {
  std::string out;
  if (!append_comparable(out, column, text, prefix)) return std::nullopt;
  return out;
}

KeyValue text_value(std::string_view text) { return {text, false, false}; }
KeyValue null_value() { return {{}, true, false}; }

Conflicts conflicts_of(const TablePlan& plan, const std::vector<KeyValue>& values) {
  Conflicts conflicts;
  KeyReader::add_conflicts(plan, values, conflicts);
  return conflicts;
}

TEST(ComparableTest, CaseOfPrintableAsciiIsFolded) {
  for (const char* collation :
       {"utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "latin1_swedish_ci", "utf8mb3_uca1400_ai_ci"}) {
    const Column column = text_column("name", collation);
    EXPECT_TRUE(comparable(column, "Anna")) << collation;
    EXPECT_EQ(comparable(column, "Anna"), comparable(column, "aNNA")) << collation;
    EXPECT_NE(comparable(column, "Anna"), comparable(column, "Annb")) << collation;
  }
}

TEST(ComparableTest, TrailingBlanksAreNothing) {
  const Column column = text_column("name");
  EXPECT_EQ(comparable(column, "a"), comparable(column, "A  "));
  EXPECT_EQ(comparable(column, ""), comparable(column, "   "));
  EXPECT_NE(comparable(column, " a"), comparable(column, "a"));
  const Column binary = text_column("name", "latin1_bin");
  EXPECT_EQ(comparable(binary, "a"), comparable(binary, "a "));
}

TEST(ComparableTest, WhatIsNotPrintableAsciiIsOpaque) {
  const Column column = text_column("name");
  EXPECT_FALSE(comparable(column,
                          "stra\xC3\x9F"
                          "e"));
  EXPECT_FALSE(comparable(column, "a\tb"));
  EXPECT_FALSE(comparable(column, std::string_view("a\0b", 3)));
  EXPECT_FALSE(comparable(column, "a\x7F"));
  EXPECT_TRUE(comparable(column, "~ !"));
}

TEST(ComparableTest, OtherCollationsAreOpaque) {
  EXPECT_FALSE(comparable(text_column("name", "latin1_german2_ci"), "a"));
  EXPECT_FALSE(comparable(text_column("name", "utf8mb4_czech_ci"), "a"));
  EXPECT_FALSE(comparable(text_column("name", "utf16_general_ci"), "a"));
}

TEST(ComparableTest, BinaryCollationKeepsCaseAndBytes) {
  const Column column = text_column("name", "utf8mb4_bin");
  EXPECT_NE(comparable(column, "A"), comparable(column, "a"));
  EXPECT_TRUE(comparable(column, "\xC3\x9F"));
}

TEST(ComparableTest, PrefixesThatAreEqualStayEqual) {
  const Column column = text_column("name");
  EXPECT_EQ(comparable(column, "abcdef", 3), comparable(column, "ABCxyz", 3));
  EXPECT_NE(comparable(column, "abcdef", 4), comparable(column, "abcxyz", 4));
  EXPECT_EQ(comparable(column, "ab", 3), comparable(column, "ab ", 3));
}

TEST(ComparableTest, ZeroHasNoSign) {
  Column column = integer_column("ratio");
  column.kind = ColumnClass::floating;
  EXPECT_EQ(comparable(column, "-0"), comparable(column, "0"));
  EXPECT_NE(comparable(column, "-1"), comparable(column, "1"));
}

TEST(ComparableTest, PartsDoNotRunTogether) {
  const Column column = text_column("name");
  std::string one, other;
  append_comparable(one, column, "ab", 0);
  append_comparable(one, column, "c", 0);
  append_comparable(other, column, "a", 0);
  append_comparable(other, column, "bc", 0);
  EXPECT_NE(one, other);
}

TEST(ConflictsTest, OneValueForEachUniqueKey) {
  const PlanPtr plan = plan_of(items_table());
  const auto one = conflicts_of(*plan, {text_value("1"), text_value("Bolt")});
  const auto two = conflicts_of(*plan, {text_value("2"), text_value("bolt ")});
  ASSERT_EQ(one.values.size(), 2u);
  ASSERT_EQ(two.values.size(), 2u);
  EXPECT_NE(one.values[0], two.values[0]);
  EXPECT_EQ(one.values[1], two.values[1]);
  EXPECT_FALSE(one.opaque);
}

TEST(ConflictsTest, NullNeverClashes) {
  const PlanPtr plan = plan_of(items_table());
  const auto conflicts = conflicts_of(*plan, {text_value("1"), null_value()});
  EXPECT_EQ(conflicts.values.size(), 1u);
  EXPECT_FALSE(conflicts.opaque);
}

TEST(ConflictsTest, ValueThatIsUnknownMakesTheRowOpaque) {
  const PlanPtr plan = plan_of(items_table());
  EXPECT_TRUE(conflicts_of(*plan, {text_value("1"), {{}, false, true}}).opaque);
  EXPECT_TRUE(conflicts_of(*plan, {text_value("1"), text_value("\xC3\xA9")}).opaque);
  Table functional = items_table();
  functional.indexes[1].functional = true;
  EXPECT_TRUE(conflicts_of(*plan_of(functional), {text_value("1"), text_value("a")}).opaque);
}

TEST(ConflictsTest, EqualValuesOfTwoKeysOrTablesDoNotClash) {
  Table table = items_table();
  table.columns[0] = text_column("code");
  table.columns[0].nullable = false;
  const auto same = conflicts_of(*plan_of(table), {text_value("a"), text_value("a")});
  ASSERT_EQ(same.values.size(), 2u);
  EXPECT_NE(same.values[0], same.values[1]);
  const auto other = conflicts_of(*plan_of(table, 4), {text_value("a"), text_value("a")});
  EXPECT_NE(same.values[0], other.values[0]);
}

// A table map of (INT, VARCHAR) joined with its plan, and cells over bytes that it keeps.
class KeyReaderTest : public ::testing::Test {
 protected:
  KeyReaderTest() {
    table_.plan = plan_;
    table_.map.columns = {{WireType::long_}, {WireType::varchar, 80}};
    table_.wire_of = {0, 1};
  }
  std::vector<decode::Cell> image(std::int32_t id, const char* name) {
    numbers_.push_back(std::make_unique<std::int32_t>(id));
    decode::Cell number;
    number.data = reinterpret_cast<const std::byte*>(numbers_.back().get());
    number.size = 4;
    number.present = true;
    decode::Cell text;
    text.present = true;
    text.null = name == nullptr;
    if (name != nullptr) {
      text.data = reinterpret_cast<const std::byte*>(name);
      text.size = static_cast<std::uint32_t>(std::strlen(name));
    }
    return {number, text};
  }

  PlanPtr plan_ = plan_of(items_table());
  ResolvedTable table_;
  KeyReader keys_;
  std::vector<std::unique_ptr<std::int32_t>> numbers_;
};

TEST_F(KeyReaderTest, StreamAndSnapshotAgree) {
  const std::vector<KeyValue> snapshot = {text_value("-12"), text_value("Bolt")};
  const auto from_stream = keys_.identity(table_, image(-12, "Bolt"));
  ASSERT_TRUE(from_stream.ok());
  EXPECT_EQ(from_stream.value(), KeyReader::identity(*plan_, snapshot));
  EXPECT_FALSE(from_stream.value() ==
               KeyReader::identity(*plan_, std::vector<KeyValue>{text_value("12"), {}}));
  Conflicts conflicts;
  ASSERT_TRUE(keys_.add_conflicts(table_, image(-12, "Bolt"), conflicts).ok());
  EXPECT_EQ(conflicts.values, conflicts_of(*plan_, snapshot).values);
}

TEST_F(KeyReaderTest, KeyThatIsMissingIsAnError) {
  auto cells = image(1, "a");
  cells[0].present = false;
  const auto identity = keys_.identity(table_, cells);
  ASSERT_FALSE(identity.ok());
  EXPECT_EQ(identity.error().code, Errc::unsupported);
  EXPECT_NE(identity.error().what.find("`id`"), std::string::npos);
}

TEST_F(KeyReaderTest, UniqueValueThatIsMissingIsOpaque) {
  auto cells = image(1, "a");
  cells[1].present = false;
  Conflicts conflicts;
  ASSERT_TRUE(keys_.add_conflicts(table_, cells, conflicts).ok());
  EXPECT_TRUE(conflicts.opaque);
}

TEST_F(KeyReaderTest, NullIsNoConflict) {
  Conflicts conflicts;
  ASSERT_TRUE(keys_.add_conflicts(table_, image(1, nullptr), conflicts).ok());
  EXPECT_EQ(conflicts.values.size(), 1u);
  EXPECT_FALSE(conflicts.opaque);
}

}  // namespace
}  // namespace wherry::dispatch
