#include "verify/split.h"

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>

namespace wherry::verify {
namespace {

// Covers BIGINT in both signs.
struct Number {
  bool negative = false;
  std::uint64_t size = 0;
};

std::optional<Number> parse_number(std::string_view text) {
  Number out;
  if (text.starts_with('-')) {
    out.negative = true;
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// Numbers and leading bytes are moved to one unsigned scale, where the middle of two is easy to
// find.
constexpr std::uint64_t kSign = 1ULL << 63;

std::optional<std::uint64_t> signed_to_scale(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  if (number->negative)
    return number->size > kSign ? std::nullopt : std::optional(kSign - number->size);
  return number->size >= kSign ? std::nullopt : std::optional(kSign + number->size);
}

std::string signed_from_scale(std::uint64_t value) {
  return value >= kSign ? std::to_string(value - kSign) : "-" + std::to_string(kSign - value);
}

std::optional<std::uint64_t> unsigned_to_scale(std::string_view text) {
  const auto number = parse_number(text);
  if (!number || number->negative) return std::nullopt;
  return number->size;
}

std::uint64_t bytes_to_scale(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = value << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  }
  return value;
}

std::string bytes_from_scale(std::uint64_t value) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

std::vector<KeyRange> cut(std::uint64_t low, std::uint64_t high, std::size_t parts,
                          const std::function<std::string(std::uint64_t)>& text) {
  std::vector<KeyRange> out;
  const std::uint64_t step = high > low ? (high - low) / parts : 0;
  if (step == 0) return {KeyRange{}};
  KeyRange range;
  for (std::size_t i = 1; i < parts; ++i) {
    range.through = KeyValues{text(low + step * i)};
    out.push_back(range);
    range.after = range.through;
  }
  range.through.reset();
  out.push_back(range);
  return out;
}

}  // namespace

bool can_split(const PlanField& field) {
  return field.kind == ColumnClass::integer || field.kind == ColumnClass::binary;
}

std::vector<KeyRange> split(const PlanField& field, const std::string& lowest,
                            const std::string& highest, std::size_t parts) {
  if (parts < 2) return {KeyRange{}};
  if (field.kind == ColumnClass::binary) {
    return cut(bytes_to_scale(lowest), bytes_to_scale(highest), parts, bytes_from_scale);
  }
  if (field.kind != ColumnClass::integer) return {KeyRange{}};
  if (const auto low = signed_to_scale(lowest), high = signed_to_scale(highest); low && high) {
    return cut(*low, *high, parts, signed_from_scale);
  }
  if (const auto low = unsigned_to_scale(lowest), high = unsigned_to_scale(highest); low && high) {
    return cut(*low, *high, parts, [](std::uint64_t value) { return std::to_string(value); });
  }
  return {KeyRange{}};
}

}  // namespace wherry::verify
