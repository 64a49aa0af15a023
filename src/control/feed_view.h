// What a feed says of itself, for the API, the metrics and the events: one value, made on demand.
// The spec in it holds passwords; feed_view_json() hides them. Values; no threads.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/feed_spec.h"
#include "control/feed_state.h"
#include "control/json.h"
#include "control/state_store.h"
#include "feed/feed.h"

namespace wherry::control {

struct FeedView {
  FeedSpec spec;
  FeedNote note;
  bool running = false;                                // an object of it runs, or is being made
  std::shared_ptr<const feed::FeedProgress> progress;  // of the run; null: none or nothing said yet
  std::optional<std::chrono::system_clock::time_point> retry_at;
  struct Stalled {
    std::chrono::system_clock::time_point since;
    std::string reason;
  };
  std::optional<Stalled> stalled;
  std::chrono::system_clock::time_point created, changed;
};

// What changes every second.
Json feed_progress_json(const FeedView& view);
// All of it, with the keys that are set.
Json feed_view_json(const FeedView& view);
// Names and states, with how many are in which.
Json fleet_json(const std::vector<FeedView>& views);

// Prometheus, prefix wherry_, label feed.
std::string fleet_metrics(const std::vector<FeedView>& views);

}  // namespace wherry::control
