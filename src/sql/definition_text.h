// Reading and changing the text of one item of a table definition. Internal to this room. Pure.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/token.h"

namespace wherry::sql {

// The tokens of an item. Offsets stay valid until the text is changed.
class ItemTokens {
 public:
  ItemTokens(std::string_view text, Dialect dialect);

  std::size_t size() const { return tokens_.size(); }
  // Past the end: the end token.
  const Token& at(std::size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }
  std::string_view text(std::size_t i) const;
  std::string name(std::size_t i) const { return name_of(at(i), text_); }
  int depth(std::size_t i) const {
    return depths_[std::min(i, depths_.size() - 1)];
  }  // parentheses open before the token

  bool is(std::size_t i, std::string_view keyword) const;
  bool is_symbol(std::size_t i, char symbol) const;
  // The first place at or after `from`, outside parentheses, where the keywords stand.
  std::optional<std::size_t> find(std::initializer_list<std::string_view> keywords,
                                  std::size_t from = 0) const;
  // For an opening parenthesis: the place of the closing one, or the last token.
  std::size_t closing(std::size_t open) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<int> depths_;
};

// Replacements in one text, applied together; they must not overlap.
class Edits {
 public:
  void replace(std::size_t begin, std::size_t end, std::string text);
  void erase(const ItemTokens& tokens, std::size_t first, std::size_t last);
  std::string apply(std::string_view text) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };
  std::vector<Edit> edits_;
};

// Puts what replacement() returns in the place of each version comment (given its content,
// trimmed); null leaves the comment as it is.
std::string replace_comments(
    std::string_view text,
    const std::function<std::optional<std::string>(std::string_view content)>& replacement);

// One past the last byte of a quoted text or comment that begins at `at`; `at` where none begins.
std::size_t skip_quoted(std::string_view text, std::size_t at);

}  // namespace wherry::sql
