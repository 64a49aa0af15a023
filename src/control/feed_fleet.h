// All feeds of one server: the folder that only one process may have, the store of what was asked
// for, a runner for each feed and a thread that looks after them. Calls come from any thread; what
// was asked for is on disk before a call returns.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "control/event_hub.h"
#include "control/feed_factory.h"
#include "control/feed_runner.h"
#include "control/feed_view.h"
#include "control/folder_lock.h"
#include "control/state_store.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::control {

struct FleetSetup {
  std::string data_dir;
  FeedFactory factory;
  FleetClock clock;
  // A feed is no more and its name not free yet: whoever keeps something for it lets it go. May be
  // empty; may come once more for the same feed after a crash.
  std::function<void(const std::string& name)> removed;
  FeedDiscard discard = {};
};

class FeedFleet {
 public:
  // Takes the folder and reads what is stored; nothing runs yet. Errc::refused: another process has
  // the folder.
  static Result<std::unique_ptr<FeedFleet>> open(FleetSetup setup);
  ~FeedFleet();  // drains without a limit
  FeedFleet(const FeedFleet&) = delete;
  FeedFleet& operator=(const FeedFleet&) = delete;

  // Once: every feed that was not paused runs; a thread looks after them until the end.
  void start();
  // Every feed is asked to stop and is waited for; nothing is changed any more. The names of those
  // that still run after the limit.
  std::vector<std::string> drain(std::chrono::milliseconds limit);

  // The feed's name. Errc::usage, or Errc::conflict where there is one of this name.
  Result<std::string> create(const Json& document);
  // The other calls: Errc::conflict where the feed's state does not allow it or there is none.
  Status change(const std::string& name, const Json& patch);
  Status pause(const std::string& name);
  Status resume(const std::string& name);
  Status remove(const std::string& name);  // it is gone when view() does not find it
  Status request_syncpoint(const std::string& name);

  std::vector<FeedView> views() const;  // by name
  std::optional<FeedView> view(const std::string& name) const;
  EventHub& events() { return events_; }
  // What the thread does all the time: progress, states, retries, what is removed. For tests.
  void tick();

 private:
  using Runners = std::map<std::string, std::shared_ptr<FeedRunner>>;
  struct Feeds {
    Runners runners;
    bool draining = false;
  };

  FeedFleet(FleetSetup setup, FolderLock lock, StateStore store);
  Result<std::shared_ptr<FeedRunner>> find(const std::string& name) const;
  Runners runners() const;
  void look_after();
  void save_checkpoints();
  void reap(const Runners& runners);
  void publish_status();

  FolderLock lock_;
  StateStore store_;
  EventHub events_;
  FleetTools tools_;
  const std::function<void(const std::string&)> removed_;
  Guarded<Feeds> feeds_;
  Guarded<bool> closing_{false};
  std::thread keeper_;
};

}  // namespace wherry::control
