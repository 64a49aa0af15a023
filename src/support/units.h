// Sizes, durations, rates and times as people write and read them. Times are UTC, ISO 8601. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/nearest.h"
#include "support/result.h"

namespace wherry {

// "4096", "64MiB", "10MB", "1.5GiB". A letter alone ("64M") is binary, as the servers read it.
Result<std::uint64_t> parse_size(std::string_view text);

// "500ms", "2s", "5m", "1h", "2d", joined forms like "1h30m", and "0". Other numbers need a unit.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// So much a second: "20000rows" or a size; "/s" may follow.
struct Rate {
  enum class Unit { rows, bytes };
  Unit unit = Unit::bytes;
  std::uint64_t per_second = 0;
  bool operator==(const Rate&) const = default;
};
Result<Rate> parse_rate(std::string_view text);

// "512 B", "1.5 MiB".
std::string format_bytes(std::uint64_t bytes);
// "450ms", "12.3s", "2m05s", "1h02m", "3d04h": two units at most.
std::string format_duration(std::chrono::milliseconds duration);

using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;
// "2026-11-30T16:24:38Z", with milliseconds where there are any.
std::string format_utc(UtcTime time);
// The same form; the fraction may be left out, a blank may stand for the T. Only UTC: "Z", "+00:00"
// or nothing.
Result<UtcTime> parse_utc(std::string_view text);

}  // namespace wherry
