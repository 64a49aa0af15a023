#include "sql/token.h"

#include <algorithm>

#include "support/ascii.h"

namespace wherry::sql {
namespace {

// MariaDB leaves out the comments meant for MySQL from 5.7 on.
constexpr unsigned kMysqlOnlyFirst = 50700;
constexpr unsigned kMysqlOnlyLast = 99999;

bool is_word(char c) {
  return ascii::letter(c) || ascii::digit(c) || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// How many bytes to step over inside quotes and comments: in some client character sets the second
// byte of a character may look like a quote or a backslash.
std::size_t step(TextCharset charset, char c) {
  const auto first = static_cast<unsigned char>(c);
  switch (charset) {
    case TextCharset::ascii_compatible:
      return 1;
    case TextCharset::gbk:
      return first >= 0x81 && first != 0xff ? 2 : 1;
    case TextCharset::big5:
      return first >= 0xa1 && first <= 0xf9 ? 2 : 1;
    case TextCharset::sjis:
      return (first >= 0x81 && first <= 0x9f) || (first >= 0xe0 && first <= 0xfc) ? 2 : 1;
  }
  return 1;
}

char unescaped(char c) {
  switch (c) {
    case '0':
      return '\0';
    case 'b':
      return '\b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'Z':
      return '\x1a';
    default:
      return c;
  }
}

std::string from_hex(std::string_view digits) {
  std::string out;
  std::size_t i = 0;
  if (digits.size() % 2 == 1) out += static_cast<char>(ascii::hex_value(digits[i++]));
  for (; i + 1 < digits.size(); i += 2) {
    out += static_cast<char>(ascii::hex_value(digits[i]) * 16 + ascii::hex_value(digits[i + 1]));
  }
  return out;
}

std::string from_bits(std::string_view digits) {
  std::string out;
  unsigned value = 0;
  std::size_t left = digits.size();
  for (const char c : digits) {
    value = value << 1 | (c == '1' ? 1u : 0u);
    if (--left % 8 == 0) {
      out += static_cast<char>(value & 0xff);
      value = 0;
    }
  }
  return out;
}

}  // namespace

void Lexer::skip_comment() {
  const bool for_mariadb = at("/*M!");
  const bool marked = for_mariadb || at("/*!");
  if (marked && !executable_comment_ && (!for_mariadb || mode_.dialect == Dialect::mariadb)) {
    std::size_t digits = at_ + (for_mariadb ? 4 : 3);
    unsigned version = 0;
    for (int count = 0; count < 6 && digits < text_.size() && ascii::digit(text_[digits]);
         ++count) {
      version = version * 10 + static_cast<unsigned>(text_[digits++] - '0');
    }
    const bool mysql_only = mode_.dialect == Dialect::mariadb && !for_mariadb &&
                            version >= kMysqlOnlyFirst && version <= kMysqlOnlyLast;
    if (!mysql_only) {
      executable_comment_ = true;
      at_ = digits;
      return;
    }
  }
  const std::size_t close = text_.find("*/", at_ + 2);
  at_ = close == std::string_view::npos ? text_.size() : close + 2;
}

void Lexer::skip_blanks_and_comments() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool dashes = at("--") && (at_ + 2 == text_.size() || ascii::space(text_[at_ + 2]) ||
                                     ascii::control(text_[at_ + 2]));
    if (ascii::space(c) || c == '\0') {
      ++at_;
    } else if (at("/*")) {
      skip_comment();
    } else if (executable_comment_ && at("*/")) {
      executable_comment_ = false;
      at_ += 2;
    } else if (c == '#' || dashes) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

// The end of a quoted text that begins at at_, past its closing quote.
std::size_t Lexer::quoted_end(char quote, bool escapes) const {
  std::size_t i = at_ + 1;
  while (i < text_.size()) {
    const char c = text_[i];
    if (escapes && c == '\\') {
      i += 2;
    } else if (c != quote) {
      i += step(mode_.charset, c);
    } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
      i += 2;
    } else {
      return i + 1;
    }
  }
  return text_.size();
}

std::size_t Lexer::word_end(std::size_t from) const {
  while (from < text_.size() && is_word(text_[from])) from += step(mode_.charset, text_[from]);
  return std::min(from, text_.size());
}

// Digits, a point, an exponent; a word that only begins with digits is a name.
std::size_t Lexer::number_end() const {
  std::size_t i = at_;
  const auto digits = [&] {
    while (i < text_.size() && ascii::digit(text_[i])) ++i;
  };
  digits();
  if (i < text_.size() && text_[i] == '.') {
    ++i;
    digits();
  }
  if (i + 1 < text_.size() && ascii::lower(text_[i]) == 'e') {
    const std::size_t sign = text_[i + 1] == '+' || text_[i + 1] == '-' ? 1 : 0;
    if (i + 1 + sign < text_.size() && ascii::digit(text_[i + 1 + sign])) {
      i += 1 + sign;
      digits();
    }
  }
  return i;
}

std::size_t Lexer::variable_end() const {
  std::size_t i = at_ + 1;
  if (i < text_.size() && text_[i] == '@') ++i;
  if (i < text_.size() && (text_[i] == '\'' || text_[i] == '"' || text_[i] == '`')) {
    Lexer name(text_, mode_);
    name.at_ = i;
    return name.quoted_end(text_[i], false);
  }
  while (i < text_.size() && (is_word(text_[i]) || text_[i] == '.')) ++i;
  return i;
}

Token Lexer::next() {
  skip_blanks_and_comments();
  const bool after_dot = after_dot_;
  const bool after_name = name_end_ != 0 && name_end_ == at_;
  after_dot_ = false;
  name_end_ = 0;
  Token token{TokenKind::end, at_, at_};
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  const char next = byte(1);
  const bool double_quoted_name = c == '"' && mode_.ansi_quotes;
  const char small = ascii::lower(c);
  if (c == '`' || double_quoted_name) {
    token.kind = TokenKind::quoted_name;
    token.end = quoted_end(c, false);
  } else if (c == '\'' || c == '"') {
    token.kind = TokenKind::string;
    token.end = quoted_end(c, !mode_.no_backslash_escapes);
  } else if ((small == 'x' || small == 'b') && next == '\'') {
    ++at_;
    token.kind = TokenKind::bits;
    token.end = quoted_end('\'', false);
  } else if (c == '0' && next == 'x' && !after_dot && ascii::hex_value(byte(2)) >= 0) {
    token.kind = TokenKind::bits;
    token.end = word_end(at_);
  } else if (c == '@') {
    token.kind = TokenKind::variable;
    token.end = variable_end();
  } else if (!after_dot && (ascii::digit(c) || (c == '.' && !after_name && ascii::digit(next)))) {
    token.kind = TokenKind::number;
    token.end = number_end();
    if (c != '.' && token.end < word_end(at_)) {
      token.kind = TokenKind::word;
      token.end = word_end(at_);
    }
  } else if (is_word(c)) {
    token.kind = TokenKind::word;
    token.end = word_end(at_);
  } else {
    token.kind = TokenKind::symbol;
    token.end = at_ + 1;
    after_dot_ = c == '.';
  }
  at_ = token.end = std::min(token.end, text_.size());
  if (token.kind == TokenKind::word || token.kind == TokenKind::quoted_name) name_end_ = at_;
  return token;
}

std::string name_of(const Token& token, std::string_view text) {
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  if (token.kind != TokenKind::quoted_name || written.empty()) return std::string(written);
  const char quote = written.front();
  std::string name;
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (written[i] == quote && ++i >= written.size()) break;
    name += written[i];
  }
  return name;
}

