// The tokens of a statement, with the byte offsets where they stand. Pure; any thread. Comments are
// left out, except executable ones whose content the given server would run. Never fails: what is
// not closed ends with the text.
#pragma once

#include <string>
#include <string_view>

#include "sql/statement.h"

namespace wherry::sql {

enum class TokenKind {
  word,         // keyword or unquoted name
  quoted_name,  // `name`, and "name" under ANSI_QUOTES
  string,       // 'text', and "text" otherwise
  number,
  bits,      // x'..', b'..', 0x..
  variable,  // @name, @@name, and the @host of an account
  symbol,    // one byte of anything else
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Lexer {
 public:
  Lexer(std::string_view text, StatementMode mode) : text_(text), mode_(mode) {}
  Token next();
  // Where the next token is looked for.
  std::size_t position() const { return at_; }

 private:
  void skip_blanks_and_comments();
  void skip_comment();
  std::size_t quoted_end(char quote, bool escapes) const;
  std::size_t word_end(std::size_t from) const;
  std::size_t number_end() const;
  std::size_t variable_end() const;
  bool at(std::string_view expected) const {
    return text_.substr(at_, expected.size()) == expected;
  }
  char byte(std::size_t offset) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }

  std::string_view text_;
  StatementMode mode_;
  std::size_t at_ = 0;
  bool executable_comment_ = false;
  bool after_dot_ = false;
  std::size_t name_end_ = 0;  // where the last name ended, 0: the last token was none
};

// The name that a word or a quoted name spells.
std::string name_of(const Token& token, std::string_view text);

// The bytes that a string or a bits literal stands for.
std::string bytes_of(const Token& token, std::string_view text, StatementMode mode);

// A name in backticks, safe in every sql_mode.
std::string quoted(std::string_view name);

}  // namespace wherry::sql
