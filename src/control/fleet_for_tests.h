// A fleet whose feeds do what the test says: how they end, how far they are, and what time it is.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "control/feed_fleet.h"
#include "control/folder_for_tests.h"
#include "support/guarded.h"

namespace wherry::control {

// What the feeds of one name are told to do and were seen to do.
class FeedScript {
 public:
  struct State {
    unsigned made = 0;
    unsigned running = 0;
    unsigned stops = 0;
    unsigned syncpoints = 0;
    bool heeds_stop = true;
    std::deque<Status> ends;     // the next one ends the run
    std::deque<Error> not_made;  // the next one is the factory's answer
    feed::FeedProgress progress;
    FeedSpec spec;
    FeedStart start;
  };

  void end(Status outcome) {
    state.with([&](State& s) { s.ends.push_back(std::move(outcome)); });
  }
  void progress(std::uint64_t cseq, std::chrono::milliseconds lag = {}) {
    state.with([&](State& s) {
      s.progress.cseq = cseq;
      s.progress.position.file = {"binlog.000001", cseq};
      s.progress.lag = lag;
    });
  }
  // False after ten seconds.
  bool wait(const std::function<bool(const State&)>& ready) {
    return state.wait_for(std::chrono::seconds(10), ready);
  }
  bool wait_runs(unsigned runs) {
    return wait([runs](const State& s) { return s.made >= runs && s.running == 1; });
  }

  Guarded<State> state;
};

class ScriptedFeed : public feed::Feed {
 public:
  explicit ScriptedFeed(std::shared_ptr<FeedScript> script) : script_(std::move(script)) {}

  Status run() override {
    script_->state.with([](FeedScript::State& s) { ++s.running; });
    return script_->state.wait(
        [this](const FeedScript::State& s) {
          return !s.ends.empty() || (stopped_.load() && s.heeds_stop);
        },
        [](FeedScript::State& s) -> Status {
          --s.running;
          if (s.ends.empty()) return Error{Errc::interrupted, "asked to stop", 0};
          Status outcome = std::move(s.ends.front());
          s.ends.pop_front();
          return outcome;
        });
  }
  void stop() override {
    stopped_ = true;
    script_->state.with([](FeedScript::State& s) { ++s.stops; });
  }
  std::shared_ptr<const feed::FeedProgress> progress() const override {
    return script_->state.read([](const FeedScript::State& s) {
      return std::make_shared<const feed::FeedProgress>(s.progress);
    });
  }
  Status request_syncpoint() override {
    script_->state.with([](FeedScript::State& s) { ++s.syncpoints; });
    return Unit{};
  }

 private:
  std::shared_ptr<FeedScript> script_;
  std::atomic<bool> stopped_{false};
};

// A fleet over scripts by name, in a folder of its own, that can be closed and opened again. Only
// tick() moves it besides its own thread, and the clock stands until it is moved.
class FleetForTests {
 public:
  FleetForTests() { open(); }
  ~FleetForTests() { close(); }
  FleetForTests(const FleetForTests&) = delete;
  FleetForTests& operator=(const FleetForTests&) = delete;

  void open() {
    FleetClock clock;
    clock.steady = [this] { return FeedTime{} + std::chrono::hours(1) + now_.load(); };
    clock.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000)) +
             now_.load();
    };
    clock.jitter = [] { return 0.0; };
    Result<std::unique_ptr<FeedFleet>> opened = FeedFleet::open(
        {folder.file("data"),
         [this](const FeedSpec& spec, const FeedStart& start) { return make(spec, start); }, clock,
         [this](const std::string& name) {
           removed.with([&](auto& names) { names.push_back(name); });
         },
         [this](const FeedSpec&, const std::stop_token&) {
           return discards.with([](auto& answers) {
             Status answer = answers.empty() ? Status(Unit{}) : answers.front();
             if (!answers.empty()) answers.pop_front();
             return answer;
           });
         }});
    ASSERT_TRUE(opened.ok()) << opened.error().what;
    fleet = std::move(opened).value();
    fleet->start();
  }
  void close() { fleet.reset(); }

  std::shared_ptr<FeedScript> script(const std::string& name) {
    return scripts_.with([&](auto& scripts) {
      std::shared_ptr<FeedScript>& found = scripts[name];
      if (!found) found = std::make_shared<FeedScript>();
      return found;
    });
  }
  void pass(std::chrono::milliseconds time) {
    now_ = now_.load() + time;
    fleet->tick();
  }
  static Json keys(const std::string& name) {
    return {{"name", name}, {"source", "mysql://u:secret-1@h/"}, {"sink", "file:///tmp/x"}};
  }
  void create(const std::string& name) {
    const Result<std::string> made = fleet->create(keys(name));
    ASSERT_TRUE(made.ok()) << made.error().what;
  }
  // Ticks until it is so; false after ten seconds.
  bool reaches(const std::function<bool()>& ready) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!ready()) {
      if (std::chrono::steady_clock::now() > until) return false;
      fleet->tick();
      std::this_thread::yield();
    }
    return true;
  }
  bool reaches(const std::string& name, FeedState state) const {
    return reaches([&] {
      const auto view = fleet->view(name);
      return view && view->note.state == state && !view->running;
    });
  }
  bool shows(const std::string& name, FeedState state) const {
    return reaches([&] {
      const auto view = fleet->view(name);
      return view && view->note.state == state;
    });
  }

  FolderForTests folder;
  Guarded<std::vector<std::string>> removed;
  Guarded<std::deque<Status>> discards;  // the next one is the answer; none: done
  std::unique_ptr<FeedFleet> fleet;

 private:
  Result<std::unique_ptr<feed::Feed>> make(const FeedSpec& spec, const FeedStart& start) {
    std::shared_ptr<FeedScript> found = script(spec.name);
    std::optional<Error> refused = found->state.with([&](FeedScript::State& s) {
      ++s.made;
      s.spec = spec;
      s.start = start;
      std::optional<Error> error;
      if (!s.not_made.empty()) {
        error = s.not_made.front();
        s.not_made.pop_front();
      }
      return error;
    });
    if (refused) return *refused;
    return std::unique_ptr<feed::Feed>(std::make_unique<ScriptedFeed>(std::move(found)));
  }

  std::atomic<std::chrono::milliseconds> now_{std::chrono::milliseconds(0)};
  Guarded<std::map<std::string, std::shared_ptr<FeedScript>>> scripts_;
};

}  // namespace wherry::control
