#include "sql/text_rule.h"

#include <algorithm>
#include <array>

#include "support/ascii.h"

namespace wherry::sql {
namespace {

using Fold = TextRule::Fold;

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

// The name without its character set: "general_ci" of "utf8mb4_general_ci".
std::string_view rule_name(std::string_view charset, std::string_view collation) {
  if (collation.starts_with("uca1400_")) return collation;  // MariaDB, where the set is known
  if (!collation.starts_with(charset)) return {};
  collation.remove_prefix(charset.size());
  return collation.starts_with('_') ? collation.substr(1) : std::string_view();
}

std::optional<Fold> fold_of(std::string_view charset, std::string_view name) {
  struct Known {
    std::string_view name;
    Fold fold;
  };
  constexpr std::array<Known, 18> kKnown = {{{"bin", Fold::bytes},
                                             {"nopad_bin", Fold::bytes},
                                             {"0900_bin", Fold::bytes},
                                             {"general_ci", Fold::upper},
                                             {"general_nopad_ci", Fold::upper},
                                             {"unicode_ci", Fold::letters},
                                             {"unicode_nopad_ci", Fold::letters},
                                             {"unicode_520_ci", Fold::letters},
                                             {"unicode_520_nopad_ci", Fold::letters},
                                             {"0900_ai_ci", Fold::letters},
                                             {"0900_as_ci", Fold::letters},
                                             {"0900_as_cs", Fold::cased},
                                             {"uca1400_ai_ci", Fold::letters},
                                             {"uca1400_as_ci", Fold::letters},
                                             {"uca1400_as_cs", Fold::cased},
                                             {"uca1400_nopad_ai_ci", Fold::letters},
                                             {"uca1400_nopad_as_ci", Fold::letters},
                                             {"uca1400_nopad_as_cs", Fold::cased}}};
  if (charset == "latin1") {
    if (name == "swedish_ci" || name == "swedish_nopad_ci") return Fold::upper;
    if (name == "general_ci") return Fold::letters;  // its order is one of its own
  }
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& one) { return one.name == name; });
  return found == kKnown.end() ? std::nullopt : std::optional(found->fold);
}

// Whether the rule knows what the character is worth.
bool is_plain(const TextRule& rule, char c) {
  if (rule.fold == Fold::bytes) return true;
  if (rule.fold == Fold::upper) return (static_cast<unsigned char>(c) & 0x80) == 0;
  return c >= 0x20 && c <= 0x7E;
}

char weight(const TextRule& rule, char c) {
  return rule.fold == Fold::upper || rule.fold == Fold::letters ? ascii::upper(c) : c;
}

std::weak_ordering order_of(char left, char right) {
  return static_cast<unsigned char>(left) <=> static_cast<unsigned char>(right);
}

// Among these every rule has the order of ASCII.
bool has_known_order(char c) { return c == ' ' || ascii::letter(c) || ascii::digit(c); }

std::size_t character_size(const TextRule& rule, std::string_view text, std::size_t at) {
  if (!rule.multibyte) return 1;
  std::size_t size = 1;
  while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80)
    ++size;
  return size;
}

struct Like {
  const TextRule& rule;
  std::string_view text;
  std::string_view pattern;
  char escape = '\0';
  bool unclear = false;

  // Whether the character of the text matches the literal one of the pattern; both move on.
  bool take_literal(std::size_t& t, std::size_t& p) {
    const bool known = is_plain(rule, text[t]) && is_plain(rule, pattern[p]);
    if (!known) unclear = true;
    if (!known || weight(rule, text[t]) != weight(rule, pattern[p])) return false;
    ++t;
    ++p;
    return true;
  }

  // One step without "%". False: it does not match here.
  bool take_one(std::size_t& t, std::size_t& p) {
    if (pattern[p] == '_' && escape != '_') {
      t += character_size(rule, text, t);
      ++p;
      return true;
    }
    std::size_t at = p;
    if (escape != '\0' && pattern[at] == escape && at + 1 < pattern.size()) ++at;
    if (!take_literal(t, at)) return false;
    p = at;
    return true;
  }

  bool matches() {
    std::size_t t = 0, p = 0, back_text = 0;
    std::size_t back = std::string_view::npos;  // behind the last "%"
    while (t < text.size() || p < pattern.size()) {
      if (p < pattern.size() && pattern[p] == '%' && escape != '%') {
        back = ++p;
        back_text = t;
        continue;
      }
      if (p < pattern.size() && t < text.size() && take_one(t, p)) continue;
      if (back == std::string_view::npos || back_text >= text.size()) return false;
      back_text += character_size(rule, text, back_text);
      t = back_text;
      p = back;
    }
    return true;
  }
};

}  // namespace

std::optional<TextRule> text_rule(std::string_view charset, std::string_view collation) {
  if (charset.empty() || charset == "binary") return TextRule{};
  constexpr std::array<std::string_view, 5> kSets = {"utf8mb4", "utf8mb3", "utf8", "latin1",
                                                     "ascii"};
  if (std::find(kSets.begin(), kSets.end(), charset) == kSets.end()) return std::nullopt;
  std::string_view name = rule_name(charset, collation);
  // One character set with two names.
  if (name.empty() && charset == "utf8") name = rule_name("utf8mb3", collation);
  if (name.empty() && charset == "utf8mb3") name = rule_name("utf8", collation);
  const std::optional<Fold> fold = fold_of(charset, name);
  if (!fold) return std::nullopt;
  TextRule rule;
  rule.fold = *fold;
  rule.pad =
      name.find("nopad") == std::string_view::npos && name.find("0900") == std::string_view::npos;
  rule.multibyte = charset.starts_with("utf8");
  return rule;
}

bool fits_literal(const TextRule& rule, std::string_view literal) {
  if (is_ascii(literal))
    return std::all_of(literal.begin(), literal.end(), [&](char c) { return is_plain(rule, c); });
  return rule.multibyte && rule.fold == Fold::bytes;
}

std::optional<std::weak_ordering> compare_text(const TextRule& rule, std::string_view left,
                                               std::string_view right, bool wants_order) {
  if (left == right) return std::weak_ordering::equivalent;
  const std::size_t size = std::max(left.size(), right.size());
  for (std::size_t i = 0; i < size; ++i) {
    const bool ended = i >= left.size() || i >= right.size();
    if (ended && !rule.pad) {
      // What is left of the longer one counts, unless it is of a kind that counts as nothing.
      if (!is_plain(rule, i < left.size() ? left[i] : right[i])) return std::nullopt;
      return left.size() <=> right.size();
    }
    const char a = i < left.size() ? left[i] : ' ';
    const char b = i < right.size() ? right[i] : ' ';
    if (!is_plain(rule, a) || !is_plain(rule, b)) return std::nullopt;
    const char wa = weight(rule, a);
    const char wb = weight(rule, b);
    if (wa == wb) continue;
    const bool ordered = rule.fold == Fold::bytes || rule.fold == Fold::upper ||
                         (rule.fold == Fold::letters && has_known_order(a) && has_known_order(b));
    if (wants_order && !ordered) return std::nullopt;
    return order_of(wa, wb);
  }
  return std::weak_ordering::equivalent;
}

std::optional<bool> is_like(const TextRule& rule, std::string_view text, std::string_view pattern,
                            std::string_view escape) {
  Like like{rule, text, pattern, escape.empty() ? '\0' : escape.front(), false};
  if (like.matches()) return true;
  if (like.unclear) return std::nullopt;
  return false;
}

}  // namespace wherry::sql