std::string bytes_of(const Token& token, std::string_view text, StatementMode mode) {
  std::string_view written = text.substr(token.begin, token.end - token.begin);
  if (token.kind == TokenKind::bits) {
    const bool binary = ascii::lower(written.front()) == 'b';
    written.remove_prefix(2);
    if (!written.empty() && written.back() == '\'') written.remove_suffix(1);
    const bool valid = std::all_of(written.begin(), written.end(), [&](char c) {
      return binary ? c == '0' || c == '1' : ascii::hex_value(c) >= 0;
    });
    if (!valid) return {};
    return binary ? from_bits(written) : from_hex(written);
  }
  if (token.kind != TokenKind::string || written.empty()) return std::string(written);
  const char quote = written.front();
  std::string bytes;
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (written[i] == quote) {
      if (++i >= written.size()) break;
      bytes += written[i];
    } else if (written[i] == '\\' && !mode.no_backslash_escapes && i + 1 < written.size()) {
      bytes += unescaped(written[++i]);
    } else {
      bytes += written[i];
    }
  }
  return bytes;
}

std::string quoted(std::string_view name) {
  std::string out = "`";
  for (const char c : name) {
    out += c;
    if (c == '`') out += c;
  }
  return out + "`";
}

}  // namespace wherry::sql
