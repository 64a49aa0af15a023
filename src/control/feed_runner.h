// One feed of a server and the thread that runs it: makes the feed object through the factory, runs
// it, and starts it again as the policy of its errors says. Owned by the fleet, which calls tick()
// all the time; the other calls come from any thread. What an operator asks for is on disk before
// the call returns.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "control/event_hub.h"
#include "control/feed_factory.h"
#include "control/feed_state.h"
#include "control/feed_view.h"
#include "control/stall_watch.h"
#include "control/state_store.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::control {

// Where times and chance come from; tests give their own.
struct FleetClock {
  std::function<FeedTime()> steady = [] { return std::chrono::steady_clock::now(); };
  std::function<std::chrono::system_clock::time_point()> wall = [] {
    return std::chrono::system_clock::now();
  };
  std::function<double()> jitter;  // from -1 to 1; not given: by chance
};

// What all runners of a fleet share; outlives them.
struct FleetTools {
  std::string data_dir;
  FeedFactory factory;
  FleetClock clock;
  StateStore& store;
  EventHub& events;
  FeedDiscard discard;  // may be empty
};

class FeedRunner {
 public:
  // As it was stored, or made just now.
  FeedRunner(FeedRecord record, const FleetTools& tools);
  ~FeedRunner();  // stops and joins
  FeedRunner(const FeedRunner&) = delete;
  FeedRunner& operator=(const FeedRunner&) = delete;

  // Once: the thread begins; the feed runs unless it is paused or finished.
  void start();

  // Errc::conflict where the feed's state does not allow it.
  Status pause();
  Status resume();
  Status change(const Json& patch);
  Status request_syncpoint();
  // Stops for good; the fleet forgets it once it is gone().
  Status remove();
  // The same for the end of the process: what is wanted of the feed stays.
  void drain();
  bool over() const { return over_.load(); }
  // Removed, over, and nothing of it is left elsewhere.
  bool gone() const { return gone_.load(); }

  // Looks at the progress and at the clock.
  void tick();
  FeedView view() const;
  // Where it is if that is further than when this was called before.
  std::optional<Checkpoint> take_checkpoint();

 private:
  struct State {
    FeedRecord record;
    FeedLife life;
    std::shared_ptr<feed::Feed> feed;
    bool running = false;
    bool go = false;      // its time has come
    bool asked = false;   // the present run was asked to stop
    bool ending = false;  // for good
    bool unsaved = false;
    StallWatch watch;
    std::optional<Stall> stall;
  };

  struct Run {
    FeedSpec spec;
    FeedStart start;
  };

  void loop();
  std::optional<Run> begin(State& state);
  Status persist(const feed::FeedProgress& now);
  Status run_feed(const Run& run);
  void look(State& state);
  void discard();
  void conclude(State& state, const Status& outcome);
  void stop_run(State& state);
  // After each change of what is wanted or of the life.
  Status save(State& state);
  void note_change(State& state, FeedState before);
  double jitter() const;

  const FleetTools& tools_;
  Guarded<State> state_;
  std::atomic<bool> over_{false};
  std::atomic<bool> gone_{false};
  std::stop_source draining_;
  std::thread thread_;
};

}  // namespace wherry::control
