#include "control/feed_fleet.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/feed_keys.h"
#include "support/log.h"

namespace wherry::control {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr int kTicksToStatus = 5;        // a second
constexpr int kTicksToCheckpoints = 25;  // five seconds

Error conflict(std::string what) { return {Errc::conflict, std::move(what), 0}; }

}  // namespace

FeedFleet::FeedFleet(FleetSetup setup, FolderLock lock, StateStore store)
    : lock_(std::move(lock)),
      store_(std::move(store)),
      tools_{std::move(setup.data_dir),
             std::move(setup.factory),
             std::move(setup.clock),
             store_,
             events_,
             std::move(setup.discard)},
      removed_(std::move(setup.removed)) {}

FeedFleet::~FeedFleet() {
  closing_.with([](bool& closing) { closing = true; });
  if (keeper_.joinable()) keeper_.join();
  // The runners end before what they share; the store takes their last words.
  feeds_.with([](Feeds& feeds) {
    for (auto& [name, runner] : feeds.runners) runner->drain();
  });
  Runners last = feeds_.with([](Feeds& feeds) { return std::exchange(feeds.runners, {}); });
  last.clear();
}

Result<std::unique_ptr<FeedFleet>> FeedFleet::open(FleetSetup setup) {
  Result<FolderLock> lock = FolderLock::take(setup.data_dir);
  if (!lock.ok()) return lock.error();
  const std::string path = (std::filesystem::path(setup.data_dir) / "state.db").string();
  Result<StateStore> store = StateStore::open(path);
  if (!store.ok()) return store.error();
  Result<std::vector<FeedRecord>> records = store.value().feeds();
  if (!records.ok()) return records.error().within(path);
  std::unique_ptr<FeedFleet> fleet(
      new FeedFleet(std::move(setup), std::move(lock).value(), std::move(store).value()));
  fleet->feeds_.with([&](Feeds& feeds) {
    for (FeedRecord& record : records.value()) {
      const std::string name = record.spec.name;
      feeds.runners[name] = std::make_shared<FeedRunner>(std::move(record), fleet->tools_);
    }
  });
  return fleet;
}

void FeedFleet::start() {
  for (const auto& [name, runner] : runners()) runner->start();
  keeper_ = std::thread([this] { look_after(); });
}

FeedFleet::Runners FeedFleet::runners() const {
  return feeds_.read([](const Feeds& feeds) { return feeds.runners; });
}

Result<std::shared_ptr<FeedRunner>> FeedFleet::find(const std::string& name) const {
  return feeds_.read([&](const Feeds& feeds) -> Result<std::shared_ptr<FeedRunner>> {
    if (feeds.draining) return conflict("the server is shutting down");
    const auto found = feeds.runners.find(name);
    if (found == feeds.runners.end()) return conflict(fmt::format("there is no feed {}", name));
    return found->second;
  });
}

void FeedFleet::look_after() {
  for (int ticks = 1; !closing_.wait_for(kTick, [](bool closing) { return closing; }); ++ticks) {
    tick();
    if (ticks % kTicksToStatus == 0) publish_status();
    if (ticks % kTicksToCheckpoints == 0) save_checkpoints();
  }
}

void FeedFleet::tick() {
  const Runners all = runners();
  for (const auto& [name, runner] : all) runner->tick();
  reap(all);
}

// What is removed and has ended is forgotten.
void FeedFleet::reap(const Runners& runners) {
  for (const auto& [name, runner] : runners) {
    if (!runner->gone()) continue;
    if (removed_) removed_(name);
    if (Status removed = store_.remove(name); !removed.ok()) {
      log::error("control", "feed {}: {}", name, removed.error().what);
      continue;
    }
    feeds_.with([&gone = name](Feeds& feeds) { feeds.runners.erase(gone); });
    log::info("control", "feed {} is removed", name);
    events_.publish("removed", dump(Json{{"feed", name}}));
  }
}

