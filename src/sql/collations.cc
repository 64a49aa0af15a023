#include "sql/collations.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/ascii.h"

namespace wherry::sql {
namespace {

using std::string_view_literals::operator""sv;
using Pair = std::pair<std::string_view, std::string_view>;

// Parts of names that only one of the servers has.
constexpr std::array kMysqlOnly = {"_0900_"sv, "gb18030_"sv, "utf8mb3_tolower_ci"sv};
constexpr std::array kMariadbOnly = {"uca1400"sv, "_nopad_"sv, "_myanmar_ci"sv, "_thai_520_w2"sv};

// Both compare code points without padding.
constexpr Pair kBinaryTwins{"utf8mb4_0900_bin", "utf8mb4_nopad_bin"};
// MariaDB keeps MySQL's Croatian under this name and has its own under the old one.
constexpr Pair kCroatian{"_croatian_ci", "_croatian_mysql561_ci"};

constexpr std::array kDefaults = {
    Pair{"latin1", "latin1_swedish_ci"},   Pair{"big5", "big5_chinese_ci"},
    Pair{"gbk", "gbk_chinese_ci"},         Pair{"gb2312", "gb2312_chinese_ci"},
    Pair{"sjis", "sjis_japanese_ci"},      Pair{"ujis", "ujis_japanese_ci"},
    Pair{"cp932", "cp932_japanese_ci"},    Pair{"eucjpms", "eucjpms_japanese_ci"},
    Pair{"euckr", "euckr_korean_ci"},      Pair{"tis620", "tis620_thai_ci"},
    Pair{"latin5", "latin5_turkish_ci"},   Pair{"swe7", "swe7_swedish_ci"},
    Pair{"dec8", "dec8_swedish_ci"},       Pair{"hp8", "hp8_english_ci"},
    Pair{"gb18030", "gb18030_chinese_ci"}, Pair{"binary", "binary"}};

template <std::size_t N>
bool has_any(std::string_view name, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string with_end(std::string_view text, std::string_view end, std::string_view other) {
  return std::string(text.substr(0, text.size() - end.size())) + std::string(other);
}

}  // namespace

std::string collation_key(std::string_view collation) {
  std::string name = ascii::lower(collation);
  if (name == "utf8") return "utf8mb3";
  if (ascii::starts_with(name, "utf8_")) return "utf8mb3_" + name.substr(5);
  return name;
}

std::optional<std::string> collation_twin(std::string_view collation, Dialect from, Dialect to) {
  const std::string name = collation_key(collation);
  if (from == to) return name;
  if (from == Dialect::mysql) {
    if (name == kBinaryTwins.first) return std::string(kBinaryTwins.second);
    if (has_any(name, kMysqlOnly)) return std::nullopt;
    if (ends_with(name, kCroatian.first)) return with_end(name, kCroatian.first, kCroatian.second);
    return name;
  }
  if (name == kBinaryTwins.second) return std::string(kBinaryTwins.first);
  if (ends_with(name, kCroatian.second)) return with_end(name, kCroatian.second, kCroatian.first);
  if (ends_with(name, kCroatian.first) || has_any(name, kMariadbOnly) ||
      ends_with(name, "_nopad_bin")) {
    return std::nullopt;
  }
  return name;
}

std::string collation_proposal(std::string_view collation, Dialect to) {
  const std::string name = collation_key(collation);
  const std::string charset = name.substr(0, name.find('_'));
  const bool pads = to == Dialect::mysql && name.find("nopad") == std::string::npos;
  if (ends_with(name, "_bin")) return charset + "_bin";
  if (charset != "utf8mb4") return default_collation(charset);
  const bool exact_case = name.find("_as_cs") != std::string::npos;
  if (to == Dialect::mariadb)
    return exact_case ? "utf8mb4_nopad_bin" : "utf8mb4_unicode_520_nopad_ci";
  if (exact_case) return pads ? "utf8mb4_bin" : "utf8mb4_0900_as_cs";
  return pads ? "utf8mb4_unicode_520_ci" : "utf8mb4_0900_ai_ci";
}

bool charset_exists(std::string_view charset, Dialect dialect) {
  return dialect == Dialect::mysql || !ascii::same(charset, "gb18030");
}

std::string default_collation(std::string_view charset) {
  const std::string name = collation_key(charset);
  for (const auto& [set, collation] : kDefaults) {
    if (name == set) return std::string(collation);
  }
  return name + "_general_ci";
}

}  // namespace wherry::sql
