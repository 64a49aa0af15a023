#include "storage/stragglers.h"

#include <algorithm>
#include <bit>

namespace wherry::storage {
namespace {

constexpr std::size_t kTimesMin = 20;
constexpr std::size_t kTimesMax = 128;
constexpr double kPaidIn = 0.1;
constexpr double kCreditMax = 5;
// Below this a second request costs more than the wait.
constexpr Clock::Duration kLateMin = std::chrono::milliseconds(10);

}  // namespace

void Stragglers::took(std::uint64_t bytes, Clock::Duration time) {
  seen_.with([&](Seen& seen) {
    seen.credit = std::min(seen.credit + kPaidIn, kCreditMax);
    Class& same = seen.by_size[static_cast<std::size_t>(std::bit_width(bytes))];
    if (same.times.size() < kTimesMax) {
      same.times.push_back(time);
    } else {
      same.times[same.next] = time;
      same.next = (same.next + 1) % kTimesMax;
    }
  });
}

std::optional<Clock::Duration> Stragglers::late_after(std::uint64_t bytes) const {
  std::vector<Clock::Duration> times = seen_.read([&](const Seen& seen) {
    const auto own = seen.by_size.begin() + std::bit_width(bytes);
    const auto known = std::find_if(
        own, seen.by_size.end(), [](const Class& same) { return same.times.size() >= kTimesMin; });
    return known == seen.by_size.end() ? std::vector<Clock::Duration>() : known->times;
  });
  if (times.empty()) return std::nullopt;
  const auto late = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 95 / 100);
  std::nth_element(times.begin(), late, times.end());
  return std::max(*late, kLateMin);
}

bool Stragglers::may_hedge() {
  return seen_.with([](Seen& seen) {
    if (seen.credit < 1) return false;
    seen.credit -= 1;
    return true;
  });
}

}  // namespace wherry::storage
