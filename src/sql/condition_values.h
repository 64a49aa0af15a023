// Numbers and times out of canonical texts and literals, and their order. Internal to this room.
// Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/schema.h"

namespace wherry::sql {

// A decimal number of any length. Borrows the text that it was read from.
struct ExactNumber {
  bool negative = false;
  std::string_view whole;     // without zeros in front
  std::string_view fraction;  // without zeros at its end
};
std::strong_ordering operator<=>(const ExactNumber& left, const ExactNumber& right);

// Digits with a sign and a point. Nothing: it is none.
std::optional<ExactNumber> exact_number(std::string_view text);
std::optional<double> real_number(std::string_view text);
// The bytes of a BIT as digits; at most eight.
std::string bits_as_digits(std::string_view bytes);

// "2024-05-01", with a time of day and a fraction or without: the form of canonical texts. Such
// texts are ordered by compare_moments.
bool is_moment(std::string_view text);
std::strong_ordering compare_moments(std::string_view left, std::string_view right);

// A TIME in microseconds. Nothing: it is none.
std::optional<std::int64_t> span_of(std::string_view text);

}  // namespace wherry::sql
