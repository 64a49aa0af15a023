#include "control/feed_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace wherry::control {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay{10'000};
constexpr milliseconds kLongestDelay{600'000};
constexpr double kJitter = 0.1;

constexpr std::array kStates = {FeedState::normal, FeedState::warning, FeedState::failed,
                                FeedState::stopped, FeedState::finished};

struct Step {
  FeedState from;
  FeedEvent event;
  FeedState to;
};

// What is not here is refused.
constexpr std::array kSteps = {
    Step{FeedState::normal, FeedEvent::progressed, FeedState::normal},
    Step{FeedState::normal, FeedEvent::erred, FeedState::warning},
    Step{FeedState::normal, FeedEvent::broke, FeedState::failed},
    Step{FeedState::normal, FeedEvent::paused, FeedState::stopped},
    Step{FeedState::normal, FeedEvent::ended, FeedState::finished},
    Step{FeedState::warning, FeedEvent::progressed, FeedState::normal},
    Step{FeedState::warning, FeedEvent::erred, FeedState::warning},
    Step{FeedState::warning, FeedEvent::broke, FeedState::failed},
    Step{FeedState::warning, FeedEvent::paused, FeedState::stopped},
    Step{FeedState::warning, FeedEvent::resumed, FeedState::warning},  // does not wait any longer
    Step{FeedState::warning, FeedEvent::ended, FeedState::finished},
    Step{FeedState::failed, FeedEvent::paused, FeedState::stopped},
    Step{FeedState::failed, FeedEvent::resumed, FeedState::normal},
    Step{FeedState::stopped, FeedEvent::resumed, FeedState::normal},
};

}  // namespace

std::string_view to_string(FeedState state) {
  switch (state) {
    case FeedState::normal:
      return "normal";
    case FeedState::warning:
      return "warning";
    case FeedState::failed:
      return "failed";
    case FeedState::stopped:
      return "stopped";
    case FeedState::finished:
      return "finished";
  }
  return "failed";
}

std::optional<FeedState> parse_feed_state(std::string_view word) {
  const auto found = std::find_if(kStates.begin(), kStates.end(),
                                  [&](FeedState state) { return to_string(state) == word; });
  return found == kStates.end() ? std::nullopt : std::optional(*found);
}

std::optional<FeedState> next_state(FeedState state, FeedEvent event) {
  for (const Step& step : kSteps) {
    if (step.from == state && step.event == event) return step.to;
  }
  return std::nullopt;
}

ErrorPolicy policy_of(Errc code) {
  switch (code) {
    case Errc::network:
    case Errc::timeout:
    case Errc::server:       // locks, restarts, too many connections: most of them pass
    case Errc::truncated:    // a stream that was cut
    case Errc::io:           // a full disk
    case Errc::interrupted:  // and nobody here asked for it
      return ErrorPolicy::retry;
    case Errc::usage:
    case Errc::refused:
    case Errc::malformed:
    case Errc::unsupported:
    case Errc::conflict:
    case Errc::lost:
    case Errc::differs:
      return ErrorPolicy::fail;
  }
  return ErrorPolicy::fail;
}

milliseconds retry_delay(unsigned retry, double jitter) {
  milliseconds delay = kFirstDelay;
  for (unsigned i = 0; i < retry && delay < kLongestDelay; ++i) delay *= 2;
  delay = std::min(delay, kLongestDelay);
  const double part = 1 + kJitter * std::clamp(jitter, -1.0, 1.0);
  return milliseconds(static_cast<milliseconds::rep>(static_cast<double>(delay.count()) * part));
}

bool FeedLife::move(FeedEvent event) {
  const std::optional<FeedState> next = next_state(state_, event);
  if (next) state_ = *next;
  return next.has_value();
}

bool FeedLife::progressed(const feed::FeedProgress& progress) {
  const bool more = progress.cseq > cseq_most_ || progress.rows_copied > rows_most_;
  if (!more) return false;
  cseq_most_ = std::max(cseq_most_, progress.cseq);
  rows_most_ = std::max(rows_most_, progress.rows_copied);
  if (!move(FeedEvent::progressed)) return true;
  error_.reset();
  retries_ = 0;
  erring_since_.reset();
  return true;
}

void FeedLife::ended(const Status& outcome, FeedTime now, double jitter) {
  due_.reset();
  if (outcome.ok()) {
    move(FeedEvent::ended);
    error_.reset();
    return;
  }
  error_ = outcome.error();
  if (!erring_since_) erring_since_ = now;
  const bool hopeless =
      policy_of(error_->code) == ErrorPolicy::fail || now - *erring_since_ >= kErrorsMax;
  if (hopeless) {
    move(FeedEvent::broke);
    return;
  }
  move(FeedEvent::erred);
  due_ = now + retry_delay(retries_, jitter);
  ++retries_;
}

Status FeedLife::pause() {
  if (!move(FeedEvent::paused)) {
    return Error{Errc::conflict, fmt::format("the feed is {}", to_string(state_)), 0};
  }
  due_.reset();
  return Unit{};
}

Status FeedLife::resume(FeedTime now) {
  if (!move(FeedEvent::resumed)) {
    return Error{Errc::conflict, fmt::format("the feed is {}", to_string(state_)), 0};
  }
  if (state_ == FeedState::normal) error_.reset();
  retries_ = 0;
  erring_since_.reset();
  due_ = now;
  return Unit{};
}

}  // namespace wherry::control
