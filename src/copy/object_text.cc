#include "copy/object_text.h"

#include <vector>

#include "sql/token.h"
#include "support/ascii.h"

namespace wherry::copy {
namespace {

using sql::Token;
using sql::TokenKind;

std::vector<Token> tokens_of(std::string_view text, sql::StatementMode mode) {
  std::vector<Token> tokens;
  sql::Lexer lexer(text, mode);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
    tokens.push_back(token);
  tokens.push_back({TokenKind::end, text.size(), text.size()});
  return tokens;
}

std::string_view text_of(const Token& token, std::string_view text) {
  return text.substr(token.begin, token.end - token.begin);
}

bool is_word(const Token& token, std::string_view text, std::string_view word) {
  return token.kind == TokenKind::word && ascii::same(text_of(token, text), word);
}

bool is_name(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::quoted_name;
}

bool is_dot(const Token& token, std::string_view text) {
  return token.kind == TokenKind::symbol && text_of(token, text) == ".";
}

std::string full_name(const TableName& name) {
  return sql::quoted(name.database) + "." + sql::quoted(name.table);
}

std::string replaced(std::string_view text, std::size_t begin, std::size_t end,
                     std::string_view by) {
  return std::string(text.substr(0, begin)) + std::string(by) + std::string(text.substr(end));
}

// Where the object's own name stands.
std::optional<sql::NameSpan> own_name(std::string_view text, sql::StatementMode mode) {
  const sql::Statement statement = sql::classify(text, "", mode);
  if (statement.objects.empty()) return std::nullopt;
  return statement.objects.front();
}

}  // namespace

std::optional<std::string> with_database(std::string_view text, std::string_view database,
                                         sql::StatementMode mode) {
  const auto name = own_name(text, mode);
  if (!name) return std::nullopt;
  return replaced(text, name->begin, name->end,
                  full_name({std::string(database), name->name.table}));
}

std::string without_definer(std::string_view text, sql::StatementMode mode) {
  const auto name = own_name(text, mode);
  const std::size_t limit = name ? name->begin : text.size();
  const std::vector<Token> tokens = tokens_of(text.substr(0, limit), mode);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!is_word(tokens[i], text, "DEFINER") || text_of(tokens[i + 1], text) != "=") continue;
    // An account is two tokens ("user" and "@host") or a function; the clause ends at the next
    // keyword.
    for (std::size_t end = i + 3; end < tokens.size(); ++end) {
      if (tokens[end].kind != TokenKind::word) continue;
      return replaced(text, tokens[i].begin, tokens[end].begin, "");
    }
  }
  return std::string(text);
}

std::optional<std::string> route_trigger(std::string_view text, std::string_view database,
                                         const std::optional<std::string>& table,
                                         sql::StatementMode mode) {
  const auto name = own_name(text, mode);
  if (!name) return std::nullopt;
  const std::vector<Token> tokens = tokens_of(text, mode);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (tokens[i].begin < name->end || !is_word(tokens[i], text, "ON") || !is_name(tokens[i + 1]))
      continue;
    const bool qualified = is_dot(tokens[i + 2], text) && is_name(tokens[i + 3]);
    const Token& last = tokens[qualified ? i + 3 : i + 1];
    const std::string on =
        full_name({std::string(database), table ? *table : sql::name_of(last, text)});
    // The later of the two is replaced first, so that the other keeps its place.
    return replaced(replaced(text, tokens[i + 1].begin, last.end, on), name->begin, name->end,
                    full_name({std::string(database), name->name.table}));
  }
  return std::nullopt;
}

std::string disabled_event(std::string_view text, sql::StatementMode mode) {
  const std::vector<Token> tokens = tokens_of(text, mode);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (is_word(tokens[i], text, "DO")) break;
    const bool after_preserve = i > 0 && is_word(tokens[i - 1], text, "PRESERVE");
    if (after_preserve && is_word(tokens[i], text, "ENABLE")) {
      return replaced(text, tokens[i].begin, tokens[i].end, "DISABLE");
    }
  }
  return std::string(text);
}

std::string route_view(std::string_view text, const TargetNames& names, sql::StatementMode mode) {
  std::string out;
  std::size_t copied = 0;
  const std::vector<Token> tokens = tokens_of(text, mode);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool starts = i == 0 || !is_dot(tokens[i - 1], text);
    if (!starts || !is_name(tokens[i]) || !is_dot(tokens[i + 1], text) || !is_name(tokens[i + 2]))
      continue;
    const TableName name{sql::name_of(tokens[i], text), sql::name_of(tokens[i + 2], text)};
    const TableName to = names.of(name);
    if (to == name) continue;
    out += text.substr(copied, tokens[i].begin - copied);
    out += full_name(to);
    copied = tokens[i + 2].end;
  }
  return out + std::string(text.substr(copied));
}

}  // namespace wherry::copy
