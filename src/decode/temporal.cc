#include "decode/temporal.h"

#include <array>
#include <chrono>
#include <cstdlib>

#include "decode/number_text.h"

namespace wherry::decode {
namespace {

constexpr unsigned kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
constexpr unsigned kPackedFractionBits = 24;

struct Day {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
};

// One writer for all: text of at most 26 characters is put together on the stack.
class Stamp {
 public:
  void two(unsigned value) {
    *end_++ = static_cast<char>('0' + value / 10 % 10);
    *end_++ = static_cast<char>('0' + value % 10);
  }
  void sign(char c) { *end_++ = c; }
  void date(Day day) {
    two(day.year / 100);
    two(day.year % 100);
    sign('-');
    two(day.month);
    sign('-');
    two(day.day);
  }
  void clock(unsigned minute, unsigned second) {
    sign(':');
    two(minute);
    sign(':');
    two(second);
  }
  void hours(unsigned hour) {
    if (hour >= 100) *end_++ = static_cast<char>('0' + hour / 100 % 10);
    two(hour % 100);
  }
  // value: in units of the last declared digit.
  void fraction(unsigned value, unsigned digits) {
    if (digits == 0) return;
    sign('.');
    for (unsigned i = digits; i > 0; --i)
      *end_++ = static_cast<char>('0' + value / kPowers[i - 1] % 10);
  }
  void append_to(std::string& out) const {
    out.append(text_.data(), static_cast<std::size_t>(end_ - text_.data()));
  }

 private:
  std::array<char, 40> text_;
  char* end_ = text_.data();
};

Error out_of_range(const char* type) {
  return Error{Errc::malformed, std::string(type) + " out of range"};
}

bool plausible(Day day) { return day.year <= 9999 && day.month <= 12 && day.day <= 31; }

bool plausible_clock(unsigned hour, unsigned minute, unsigned second) {
  return hour <= 838 && minute <= 59 && second <= 59;
}

// The stored fraction has an even number of digits, two for each byte. Cut to the declared ones.
// False: more than those digits can say.
bool cut_fraction(std::uint64_t stored, unsigned digits, unsigned& value) {
  const unsigned stored_digits = (digits + 1) / 2 * 2;
  if (stored >= kPowers[stored_digits] && stored != 0) return false;
  value = static_cast<unsigned>(stored) / (stored_digits != digits ? 10 : 1);
  return true;
}

std::size_t fraction_size(unsigned digits) { return (digits + 1) / 2; }

// 17 bits of time of day below 5 bits of day below year * 13 + month.
bool put_packed_datetime(std::uint64_t packed, Stamp& stamp, bool with_clock) {
  const std::uint64_t day = packed >> 17;
  const auto months = static_cast<unsigned>(day >> 5);
  const Day date{months / 13, months % 13, static_cast<unsigned>(day & 31)};
  const auto hour = static_cast<unsigned>(packed >> 12 & 31);
  const auto minute = static_cast<unsigned>(packed >> 6 & 63);
  const auto second = static_cast<unsigned>(packed & 63);
  if (!plausible(date) || hour > 23 || !plausible_clock(hour, minute, second)) return false;
  stamp.date(date);
  if (!with_clock) return true;
  stamp.sign(' ');
  stamp.two(hour);
  stamp.clock(minute, second);
  return true;
}

bool put_packed_time(std::uint64_t packed, Stamp& stamp) {
  const auto hour = static_cast<unsigned>(packed >> 12);
  const auto minute = static_cast<unsigned>(packed >> 6 & 63);
  const auto second = static_cast<unsigned>(packed & 63);
  if (!plausible_clock(hour, minute, second)) return false;
  stamp.hours(hour);
  stamp.clock(minute, second);
  return true;
}

void put_epoch(std::uint32_t seconds, Stamp& stamp) {
  using std::chrono::floor;
  const std::chrono::sys_seconds when{std::chrono::seconds{seconds}};
  const auto midnight = floor<std::chrono::days>(when);
  const std::chrono::year_month_day date{midnight};
  const auto of_day = static_cast<unsigned>((when - midnight).count());
  stamp.date({static_cast<unsigned>(static_cast<int>(date.year())),
              static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())});
  stamp.sign(' ');
  stamp.two(of_day / 3600);
  stamp.clock(of_day / 60 % 60, of_day % 60);
}

void put_zero_datetime(Stamp& stamp) {
  stamp.date({});
  stamp.sign(' ');
  stamp.two(0);
  stamp.clock(0, 0);
}

}  // namespace

