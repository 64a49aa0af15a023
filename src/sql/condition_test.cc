#include "sql/condition.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "sql/text_rule.h"

namespace wherry::sql {
namespace {

Column column(std::string name, ColumnClass kind, std::string collation = "") {
  Column out;
  out.name = std::move(name);
  out.kind = kind;
  out.collation = std::move(collation);
  out.charset = out.collation.substr(0, out.collation.find('_'));
  return out;
}

std::vector<ConditionColumn> columns() {
  ConditionColumn state{column("state", ColumnClass::enumeration, "utf8mb4_general_ci"),
                        {"new", "it's", "Paid"}};
  ConditionColumn made{column("made", ColumnClass::integer), {}};
  made.column.generated = true;
  return {{column("n", ColumnClass::integer), {}},
          {column("price", ColumnClass::decimal), {}},
          {column("ratio", ColumnClass::floating), {}},
          {column("bits", ColumnClass::bit), {}},
          {column("y", ColumnClass::year), {}},
          {column("d", ColumnClass::date), {}},
          {column("at", ColumnClass::datetime), {}},
          {column("span", ColumnClass::time), {}},
          {column("name", ColumnClass::text, "utf8mb4_general_ci"), {}},
          {column("uca", ColumnClass::text, "utf8mb4_0900_ai_ci"), {}},
          {column("cased", ColumnClass::text, "utf8mb4_0900_as_cs"), {}},
          {column("code", ColumnClass::text, "utf8mb4_bin"), {}},
          {column("latin", ColumnClass::text, "latin1_swedish_ci"), {}},
          {column("han", ColumnClass::text, "gbk_chinese_ci"), {}},
          {column("raw", ColumnClass::binary), {}},
          {column("doc", ColumnClass::json), {}},
          state,
          made};
}

using Row = std::map<std::string, std::optional<std::string>>;

Result<Truth> judge(const std::string& text, const Row& row) {
  const Result<Condition> condition = Condition::parse(text);
  if (!condition.ok()) return condition.error();
  const std::vector<ConditionColumn> all = columns();
  const Result<BoundCondition> bound = condition.value().bind(all);
  if (!bound.ok()) return bound.error();
  std::vector<ConditionValue> values;
  for (const std::size_t at : bound.value().columns()) {
    const auto found = row.find(all[at].column.name);
    const bool null = found == row.end() || !found->second;
    values.push_back({null ? std::string_view() : std::string_view(*found->second), null});
  }
  return bound.value().evaluate(values);
}

char answer(const std::string& text, const Row& row) {
  const Result<Truth> truth = judge(text, row);
  if (!truth.ok()) return truth.error().code == Errc::unsupported ? '!' : 'E';
  constexpr char kLetters[] = {'n', '?', 'y'};
  return kLetters[static_cast<std::size_t>(truth.value())];
}

std::string refusal(const std::string& text) {
  const Result<Truth> truth = judge(text, {});
  return truth.ok() ? "" : truth.error().what;
}

struct Case {
  const char* text;
  Row row;
  char answer;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) EXPECT_EQ(answer(one.text, one.row), one.answer) << one.text;
}

TEST(Condition, ComparesNumbersExactly) {
  expect_all({
      {"n = 18446744073709551615", {{"n", "18446744073709551615"}}, 'y'},
      {"n > 18446744073709551614", {{"n", "18446744073709551615"}}, 'y'},
      {"n < 9223372036854775808", {{"n", "-9223372036854775808"}}, 'y'},
      {"n = -0", {{"n", "0"}}, 'y'},
      {"n >= 2.5", {{"n", "2"}}, 'n'},
      {"n BETWEEN 2 AND 4", {{"n", "4"}}, 'y'},
      {"n NOT BETWEEN 2 AND 4", {{"n", "4"}}, 'n'},
      {"5 > n", {{"n", "4"}}, 'y'},
      {"5 <= n", {{"n", "4"}}, 'n'},
      {"price = 0.1", {{"price", "0.10"}}, 'y'},
      {"price = .1", {{"price", "0.1000"}}, 'y'},
      {"price < 0.10000000000000000000000000001", {{"price", "0.1"}}, 'y'},
      {"price > -12.5", {{"price", "-12.49"}}, 'y'},
      {"price <> 007", {{"price", "7.00"}}, 'n'},
      {"ratio = 0.1", {{"ratio", "0.10000000149011612"}}, 'n'},
      {"ratio >= 1e3", {{"ratio", "1000"}}, 'y'},
      {"n = 1e3", {{"n", "1000"}}, 'y'},
      {"bits = 257", {{"bits", std::string("\x01\x01", 2)}}, 'y'},
      {"bits = b'101'", {{"bits", std::string("\x05", 1)}}, 'y'},
      {"y = 2024", {{"y", "2024"}}, 'y'},
      {"n IN (1, 2, 3)", {{"n", "3"}}, 'y'},
      {"n NOT IN (1, 2, 3)", {{"n", "3"}}, 'n'},
      {"n", {{"n", "0"}}, 'n'},
      {"NOT n", {{"n", "0"}}, 'y'},
      {"n <> price", {{"n", "2"}, {"price", "2.00"}}, 'n'},
      {"ratio > n", {{"n", "2"}, {"ratio", "2.5"}}, 'y'},
  });
}

TEST(Condition, KnowsThreeTruths) {
  const Row null{{"n", std::nullopt}, {"price", "1"}};
  expect_all({
      {"n = 1", null, '?'},
      {"NOT n = 1", null, '?'},
      {"n = NULL", {{"n", "1"}}, '?'},
      {"n <=> NULL", null, 'y'},
      {"n <=> 1", null, 'n'},
      {"NULL <=> n", null, 'y'},
      {"n IS NULL", null, 'y'},
      {"n IS NOT NULL", null, 'n'},
      {"doc IS NULL", {{"doc", "{}"}}, 'n'},
      {"n = 1 OR price = 1", null, 'y'},
      {"n = 1 OR price = 2", null, '?'},
      {"n = 1 AND price = 1", null, '?'},
      {"n = 1 AND price = 2", null, 'n'},
      {"n IN (1, NULL)", {{"n", "2"}}, '?'},
      {"n NOT IN (1, NULL)", {{"n", "2"}}, '?'},
      {"n NOT IN (1, NULL)", {{"n", "1"}}, 'n'},
      {"n BETWEEN 1 AND NULL", {{"n", "0"}}, 'n'},
      {"n LIKE 'x'", null, 'E'},
      {"name LIKE 'x'", null, '?'},
      {"TRUE", null, 'y'},
      {"FALSE OR n IS NULL", null, 'y'},
  });
}

TEST(Condition, BindsAsTightlyAsTheServers) {
  const Row row{{"n", "1"}, {"price", "2"}};
  expect_all({
      {"n = 1 OR n = 2 AND price = 3", row, 'y'},
      {"(n = 1 OR n = 2) AND price = 3", row, 'n'},
      {"NOT n = 1 AND price = 3", row, 'n'},
      {"NOT (n = 1 AND price = 3)", row, 'y'},
      {"n BETWEEN 0 AND 1 AND price = 2", row, 'y'},
      {"not not n = 1", row, 'y'},
  });
}

TEST(Condition, ComparesTimes) {
  expect_all({
      {"d >= '2024-02-29'", {{"d", "2024-02-29"}}, 'y'},
      {"d < DATE '2024-03-01'", {{"d", "2024-02-29"}}, 'y'},
      {"d < '2024-02-29 00:00:01'", {{"d", "2024-02-29"}}, 'y'},
      {"at > '2024-02-29'", {{"at", "2024-02-29 00:00:00.001"}}, 'y'},
      {"at = '2024-02-29 12:00:00'", {{"at", "2024-02-29 12:00:00.000"}}, 'y'},
      {"at > d", {{"at", "2024-02-29 12:00:00"}, {"d", "2024-02-29"}}, 'y'},
      {"d = '0000-00-00'", {{"d", "0000-00-00"}}, 'y'},
      {"span < '-01:00:00'", {{"span", "-100:00:00.5"}}, 'y'},
      {"span = '838:59:59'", {{"span", "838:59:59.000"}}, 'y'},
      {"d = '2023-02-29'", {}, 'E'},
      {"d = 20240229", {}, 'E'},
      {"d = '2024-2-9'", {}, 'E'},
      {"span = '1:00'", {}, 'E'},
  });
}

TEST(Condition, ComparesTextsByTheirCollation) {
  expect_all({
      {"name = 'paid'", {{"name", "PAID  "}}, 'y'},
      {"name < '_'", {{"name", "z"}}, 'y'},  // letters count as capitals, which stand before it
      {"name = 'paid'", {{"name", "Zürich"}}, 'n'},
      {"name = 'paid'", {{"name", "päid"}}, '!'},
      {"name = 'paid' OR n = 1", {{"name", "päid"}, {"n", "1"}}, 'y'},
      {"name = 'paid' AND n = 1", {{"name", "päid"}, {"n", "2"}}, 'n'},
      {"uca = 'paid'", {{"uca", "Paid"}}, 'y'},
      {"uca = 'paid'", {{"uca", "paid "}}, 'n'},  // no padding
      {"uca > 'pa'", {{"uca", "paid"}}, 'y'},
      {"uca < 'a-'", {{"uca", "a_"}}, '!'},  // how signs are ordered is the server's secret
      {"uca < 'b-'", {{"uca", "a_"}}, 'y'},
      {"cased = 'paid'", {{"cased", "Paid"}}, 'n'},
      {"cased <> 'paid'", {{"cased", "paid"}}, 'n'},
      {"code = 'ä'", {{"code", "ä"}}, 'y'},
      {"code < 'ä'", {{"code", "z"}}, 'y'},
      {"code = 'a'", {{"code", "a   "}}, 'y'},
      {"code > 'a'", {{"code", "a\t"}}, 'n'},
      {"BINARY code = 'a'", {{"code", "a   "}}, 'n'},
      {"name COLLATE utf8mb4_bin = 'Paid'", {{"name", "paid"}}, 'n'},
      {"latin = 'OSLO'", {{"latin", "oslo"}}, 'y'},
      {"raw = 'a'", {{"raw", "a "}}, 'n'},
      {"raw = x'61FF'", {{"raw", "a\xFF"}}, 'y'},
      {"state = 'PAID'", {{"state", "3"}}, 'y'},
      {"state IN ('new', 'it''s')", {{"state", "2"}}, 'y'},
      {"state = ''", {{"state", "0"}}, 'y'},
      {"name = uca", {}, 'E'},
  });
}

TEST(Condition, MatchesLike) {
  expect_all({
      {"name LIKE 'P%d'", {{"name", "paid"}}, 'y'},
      {"name NOT LIKE 'P%d'", {{"name", "paid"}}, 'n'},
      {"name LIKE 'p__d'", {{"name", "pööd"}}, 'y'},
      {"name LIKE '%ab%ac'", {{"name", "xababac"}}, 'y'},
      {"name LIKE '%ab%ac'", {{"name", "xababab"}}, 'n'},
      {"name LIKE 'a'", {{"name", "a "}}, 'n'},
      {"name LIKE '50\\%'", {{"name", "50%"}}, 'y'},
      {"name LIKE '50\\%'", {{"name", "500"}}, 'n'},
      {"name LIKE '50|%' ESCAPE '|'", {{"name", "50%"}}, 'y'},
      {"name LIKE '%'", {{"name", ""}}, 'y'},
      {"name LIKE ''", {{"name", "x"}}, 'n'},
      {"name LIKE 'a%'", {{"name", "ä"}}, '!'},
      {"code LIKE '_ä%'", {{"code", "öäx"}}, 'y'},
      {"code LIKE 'a%'", {{"code", "ä"}}, 'n'},
  });
}

TEST(Condition, SaysWhatItDoesNotCompare) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"nope = 1", "no column `nope`"}, {"made = 1", "generated"},
      {"n = 'x'", "a number"},          {"name = 1", "a string"},
      {"doc = 'x'", "IS NULL"},         {"name = 'ä'", "BINARY `name`"},
      {"cased < 'a'", "order"},         {"han = 'a'", "gbk"},
      {"state < 'new'", "ENUM"},        {"BINARY n = 1", "no text"},
      {"name = x'41'", "BINARY"},       {"1 = 1", "no column"},
      {"y = 24", "a number"},           {"name COLLATE latin1_bin = 'x'", "latin1_bin"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_NE(refusal(text).find(part), std::string::npos) << text << ": " << refusal(text);
}