void FeedFleet::publish_status() {
  if (events_.has_readers()) events_.publish("status", dump(fleet_json(views())));
}

void FeedFleet::save_checkpoints() {
  std::vector<StateStore::Passed> passed;
  for (const auto& [name, runner] : runners()) {
    if (std::optional<Checkpoint> checkpoint = runner->take_checkpoint())
      passed.push_back({name, std::move(*checkpoint)});
  }
  if (passed.empty()) return;
  if (Status saved = store_.set_checkpoints(passed); !saved.ok())
    log::error("control", "checkpoints: {}", saved.error().what);
}

std::vector<std::string> FeedFleet::drain(std::chrono::milliseconds limit) {
  const Runners all = feeds_.with([](Feeds& feeds) {
    feeds.draining = true;
    return feeds.runners;
  });
  for (const auto& [name, runner] : all) runner->drain();
  const FeedTime until = std::chrono::steady_clock::now() + limit;
  std::vector<std::string> left;
  for (;;) {
    left.clear();
    for (const auto& [name, runner] : all) {
      if (!runner->over()) left.push_back(name);
    }
    if (left.empty() || std::chrono::steady_clock::now() >= until) break;
    (void)closing_.wait_for(std::chrono::milliseconds(10), [](bool closing) { return closing; });
  }
  save_checkpoints();
  return left;
}

Result<std::string> FeedFleet::create(const Json& document) {
  Result<FeedSpec> spec = feed_from_json(document);
  if (!spec.ok()) return spec.error();
  const std::string name = spec.value().name;
  const auto now = tools_.clock.wall();
  FeedRecord record{std::move(spec).value(), {}, now, now};
  return feeds_.with([&](Feeds& feeds) -> Result<std::string> {
    if (feeds.draining) return conflict("the server is shutting down");
    const auto found = feeds.runners.find(name);
    if (found != feeds.runners.end()) {
      const bool leaving = found->second->view().note.wanted == Wanted::removed;
      return conflict(leaving ? fmt::format("the feed {} is still being removed", name)
                              : fmt::format("there is a feed {} already", name));
    }
    if (Status added = store_.add(record); !added.ok()) return added.error();
    auto runner = std::make_shared<FeedRunner>(std::move(record), tools_);
    runner->start();
    feeds.runners[name] = std::move(runner);
    return name;
  });
}

Status FeedFleet::change(const std::string& name, const Json& patch) {
  Result<std::shared_ptr<FeedRunner>> runner = find(name);
  return runner.ok() ? runner.value()->change(patch) : runner.error();
}

Status FeedFleet::pause(const std::string& name) {
  Result<std::shared_ptr<FeedRunner>> runner = find(name);
  return runner.ok() ? runner.value()->pause() : runner.error();
}

Status FeedFleet::resume(const std::string& name) {
  Result<std::shared_ptr<FeedRunner>> runner = find(name);
  return runner.ok() ? runner.value()->resume() : runner.error();
}

Status FeedFleet::remove(const std::string& name) {
  Result<std::shared_ptr<FeedRunner>> runner = find(name);
  return runner.ok() ? runner.value()->remove() : runner.error();
}

Status FeedFleet::request_syncpoint(const std::string& name) {
  Result<std::shared_ptr<FeedRunner>> runner = find(name);
  return runner.ok() ? runner.value()->request_syncpoint() : runner.error();
}

std::vector<FeedView> FeedFleet::views() const {
  std::vector<FeedView> out;
  for (const auto& [name, runner] : runners()) out.push_back(runner->view());
  return out;
}

std::optional<FeedView> FeedFleet::view(const std::string& name) const {
  const std::shared_ptr<FeedRunner> runner =
      feeds_.read([&](const Feeds& feeds) -> std::shared_ptr<FeedRunner> {
        const auto found = feeds.runners.find(name);
        return found == feeds.runners.end() ? nullptr : found->second;
      });
  if (!runner) return std::nullopt;
  return runner->view();
}

}  // namespace wherry::control
