#include "support/units.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "support/ascii.h"

namespace wherry {
namespace {

using std::chrono::milliseconds;
using std::string_view_literals::operator""sv;

struct Unit64 {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kKibi = 1024;

// The first name of a factor is the one printed.
constexpr std::array kSizeUnits{
    Unit64{"b", 1},
    Unit64{"kib", kKibi},
    Unit64{"mib", kKibi* kKibi},
    Unit64{"gib", kKibi* kKibi* kKibi},
    Unit64{"tib", kKibi* kKibi* kKibi* kKibi},
    Unit64{"k", kKibi},
    Unit64{"m", kKibi* kKibi},
    Unit64{"g", kKibi* kKibi* kKibi},
    Unit64{"t", kKibi* kKibi* kKibi* kKibi},
    Unit64{"kb", kKilo},
    Unit64{"mb", kKilo* kKilo},
    Unit64{"gb", kKilo* kKilo* kKilo},
    Unit64{"tb", kKilo* kKilo* kKilo* kKilo},
};

constexpr std::array kDurationUnits{
    Unit64{"ms", 1},        Unit64{"s", 1000},       Unit64{"m", 60'000},
    Unit64{"h", 3'600'000}, Unit64{"d", 86'400'000},
};

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

// A number with up to six decimals, kept exact: whole + fraction / scale.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
  constexpr std::uint64_t kScaleMax = 1'000'000;
  Decimal number;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.whole);
  if (text.empty() || error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (text.empty() || text.front() != '.') return number;
  text.remove_prefix(1);
  if (text.empty() || !ascii::digit(text.front())) return std::nullopt;
  while (!text.empty() && ascii::digit(text.front())) {
    if (number.scale == kScaleMax) return std::nullopt;
    number.scale *= 10;
    number.fraction = number.fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return number;
}

std::string_view take_word(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && ascii::letter(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

template <std::size_t N>
std::optional<std::uint64_t> factor_of(std::string_view name, const std::array<Unit64, N>& units) {
  for (const Unit64& unit : units) {
    if (ascii::same(name, unit.name)) return unit.factor;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> scaled(const Decimal& number, std::uint64_t factor) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (number.whole > kMax / factor) return std::nullopt;
  const std::uint64_t whole = number.whole * factor;
  const std::uint64_t part = number.fraction * factor / number.scale;
  if (part > kMax - whole) return std::nullopt;
  return whole + part;
}

bool take_digits(std::string_view& text, std::size_t count, int& number) {
  if (text.size() < count) return false;
  number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!ascii::digit(text[i])) return false;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take_char(std::string_view& text, std::string_view allowed) {
  if (text.empty() || allowed.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Tenths, hundredths and so on up to milliseconds; further digits are cut.
bool take_fraction(std::string_view& text, int& millis) {
  millis = 0;
  if (!take_char(text, ".")) return true;
  if (text.empty() || !ascii::digit(text.front())) return false;
  for (int weight = 100; !text.empty() && ascii::digit(text.front()); weight /= 10) {
    millis += weight * (text.front() - '0');
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const Error refusal =
      usage("\"" + ascii::shown(text) + "\" is no size; write for example 64MiB, 1GiB, 10MB");
  std::string_view rest = ascii::trim(text);
  const std::optional<Decimal> number = take_decimal(rest);
  if (!number) return refusal;
  rest = ascii::trim(rest);
  const std::optional<std::uint64_t> factor = rest.empty() ? 1 : factor_of(rest, kSizeUnits);
  if (!factor) return refusal;
  const std::optional<std::uint64_t> bytes = scaled(*number, *factor);
  if (!bytes) return usage("the size \"" + ascii::shown(text) + "\" is too large");
  return *bytes;
}

Result<milliseconds> parse_duration(std::string_view text) {
  const Error refusal =
      usage("\"" + ascii::shown(text) + "\" is no duration; write for example 500ms, 2s, 5m, 1h");
  constexpr std::uint64_t kMillisMax = std::uint64_t{100} * 366 * 86'400'000;
  std::string_view rest = ascii::trim(text);
  if (rest == "0") return milliseconds(0);
  if (rest.empty()) return refusal;
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const std::optional<Decimal> number = take_decimal(rest);
    const std::optional<std::uint64_t> factor = factor_of(take_word(rest), kDurationUnits);
    if (!number || !factor) return refusal;
    const std::optional<std::uint64_t> part = scaled(*number, *factor);
    if (!part || *part > kMillisMax - total) {
      return usage("the duration \"" + ascii::shown(text) + "\" is too long");
    }
    total += *part;
  }
  return milliseconds(total);
}

Result<Rate> parse_rate(std::string_view text) {
  std::string_view rest = ascii::trim(text);
  for (const std::string_view suffix : {"/s"sv, "/sec"sv, "ps"sv}) {
    if (rest.size() > suffix.size() &&
        ascii::same(rest.substr(rest.size() - suffix.size()), suffix)) {
      rest.remove_suffix(suffix.size());
      break;
    }
  }
  const Error refusal =
      usage("\"" + ascii::shown(text) +
            "\" is no rate; write rows or bytes a second, for example 20000rows or 50MiB");
  std::string_view unit = rest;
  const std::optional<Decimal> number = take_decimal(unit);
  unit = ascii::trim(unit);
  if (!number || unit.empty()) return refusal;
  Rate rate;
  if (ascii::same(unit, "rows") || ascii::same(unit, "row")) {
    if (number->fraction != 0) return refusal;
    rate = {Rate::Unit::rows, number->whole};
  } else {
    const Result<std::uint64_t> bytes = parse_size(rest);
    if (!bytes.ok()) return refusal;
    rate = {Rate::Unit::bytes, bytes.value()};
  }
  if (rate.per_second == 0)
    return usage("the rate \"" + ascii::shown(text) + "\" would never move anything");
  return rate;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kNames{"KiB"sv, "MiB"sv, "GiB"sv, "TiB"sv, "PiB"sv, "EiB"sv};
  if (bytes < kKibi) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / static_cast<double>(kKibi);
  std::size_t unit = 0;
  // From here on one decimal would be printed as 1024.0.
  constexpr double kRoundsUp = 1023.95;
  while (value >= kRoundsUp && unit + 1 < kNames.size()) {
    value /= static_cast<double>(kKibi);
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string format_duration(milliseconds duration) {
  const auto millis = duration.count();
  if (millis < 0) return "-" + format_duration(-duration);
  if (millis < 1000) return fmt::format("{}ms", millis);
  if (millis < 60'000) return fmt::format("{}.{}s", millis / 1000, millis % 1000 / 100);
  const auto seconds = millis / 1000;
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  const auto minutes = seconds / 60;
  if (minutes < 24 * 60) return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
  return fmt::format("{}d{:02}h", minutes / (24 * 60), minutes / 60 % 24);
}

std::string format_utc(UtcTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) text += fmt::format(".{:03}", clock.subseconds().count());
  return text + "Z";
}

Result<UtcTime> parse_utc(std::string_view text) {
  const Error refusal =
      usage("\"" + ascii::shown(text) + "\" is no time; write UTC like 2026-11-30T16:24:38Z");
  std::string_view rest = ascii::trim(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0;
  const bool read =
      take_digits(rest, 4, year) && take_char(rest, "-") && take_digits(rest, 2, month) &&
      take_char(rest, "-") && take_digits(rest, 2, day) && take_char(rest, "Tt ") &&
      take_digits(rest, 2, hour) && take_char(rest, ":") && take_digits(rest, 2, minute) &&
      take_char(rest, ":") && take_digits(rest, 2, second) && take_fraction(rest, millis);
  if (!read || !(rest.empty() || rest == "Z" || rest == "z" || rest == "+00:00")) return refusal;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return refusal;
  return UtcTime(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second) + milliseconds(millis);
}

}  // namespace wherry
