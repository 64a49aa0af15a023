// From MySQL to MariaDB.
#include <algorithm>
#include <array>
#include <optional>

#include "sql/definition_text.h"
#include "sql/translate.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

constexpr Dialect kFrom = Dialect::mysql;
constexpr std::string_view kInvisible = "INVISIBLE";

// Options that only MySQL knows and that say nothing about the rows.
constexpr std::array<std::string_view, 4> kOptions = {"ENCRYPTION", "COMPRESSION",
                                                      "SECONDARY_ENGINE", "AUTOEXTEND_SIZE"};

}  // namespace

void Translation::mariadb_column(std::string& column) {
  // MariaDB leaves out comments of MySQL 5.7 and later, and would run older ones.
  column = replace_comments(column, [](std::string_view content) -> std::optional<std::string> {
    if (ascii::same(content, kInvisible)) return std::string(kInvisible);
    return std::string();
  });
  const ItemTokens tokens(column, kFrom);
  const std::string label = "column " + quoted(tokens.name(0));
  if (tokens.is(1, "vector")) refuse(label, "the type VECTOR does not exist on MariaDB 10.11");
  const std::optional<std::size_t> generated = tokens.find({"AS"}, 2);
  const std::optional<std::size_t> not_null = tokens.find({"NOT", "NULL"}, 2);
  const bool gives_value =
      generated || tokens.find({"DEFAULT"}, 2) || tokens.find({"AUTO_INCREMENT"}, 2);
  if (tokens.find({kInvisible}, 2) && not_null && !gives_value) {
    refuse(label, "MariaDB wants a default for an INVISIBLE column that is NOT NULL");
  }
  if (!generated || !not_null) return;
  // A generated column cannot be declared NOT NULL there; its expression decides.
  Edits edits;
  edits.erase(tokens, *not_null, *not_null + 1);
  column = edits.apply(column);
}

void Translation::mariadb_key(std::string& key) {
  key = replace_comments(key, [](std::string_view content) -> std::optional<std::string> {
    if (ascii::same(content, kInvisible)) return "IGNORED";
    if (ascii::starts_with(content, "WITH PARSER")) return std::string(content);
    return std::string();
  });
  const ItemTokens tokens(key, kFrom);
  std::size_t open = 0;
  while (open + 1 < tokens.size() && !tokens.is_symbol(open, '(')) ++open;
  const std::string label = "key " + ascii::shown(key);
  const std::size_t close = tokens.closing(open);
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens.depth(i) == tokens.depth(open) + 1 && tokens.is_symbol(i, '(') &&
        !tokens.is_symbol(i - 1, ',') && i != open + 1)
      continue;
    if (tokens.is_symbol(i, '(') && tokens.depth(i) == tokens.depth(open) + 1) {
      refuse(label, "MariaDB has no keys over expressions");
      return;
    }
  }
  if (tokens.find({"WITH", "PARSER"})) refuse(label, "MariaDB has no such full-text parser");
}

void Translation::mariadb_tail(std::string& tail) {
  tail = replace_comments(tail, [](std::string_view content) -> std::optional<std::string> {
    if (ascii::starts_with(content, "PARTITION BY")) return std::nullopt;
    return std::string();
  });
  const ItemTokens tokens(tail, kFrom);
  Edits edits;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool option = std::any_of(kOptions.begin(), kOptions.end(),
                                    [&](std::string_view name) { return tokens.is(i, name); });
    if (option && tokens.depth(i) == 0 && tokens.is_symbol(i + 1, '='))
      edits.erase(tokens, i, i + 2);
  }
  tail = edits.apply(tail);
}

void Translation::mysql_to_mariadb(CreateTable& table) {
  for (std::string& column : table.columns) mariadb_column(column);
  for (std::string& key : table.keys) mariadb_key(key);
  // A check that MySQL does not enforce would be enforced.
  std::erase_if(table.checks, [](const std::string& check) {
    const ItemTokens tokens(check, kFrom);
    return tokens.find({"NOT", "ENFORCED"}).has_value();
  });
  mariadb_tail(table.tail);
}

}  // namespace wherry::sql
