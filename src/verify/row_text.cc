#include "verify/row_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "support/ascii.h"
#include "support/hash.h"

namespace wherry::verify {
namespace {

constexpr std::size_t kShownMax = 80;
constexpr std::size_t kKeylessShownMax = 240;

// Length of the UTF-8 sequence at the start of the text; 0 where it is none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// How much of the text can be shown as it is, in whole characters, up to size_max bytes; npos where
// something in it cannot.
std::size_t printable_size(std::string_view text, std::size_t size_max) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0 || ascii::control(text[at])) return std::string_view::npos;
    if (at + length > size_max) return at;
    at += length;
  }
  return at;
}

bool is_bytes(ColumnClass kind) {
  return kind == ColumnClass::binary || kind == ColumnClass::bit || kind == ColumnClass::geometry ||
         kind == ColumnClass::vector;
}

bool is_bare(ColumnClass kind) {
  return kind == ColumnClass::integer || kind == ColumnClass::decimal ||
         kind == ColumnClass::floating || kind == ColumnClass::year || kind == ColumnClass::set ||
         kind == ColumnClass::enumeration;
}

std::string as_hex(std::string_view bytes) {
  std::string out = "0x";
  for (const char c : bytes.substr(0, kShownMax / 2))
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// Two long values may only differ further on: their lengths and hashes tell them apart.
std::string rest_of(std::string_view text) {
  return fmt::format("... ({} bytes, hash {:016x})", text.size(), hash64(text));
}

}  // namespace

std::string value_text(const PlanField& field, const mysql::FieldView& value) {
  if (value.data == nullptr) return "NULL";
  const std::string_view text = value.text();
  const bool known_bytes =
      field.charset.empty() || field.charset.starts_with("utf8") || field.charset == "ascii";
  const bool ascii_only = std::all_of(text.begin(), text.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < 128; });
  const std::size_t size = is_bytes(field.kind) || !(known_bytes || ascii_only)
                               ? std::string_view::npos
                               : printable_size(text, kShownMax);
  if (size == std::string_view::npos) {
    return as_hex(text) + (text.size() > kShownMax / 2 ? rest_of(text) : "");
  }
  if (is_bare(field.kind) && field.charset.empty()) return std::string(text.substr(0, size));
  return fmt::format("'{}'{}", text.substr(0, size), size < text.size() ? rest_of(text) : "");
}

std::string key_text(const ComparePlan& plan, std::span<const mysql::FieldView> row) {
  std::string out;
  const auto add = [&](std::size_t at) {
    const std::string_view comma = out.empty() ? "" : ", ";
    out +=
        fmt::format("{}{}={}", comma, plan.fields[at].column, value_text(plan.fields[at], row[at]));
  };
  for (const std::size_t at : plan.key) add(at);
  if (!plan.key.empty()) return out;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (out.size() > kKeylessShownMax) return out + ", ...";
    add(at);
  }
  return out;
}

}  // namespace wherry::verify