Status append_date(Bytes bytes, std::string& out) {
  const auto packed = static_cast<unsigned>(load_le(bytes.data(), 3));
  const Day day{packed >> 9, packed >> 5 & 15, packed & 31};
  if (!plausible(day)) return out_of_range("DATE");
  Stamp stamp;
  stamp.date(day);
  stamp.append_to(out);
  return Unit{};
}

Status append_time2(Bytes bytes, unsigned fraction, std::string& out) {
  const std::size_t extra = fraction_size(fraction);
  // Whole and fraction are one number around a middle, so the sign belongs to both.
  const auto middle = std::int64_t{0x800000} << (8 * extra);
  const auto value = static_cast<std::int64_t>(load_be(bytes.data(), 3 + extra)) - middle;
  const auto size = static_cast<std::uint64_t>(std::abs(value));
  Stamp stamp;
  if (value < 0) stamp.sign('-');
  unsigned digits = 0;
  const std::uint64_t stored = size & ((std::uint64_t{1} << (8 * extra)) - 1);
  if (!put_packed_time(size >> (8 * extra), stamp) || !cut_fraction(stored, fraction, digits)) {
    return out_of_range("TIME");
  }
  stamp.fraction(digits, fraction);
  stamp.append_to(out);
  return Unit{};
}

Status append_datetime2(Bytes bytes, unsigned fraction, std::string& out) {
  constexpr std::uint64_t kMiddle = 0x8000000000;
  const std::uint64_t packed = load_be(bytes.data(), 5);
  const std::size_t extra = fraction_size(fraction);
  const std::uint64_t stored = extra == 0 ? 0 : load_be(bytes.data() + 5, extra);
  Stamp stamp;
  unsigned digits = 0;
  if (packed < kMiddle || !put_packed_datetime(packed - kMiddle, stamp, true) ||
      !cut_fraction(stored, fraction, digits)) {
    return out_of_range("DATETIME");
  }
  stamp.fraction(digits, fraction);
  stamp.append_to(out);
  return Unit{};
}

Status append_timestamp2(Bytes bytes, unsigned fraction, std::string& out) {
  const auto seconds = static_cast<std::uint32_t>(load_be(bytes.data(), 4));
  const std::size_t extra = fraction_size(fraction);
  const std::uint64_t stored = extra == 0 ? 0 : load_be(bytes.data() + 4, extra);
  unsigned digits = 0;
  if (!cut_fraction(stored, fraction, digits)) return out_of_range("TIMESTAMP");
  Stamp stamp;
  // Second 0 is not in the type's range: it stands for the zero date.
  if (seconds == 0 && stored == 0)
    put_zero_datetime(stamp);
  else
    put_epoch(seconds, stamp);
  stamp.fraction(digits, fraction);
  stamp.append_to(out);
  return Unit{};
}

namespace {

// The decimal digits hhmmss, as the oldest formats hold a time.
struct Clock {
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
};

Clock clock_from_digits(std::uint64_t digits) {
  return {static_cast<unsigned>(digits / 10000), static_cast<unsigned>(digits / 100 % 100),
          static_cast<unsigned>(digits % 100)};
}

Clock clock_from_seconds(std::uint64_t seconds) {
  return {static_cast<unsigned>(seconds / 3600), static_cast<unsigned>(seconds / 60 % 60),
          static_cast<unsigned>(seconds % 60)};
}

Status finish_time(bool negative, Clock clock, unsigned digits, unsigned fraction,
                   std::string& out) {
  if (!plausible_clock(clock.hour, clock.minute, clock.second)) return out_of_range("TIME");
  Stamp stamp;
  if (negative) stamp.sign('-');
  stamp.hours(clock.hour);
  stamp.clock(clock.minute, clock.second);
  stamp.fraction(digits, fraction);
  stamp.append_to(out);
  return Unit{};
}

}  // namespace

Status append_old_time(Bytes bytes, unsigned fraction, std::string& out) {
  if (fraction == 0) {
    const auto raw = static_cast<std::uint32_t>(load_le(bytes.data(), 3));
    const bool negative = (raw & 0x800000) != 0;
    return finish_time(negative, clock_from_digits(negative ? 0x1000000 - raw : raw), 0, 0, out);
  }
  // Counted in the last digit, from one second below the smallest TIME.
  constexpr std::int64_t kMiddleSeconds = 839 * 3600;
  const auto unit = static_cast<std::int64_t>(kPowers[fraction]);
  const std::int64_t value =
      static_cast<std::int64_t>(load_be(bytes.data(), bytes.size())) - kMiddleSeconds * unit;
  const auto size = static_cast<std::uint64_t>(std::abs(value));
  const auto digits = static_cast<unsigned>(size % kPowers[fraction]);
  return finish_time(value < 0, clock_from_seconds(size / kPowers[fraction]), digits, fraction,
                     out);
}

