#include <algorithm>

#include "sql/statement_reader.h"
#include "support/ascii.h"

namespace wherry::sql {

const Token& TokenReader::peek(std::size_t ahead) {
  while (ahead_.size() <= ahead) ahead_.push_back(lexer_.next());
  return ahead_[ahead];
}

void TokenReader::skip(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (peek().kind == TokenKind::end) return;
    last_end_ = ahead_.front().end;
    ahead_.pop_front();
  }
}

bool TokenReader::is(std::string_view keyword, std::size_t ahead) {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::word && ascii::same(text_of(token), keyword);
}

bool TokenReader::is_any(std::initializer_list<std::string_view> keywords, std::size_t ahead) {
  return std::any_of(keywords.begin(), keywords.end(),
                     [&](std::string_view keyword) { return is(keyword, ahead); });
}

bool TokenReader::is_symbol(char symbol, std::size_t ahead) {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::symbol && text_[token.begin] == symbol;
}

bool TokenReader::accept(std::string_view keyword) { return accept({keyword}); }

bool TokenReader::accept(std::initializer_list<std::string_view> keywords) {
  std::size_t ahead = 0;
  for (const std::string_view keyword : keywords) {
    if (!is(keyword, ahead++)) return false;
  }
  skip(ahead);
  return true;
}

bool TokenReader::accept_symbol(char symbol) {
  if (!is_symbol(symbol)) return false;
  skip();
  return true;
}

bool TokenReader::seek(std::string_view keyword) {
  int depth = 0;
  while (!at_end()) {
    if (is_symbol('(')) ++depth;
    if (is_symbol(')')) --depth;
    if (depth == 0 && is(keyword)) return true;
    skip();
  }
  return false;
}

std::optional<NameSpan> TokenReader::take_name() {
  NameSpan span;
  span.begin = peek().begin;
  accept_symbol('.');  // ".t" is t in the default database
  if (!is_name(peek())) return std::nullopt;
  span.name.table = name_of(peek(), text_);
  skip();
  if (is_symbol('.') && is_name(peek(1))) {
    skip();
    span.name.database = std::move(span.name.table);
    span.name.table = name_of(peek(), text_);
    skip();
  }
  span.end = last_end_;
  return span;
}

}  // namespace wherry::sql
