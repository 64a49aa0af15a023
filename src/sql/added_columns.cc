#include "sql/added_columns.h"

#include <fmt/core.h>

#include <algorithm>

#include "sql/definition_text.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

// What follows DEFAULT is a literal, or NULL.
bool is_constant(const ItemTokens& tokens, std::size_t at) {
  if (tokens.is_symbol(at, '-') || tokens.is_symbol(at, '+')) ++at;
  // A character set's name before a literal, as in _utf8mb4'x'.
  if (tokens.at(at).kind == TokenKind::word && tokens.text(at).starts_with('_')) ++at;
  switch (tokens.at(at).kind) {
    case TokenKind::string:
    case TokenKind::number:
    case TokenKind::bits:
      return true;
    case TokenKind::word:
      return tokens.is(at, "NULL") ||
             (tokens.is(at, "b") && tokens.at(at + 1).kind == TokenKind::string);
    case TokenKind::quoted_name:
    case TokenKind::variable:
    case TokenKind::symbol:
    case TokenKind::end:
      return false;
  }
  return false;
}

std::string unfit(const std::string& column, Dialect dialect) {
  const ItemTokens tokens(column, dialect);
  const auto says = [&](std::string_view what) {
    return fmt::format("the new column {} {}", tokens.text(0), what);
  };
  if (tokens.find({"AUTO_INCREMENT"})) return says("counts by itself");
  if (tokens.find({"GENERATED"}) || tokens.find({"AS"})) return says("is generated");
  if (tokens.find({"ON", "UPDATE"})) return says("changes by itself");
  const auto value = tokens.find({"DEFAULT"});
  if (value && !is_constant(tokens, *value + 1)) return says("has no constant default");
  if (!value && tokens.find({"NOT", "NULL"})) return says("has no default and may not be NULL");
  return "";
}

}  // namespace

std::string unlike_added_columns(const CreateTable& before, const CreateTable& after,
                                 Dialect dialect) {
  CreateTable expected = before;
  expected.columns = after.columns;
  const std::vector<std::string> others = differences(expected, after);
  if (!others.empty()) return others.front();
  auto old = before.columns.begin();
  for (const std::string& column : after.columns) {
    if (old != before.columns.end() && *old == column) {
      ++old;
      continue;
    }
    const bool known =
        std::any_of(before.columns.begin(), before.columns.end(), [&](const std::string& one) {
          return ascii::same(ItemTokens(one, dialect).name(0), ItemTokens(column, dialect).name(0));
        });
    if (known) return fmt::format("a column is changed or moved: {}", column);
    if (std::string why = unfit(column, dialect); !why.empty()) return why;
  }
  if (old != before.columns.end()) return fmt::format("a column is gone or changed: {}", *old);
  return "";
}

}  // namespace wherry::sql
