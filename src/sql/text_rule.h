// How the servers compare two texts of a collation, as far as it can be reproduced exactly. Between
// printable ASCII characters the common collations differ only by what they do with the case of
// letters; what lies beyond that is "unclear". Pure; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wherry::sql {

struct TextRule {
  enum class Fold : std::uint8_t {
    bytes,    // as bytes: binary strings, and the _bin collations
    upper,    // _general_ci: single characters, letters of ASCII as capitals
    letters,  // the Unicode collations that do not tell capitals from small letters
    cased     // those that do
  };
  Fold fold = Fold::bytes;
  bool pad = false;        // a shorter text counts as if filled up with blanks
  bool multibyte = false;  // characters are UTF-8 sequences; otherwise single bytes
  auto operator<=>(const TextRule&) const = default;
};

// Nothing: what the collation does is not known here. Binary columns have no character set.
std::optional<TextRule> text_rule(std::string_view charset, std::string_view collation);

// Whether a literal, which is written in UTF-8, has the same bytes in the rule's character set and
// is compared in a known way.
bool fits_literal(const TextRule& rule, std::string_view literal);

// Whether less and more can be told apart at all.
inline bool has_order(const TextRule& rule) { return rule.fold != TextRule::Fold::cased; }

// Nothing: unclear. wants_order: false where only equal or not matters.
std::optional<std::weak_ordering> compare_text(const TextRule& rule, std::string_view left,
                                               std::string_view right, bool wants_order);

// LIKE. escape: one character, or none. Nothing: unclear.
std::optional<bool> is_like(const TextRule& rule, std::string_view text, std::string_view pattern,
                            std::string_view escape);

}  // namespace wherry::sql
