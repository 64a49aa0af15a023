#include <algorithm>

#include "sql/statement.h"
#include "sql/token.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

constexpr std::size_t kLengthMax = 500;

bool is(const Token& token, std::string_view text, std::string_view keyword) {
  return token.kind == TokenKind::word &&
         ascii::same(text.substr(token.begin, token.end - token.begin), keyword);
}

// Up to the first word after which a secret may stand. The words are looked for in the bare text
// and all behind them is left out, so that no reading of quotes can bring a secret back.
std::string without_password(std::string_view text) {
  const std::string small = ascii::lower(text);
  std::size_t cut = text.size();
  for (const std::string_view word : {"identified", "password", "options"}) {
    const std::size_t found = small.find(word);
    if (found != std::string::npos) cut = std::min(cut, found + word.size());
  }
  return cut == text.size() ? std::string(text) : std::string(text.substr(0, cut)) + " ***";
}

// The address of a federated table holds a password.
std::string without_connection(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  bool hides = false;
  Lexer lexer(text, {});
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    const bool equals = token.kind == TokenKind::symbol && text[token.begin] == '=';
    if (token.kind == TokenKind::string && hides) {
      out += std::string(text.substr(copied, token.begin - copied)) + "'***'";
      copied = token.end;
    }
    if (!equals) hides = is(token, text, "CONNECTION");
  }
  return out + std::string(text.substr(copied));
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += ascii::control(c) ? ' ' : c;
  if (out.size() <= kLengthMax) return out;
  std::size_t end = kLengthMax;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
  return out.substr(0, end) + "...";
}

}  // namespace

std::string printable(const Statement& statement, std::string_view text) {
  switch (statement.kind) {
    case Kind::account:
    case Kind::other_ddl:
      return one_line(without_password(text));
    case Kind::create_table:
    case Kind::create_table_like:
    case Kind::create_table_select:
    case Kind::alter_table:
      return one_line(without_connection(text));
    default:
      return one_line(text);
  }
}

}  // namespace wherry::sql
