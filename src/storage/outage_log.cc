#include "storage/outage_log.h"

#include <fmt/format.h>

#include "support/units.h"

namespace wherry::storage {
namespace {

constexpr Clock::Duration kToldEvery = std::chrono::minutes(1);

std::string shown(Clock::Duration time) {
  return format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(time));
}

}  // namespace

std::optional<std::string> OutageLog::failed(std::string_view what, const Error& error,
                                             Clock::Time now) {
  return state_.with([&](State& state) -> std::optional<std::string> {
    const bool begins = !state.since;
    if (begins) {
      state.since = now;
      state.tries = 0;
      state.announced = false;
    }
    ++state.tries;
    if (state.told && now - *state.told < kToldEvery) return std::nullopt;
    state.told = now;
    state.announced = true;
    if (begins) return fmt::format("cannot {}, trying again: {}", what, error.what);
    return fmt::format("cannot {} for {} ({} failed tries), waiting: {}", what,
                       shown(now - *state.since), state.tries, error.what);
  });
}

std::optional<std::string> OutageLog::succeeded(std::string_view what, Clock::Time now) {
  if (!since()) return std::nullopt;  // the usual case
  return state_.with([&](State& state) -> std::optional<std::string> {
    if (!state.since) return std::nullopt;
    const Clock::Duration lasted = now - *state.since;
    state.since.reset();
    if (!state.announced) return std::nullopt;
    return fmt::format("can {} again, after {} ({} failed tries)", what, shown(lasted),
                       state.tries);
  });
}

std::optional<Clock::Time> OutageLog::since() const {
  return state_.read([](const State& state) { return state.since; });
}

}  // namespace wherry::storage
