// Letters, digits and case of ASCII alone: keywords, units and option names never depend on a
// locale. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace wherry::ascii {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool control(char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }

// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) {
  if (digit(c)) return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

constexpr bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

constexpr bool starts_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && same(text.substr(0, start.size()), start);
}

constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

// The beginning of a text for a message, without control characters.
inline std::string shown(std::string_view text, std::size_t length_max = 60) {
  std::string out(text.substr(0, length_max));
  for (char& c : out) {
    if (control(c)) c = '?';
  }
  return text.size() > length_max ? out + "..." : out;
}

}  // namespace wherry::ascii
