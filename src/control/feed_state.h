// The states of a feed (docs/feeds.md) and what moves it from one to another: one table of
// transitions, one table of policies of errors, and the life of a feed over both with its retries.
// Pure: times come from the caller. One owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "feed/feed.h"
#include "support/result.h"

namespace wherry::control {

enum class FeedState {
  normal,   // it runs, or is about to
  warning,  // it ended with an error, or runs again and has not got on since
  failed,   // it ended with an error that trying again does not mend
  stopped,  // somebody paused it
  finished  // it came to its end
};

enum class FeedEvent {
  progressed,  // more is durable at the sink than ever before
  erred,       // it ended with an error that may pass
  broke,       // it ended with an error that will not, or erred for too long
  paused,      // somebody paused it, and it has ended
  resumed,     // somebody wants it to go on
  ended        // it came to its end by itself
};

std::string_view to_string(FeedState state);
std::optional<FeedState> parse_feed_state(std::string_view word);

// Nothing: that event is refused in that state.
std::optional<FeedState> next_state(FeedState state, FeedEvent event);

// What an error means for a feed, by its kind and never by its text.
enum class ErrorPolicy { retry, fail };
ErrorPolicy policy_of(Errc code);

// How long to wait before the n-th retry in a row, from 0. jitter: from -1 to 1.
std::chrono::milliseconds retry_delay(unsigned retry, double jitter);

using FeedTime = std::chrono::steady_clock::time_point;

// Errors without any progress for so long are for somebody to look at.
constexpr std::chrono::minutes kErrorsMax{30};

class FeedLife {
 public:
  FeedLife() = default;
  // As a stored feed was: its state and error, how often it was retried, how far it was.
  struct Past {
    FeedState state = FeedState::normal;
    std::optional<Error> error;
    unsigned retries = 0;
    std::uint64_t cseq = 0;
    std::uint64_t rows_copied = 0;
  };
  explicit FeedLife(Past past)
      : state_(past.state),
        error_(std::move(past.error)),
        retries_(past.retries),
        cseq_most_(past.cseq),
        rows_most_(past.rows_copied) {}

  FeedState state() const { return state_; }
  const std::optional<Error>& error() const { return error_; }
  unsigned retries() const { return retries_; }
  // When it is to be started; nothing: not by itself.
  std::optional<FeedTime> due() const { return due_; }

  // It may run now. The state stays.
  void start_at(FeedTime when) { due_ = when; }
  void started() { due_.reset(); }
  // Whether more is durable than ever before; that ends a series of errors.
  bool progressed(const feed::FeedProgress& progress);
  // A run came to its end. jitter as above.
  void ended(const Status& outcome, FeedTime now, double jitter);
  // Errc::conflict where the state refuses it.
  Status pause();
  Status resume(FeedTime now);

 private:
  bool move(FeedEvent event);

  FeedState state_ = FeedState::normal;
  std::optional<Error> error_;
  unsigned retries_ = 0;
  std::optional<FeedTime> due_;
  std::optional<FeedTime> erring_since_;
  std::uint64_t cseq_most_ = 0;
  std::uint64_t rows_most_ = 0;
};

}  // namespace wherry::control