Status append_old_datetime(Bytes bytes, unsigned fraction, std::string& out) {
  Day day;
  Clock clock;
  unsigned digits = 0;
  if (fraction == 0) {
    const std::uint64_t all = load_le(bytes.data(), 8);
    const std::uint64_t date = all / 1000000;
    if (date > 99991231) return out_of_range("DATETIME");
    const auto whole = static_cast<unsigned>(date);
    day = {whole / 10000, whole / 100 % 100, whole % 100};
    clock = clock_from_digits(all % 1000000);
  } else {
    // All parts in one number, months to the base of 13 and days to the base of 32.
    const std::uint64_t all = load_be(bytes.data(), bytes.size());
    const std::uint64_t seconds = all / kPowers[fraction];
    const std::uint64_t days = seconds / 86400;
    digits = static_cast<unsigned>(all % kPowers[fraction]);
    clock = clock_from_seconds(seconds % 86400);
    if (days / 32 / 13 > 9999) return out_of_range("DATETIME");
    day = {static_cast<unsigned>(days / 32 / 13), static_cast<unsigned>(days / 32 % 13),
           static_cast<unsigned>(days % 32)};
  }
  if (!plausible(day) || clock.hour > 23 ||
      !plausible_clock(clock.hour, clock.minute, clock.second)) {
    return out_of_range("DATETIME");
  }
  Stamp stamp;
  stamp.date(day);
  stamp.sign(' ');
  stamp.two(clock.hour);
  stamp.clock(clock.minute, clock.second);
  stamp.fraction(digits, fraction);
  stamp.append_to(out);
  return Unit{};
}

Status append_old_timestamp(Bytes bytes, unsigned fraction, std::string& out) {
  const std::uint64_t whole = fraction == 0 ? load_le(bytes.data(), 4) : load_be(bytes.data(), 4);
  const auto seconds = static_cast<std::uint32_t>(whole);
  const std::uint64_t digits = fraction == 0 ? 0 : load_be(bytes.data() + 4, bytes.size() - 4);
  if (digits >= kPowers[fraction] && digits != 0) return out_of_range("TIMESTAMP");
  Stamp stamp;
  if (seconds == 0 && digits == 0)
    put_zero_datetime(stamp);
  else
    put_epoch(seconds, stamp);
  stamp.fraction(static_cast<unsigned>(digits), fraction);
  stamp.append_to(out);
  return Unit{};
}

Status append_packed_date(std::int64_t packed, std::string& out) {
  Stamp stamp;
  if (packed < 0 || !put_packed_datetime(static_cast<std::uint64_t>(packed) >> kPackedFractionBits,
                                         stamp, false)) {
    return out_of_range("date in JSON");
  }
  stamp.append_to(out);
  return Unit{};
}

Status append_packed_time(std::int64_t packed, std::string& out) {
  const std::uint64_t size =
      packed < 0 ? 0 - static_cast<std::uint64_t>(packed) : static_cast<std::uint64_t>(packed);
  const std::uint64_t micros = size & ((1u << kPackedFractionBits) - 1);
  Stamp stamp;
  if (packed < 0) stamp.sign('-');
  const std::uint64_t whole = size >> kPackedFractionBits;
  if (whole >> 23 != 0 || micros >= kPowers[6] || !put_packed_time(whole, stamp)) {
    return out_of_range("time in JSON");
  }
  stamp.fraction(static_cast<unsigned>(micros), 6);
  stamp.append_to(out);
  return Unit{};
}

Status append_packed_datetime(std::int64_t packed, std::string& out) {
  const auto bits = static_cast<std::uint64_t>(packed);
  const std::uint64_t micros = bits & ((1u << kPackedFractionBits) - 1);
  Stamp stamp;
  if (packed < 0 || micros >= kPowers[6] ||
      !put_packed_datetime(bits >> kPackedFractionBits, stamp, true)) {
    return out_of_range("datetime in JSON");
  }
  stamp.fraction(static_cast<unsigned>(micros), 6);
  stamp.append_to(out);
  return Unit{};
}

}  // namespace wherry::decode
