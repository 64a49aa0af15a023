#include "sql/condition_values.h"

#include <algorithm>
#include <charconv>

#include "support/ascii.h"

namespace wherry::sql {
namespace {

// Every moment as if it had all its parts.
constexpr std::string_view kWhole = "0000-00-00 00:00:00.000000";
constexpr std::size_t kDateSize = 10;
constexpr std::size_t kSecondsSize = 19;

std::strong_ordering magnitude(const ExactNumber& left, const ExactNumber& right) {
  if (left.whole.size() != right.whole.size()) return left.whole.size() <=> right.whole.size();
  const int whole = left.whole.compare(right.whole);
  if (whole != 0) return whole <=> 0;
  return left.fraction.compare(right.fraction) <=> 0;
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), ascii::digit);
}

int number_at(std::string_view text, std::size_t at, std::size_t size) {
  int value = 0;
  for (std::size_t i = at; i < at + size; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

int days_of(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

}  // namespace

std::strong_ordering operator<=>(const ExactNumber& left, const ExactNumber& right) {
  if (left.negative != right.negative)
    return left.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return left.negative ? magnitude(right, left) : magnitude(left, right);
}

std::optional<ExactNumber> exact_number(std::string_view text) {
  ExactNumber out;
  if (text.starts_with('-') || text.starts_with('+')) {
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  out.whole = text.substr(0, point);
  if (point < text.size()) out.fraction = text.substr(point + 1);
  if (out.whole.empty() && out.fraction.empty()) return std::nullopt;
  if (!all_digits(out.whole) || !all_digits(out.fraction)) return std::nullopt;
  while (out.whole.starts_with('0')) out.whole.remove_prefix(1);
  while (out.fraction.ends_with('0')) out.fraction.remove_suffix(1);
  if (out.whole.empty() && out.fraction.empty()) out.negative = false;
  return out;
}

std::optional<double> real_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string bits_as_digits(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return std::to_string(value);
}

bool is_moment(std::string_view text) {
  if (text.size() != kDateSize && text.size() < kSecondsSize) return false;
  if (text.size() > kWhole.size() || text.size() == kSecondsSize + 1) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits = kWhole[i] == '0' ? ascii::digit(text[i]) : text[i] == kWhole[i];
    if (!fits) return false;
  }
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (month > 12) return false;
  // A part of it may be zero, as the servers can keep it.
  if (month == 0 ? day > 31 : day > days_of(year, month)) return false;
  if (text.size() == kDateSize) return true;
  return number_at(text, 11, 2) < 24 && number_at(text, 14, 2) < 60 && number_at(text, 17, 2) < 60;
}

std::strong_ordering compare_moments(std::string_view left, std::string_view right) {
  for (std::size_t i = 0; i < kWhole.size(); ++i) {
    const char a = i < left.size() ? left[i] : kWhole[i];
    const char b = i < right.size() ? right[i] : kWhole[i];
    if (a != b) return a <=> b;
  }
  return std::strong_ordering::equal;
}

// "-838:59:59.000000": two or three digits of hours, two of minutes and seconds.
std::optional<std::int64_t> span_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t hours = text.find(':');
  if (hours < 2 || hours > 3 || hours == std::string_view::npos) return std::nullopt;
  if (text.size() < hours + 6 || text[hours + 3] != ':') return std::nullopt;
  std::string_view fraction = text.substr(hours + 6);
  const bool digits = all_digits(text.substr(0, hours)) && all_digits(text.substr(hours + 1, 2)) &&
                      all_digits(text.substr(hours + 4, 2));
  if (!digits || (!fraction.empty() && fraction.front() != '.')) return std::nullopt;
  if (!fraction.empty()) fraction.remove_prefix(1);
  if (fraction.size() > 6 || !all_digits(fraction)) return std::nullopt;
  const int minutes = number_at(text, hours + 1, 2);
  const int seconds = number_at(text, hours + 4, 2);
  if (minutes > 59 || seconds > 59) return std::nullopt;
  std::int64_t value = (number_at(text, 0, hours) * 60LL + minutes) * 60 + seconds;
  for (std::size_t i = 0; i < 6; ++i)
    value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return negative ? -value : value;
}

}  // namespace wherry::sql
