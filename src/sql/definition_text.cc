#include "sql/definition_text.h"

#include <algorithm>
#include <utility>

#include "support/ascii.h"

namespace wherry::sql {

ItemTokens::ItemTokens(std::string_view text, Dialect dialect) : text_(text) {
  StatementMode mode;
  mode.dialect = dialect;
  Lexer lexer(text, mode);
  int depth = 0;
  for (Token token = lexer.next();; token = lexer.next()) {
    // What closes more than was opened (the tail of a definition begins so) counts for nothing.
    if (token.kind == TokenKind::symbol && text[token.begin] == ')' && depth > 0) --depth;
    depths_.push_back(depth);
    if (token.kind == TokenKind::symbol && text[token.begin] == '(') ++depth;
    tokens_.push_back(token);
    if (token.kind == TokenKind::end) break;
  }
}

std::string_view ItemTokens::text(std::size_t i) const {
  const Token& token = at(i);
  return text_.substr(token.begin, token.end - token.begin);
}

bool ItemTokens::is(std::size_t i, std::string_view keyword) const {
  return i < tokens_.size() && tokens_[i].kind == TokenKind::word && ascii::same(text(i), keyword);
}

bool ItemTokens::is_symbol(std::size_t i, char symbol) const {
  return i < tokens_.size() && tokens_[i].kind == TokenKind::symbol &&
         text_[tokens_[i].begin] == symbol;
}

std::optional<std::size_t> ItemTokens::find(std::initializer_list<std::string_view> keywords,
                                            std::size_t from) const {
  for (std::size_t i = from; i + keywords.size() <= tokens_.size(); ++i) {
    if (depths_[i] != 0) continue;
    std::size_t next = i;
    const bool here = std::all_of(keywords.begin(), keywords.end(),
                                  [&](std::string_view keyword) { return is(next++, keyword); });
    if (here) return i;
  }
  return std::nullopt;
}

std::size_t ItemTokens::closing(std::size_t open) const {
  for (std::size_t i = open + 1; i < tokens_.size(); ++i) {
    if (is_symbol(i, ')') && depths_[i] == depths_[open]) return i;
  }
  return tokens_.size() - 1;
}

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

void Edits::erase(const ItemTokens& tokens, std::size_t first, std::size_t last) {
  // With the blanks behind it, so that none pile up.
  const std::size_t next = std::min(last + 1, tokens.size() - 1);
  const bool at_end = tokens.at(next).kind == TokenKind::end;
  replace(tokens.at(first).begin, at_end ? tokens.at(last).end : tokens.at(next).begin, {});
}

std::string Edits::apply(std::string_view text) const {
  std::vector<Edit> sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : sorted) {
    if (edit.begin < at) continue;
    out += text.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.end;
  }
  out += text.substr(std::min(at, text.size()));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '/' && text.substr(at, 2) == "/*") {
    const std::size_t close = text.find("*/", at + 2);
    return close == std::string_view::npos ? text.size() : close + 2;
  }
  if (quote != '`' && quote != '\'' && quote != '"') return at;
  std::size_t i = at + 1;
  while (i < text.size()) {
    if (text[i] == '\\' && quote != '`') {
      i += 2;
    } else if (text[i] != quote) {
      ++i;
    } else if (i + 1 < text.size() && text[i + 1] == quote) {
      i += 2;
    } else {
      return i + 1;
    }
  }
  return text.size();
}

std::string replace_comments(
    std::string_view text,
    const std::function<std::optional<std::string>(std::string_view)>& replacement) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::max(skip_quoted(text, at), at + 1);
    std::string_view piece = text.substr(at, end - at);
    at = end;
    const bool mariadb = piece.substr(0, 4) == "/*M!";
    if (!mariadb && piece.substr(0, 3) != "/*!") {
      out += piece;
      continue;
    }
    std::string_view content = piece.substr(mariadb ? 4 : 3);
    if (content.size() >= 2 && content.substr(content.size() - 2) == "*/") content.remove_suffix(2);
    while (!content.empty() && ascii::digit(content.front())) content.remove_prefix(1);
    const std::optional<std::string> put = replacement(ascii::trim(content));
    if (!put) {
      out += piece;
      continue;
    }
    out += *put;
    if (put->empty() && !out.empty() && out.back() == ' ') out.pop_back();
  }
  return out;
}

}  // namespace wherry::sql