TEST(Condition, RefusesWhatIsNoCondition) {
  for (const char* text : {"",
                           "n",
                           "n =",
                           "= 1",
                           "n = 1 AND",
                           "(n = 1",
                           "n = 1)",
                           "n == 1",
                           "n = 1 2",
                           "n + 1 = 2",
                           "ABS(n) = 1",
                           "t.n = 1",
                           "n IS 1",
                           "n IN ()",
                           "n IN (1",
                           "n BETWEEN 1",
                           "n LIKE 'a' ESCAPE 'ab'",
                           "name = 'a",
                           "`n = 1",
                           "n = 1; n = 2",
                           "n || 1",
                           "n = 1 = 1",
                           "AND",
                           "n NOT 1",
                           "1"}) {
    const bool bare = std::string_view(text) == "n";
    EXPECT_EQ(Condition::parse(text).ok(), bare) << text;
  }
  std::string deep(500, '(');
  EXPECT_FALSE(Condition::parse(deep + "n = 1" + std::string(500, ')')).ok());
}

TEST(TextRule, KnowsCollationsByTheirWholeName) {
  EXPECT_TRUE(text_rule("utf8mb4", "utf8mb4_uca1400_ai_ci"));
  EXPECT_TRUE(text_rule("utf8mb4", "uca1400_nopad_ai_ci"));
  EXPECT_TRUE(text_rule("utf8mb3", "utf8_general_ci"));
  EXPECT_FALSE(text_rule("utf8mb4", "utf8mb4_swedish_ci"));
  EXPECT_FALSE(text_rule("utf8mb4", "utf8mb4_de_pb_0900_ai_ci"));
  EXPECT_FALSE(text_rule("sjis", "sjis_bin"));
  EXPECT_TRUE(text_rule("utf8mb4", "utf8mb4_unicode_ci")->pad);
  EXPECT_FALSE(text_rule("utf8mb4", "utf8mb4_0900_bin")->pad);
}

}  // namespace
}  // namespace wherry::sql
