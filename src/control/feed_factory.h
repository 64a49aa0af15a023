// How a feed that runs is made from what is known of it. Whoever builds sinks gives one; the fleet
// calls it, each time that a feed starts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "control/feed_spec.h"
#include "control/state_store.h"
#include "feed/feed.h"
#include "support/result.h"

namespace wherry::control {

struct FeedStart {
  std::string data_dir;  // of the server
  // How far it was when the server looked last; the sink's own record goes before it. Nothing: it
  // never got on, and the spec says where to begin.
  std::optional<Checkpoint> checkpoint;
  // Records on disk how far it is: before its log may forget what is behind. Outlives the feed.
  std::function<Status(const feed::FeedProgress&)> persist;
};

// Any thread, several at once; may take its time. Errc::unsupported: there is no such sink.
using FeedFactory =
    std::function<Result<std::unique_ptr<feed::Feed>>(const FeedSpec&, const FeedStart&)>;

// What a feed that is removed keeps elsewhere goes with it. On the feed's thread, may wait for
// long; called again until it is Unit, by the next process too. Errc::interrupted: stop was asked.
using FeedDiscard = std::function<Status(const FeedSpec&, const std::stop_token& stop)>;

}  // namespace wherry::control
