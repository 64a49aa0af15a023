#include "control/feed_runner.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "control/feed_keys.h"
#include "support/log.h"

namespace wherry::control {
namespace {

constexpr std::chrono::seconds kDiscardAgain{10};

Error conflict(std::string what) { return {Errc::conflict, std::move(what), 0}; }

bool says_something(const feed::FeedProgress& progress) {
  return progress.cseq > 0 || !progress.position.empty() || progress.rows_copied > 0;
}

Checkpoint checkpoint_of(const feed::FeedProgress& progress) {
  return {progress.cseq, progress.position, progress.rows_copied};
}

FeedLife::Past past_of(const FeedNote& note) {
  const Checkpoint reached = note.checkpoint.value_or(Checkpoint{});
  return {note.state, note.error, note.retries, reached.cseq, reached.rows_copied};
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

FeedRunner::FeedRunner(FeedRecord record, const FleetTools& tools) : tools_(tools) {
  state_.with([&](State& state) {
    state.life = FeedLife(past_of(record.note));
    state.record = std::move(record);
  });
}

FeedRunner::~FeedRunner() {
  drain();
  if (thread_.joinable()) thread_.join();
}

double FeedRunner::jitter() const {
  if (tools_.clock.jitter) return tools_.clock.jitter();
  std::random_device chance;
  return std::uniform_real_distribution<double>(-1, 1)(chance);
}

void FeedRunner::start() {
  state_.with([&](State& state) {
    if (state.record.note.wanted == Wanted::removed) state.ending = true;
    const FeedState before = state.life.state();
    // The process before this one may have died while the feed stopped.
    if (state.record.note.wanted == Wanted::paused && state.life.pause().ok())
      note_change(state, before);
    if (state.record.note.wanted != Wanted::running) return;
    if (before == FeedState::finished) return;
    // A new process is a new try for a feed that failed.
    if (before == FeedState::failed || before == FeedState::stopped) {
      (void)state.life.resume(tools_.clock.steady());
      note_change(state, before);
    }
    state.go = true;
  });
  thread_ = std::thread([this] { loop(); });
}

void FeedRunner::loop() {
  const auto ready = [](const State& state) { return state.go || state.ending; };
  for (;;) {
    // One step under one lock: a pause comes before it or finds a feed that runs.
    const std::optional<Run> run = state_.wait(ready, [&](State& state) { return begin(state); });
    if (!run) break;
    const Status outcome = run_feed(*run);
    state_.with([&](State& state) { conclude(state, outcome); });
  }
  discard();
  over_ = true;
}

// What a removed feed keeps elsewhere; a process that ends leaves the rest to the next one.
void FeedRunner::discard() {
  const std::stop_token stop = draining_.get_token();
  for (;;) {
    const FeedRecord record = state_.read([](const State& state) { return state.record; });
    if (record.note.wanted != Wanted::removed) return;
    const Status done = tools_.discard ? tools_.discard(record.spec, stop) : Status(Unit{});
    if (done.ok()) break;
    if (done.error().code == Errc::interrupted) return;
    log::warning("control", "feed {} is not removed yet: {}", record.spec.name, done.error().what);
    const auto asked = [&](const State&) { return stop.stop_requested(); };
    if (state_.wait_for(kDiscardAgain, asked)) return;
  }
  gone_ = true;
}

std::optional<FeedRunner::Run> FeedRunner::begin(State& state) {
  if (state.ending) return std::nullopt;
  state.go = false;
  state.asked = false;
  state.running = true;
  state.life.started();
  state.watch.reset();
  return Run{state.record.spec,
             {tools_.data_dir, state.record.note.checkpoint,
              [this](const feed::FeedProgress& now) { return persist(now); }}};
}

// On disk first: the next run, of this process or another, goes on there.
Status FeedRunner::persist(const feed::FeedProgress& now) {
  const Checkpoint at = checkpoint_of(now);
  const std::string name = state_.read([](const State& state) { return state.record.spec.name; });
  const StateStore::Passed passed[] = {{name, at}};
  if (Status kept = tools_.store.set_checkpoints(passed); !kept.ok()) return kept;
  state_.with([&](State& state) { state.record.note.checkpoint = at; });
  return Unit{};
}

Status FeedRunner::run_feed(const Run& run) {
  Result<std::unique_ptr<feed::Feed>> made = tools_.factory(run.spec, run.start);
  if (!made.ok()) return made.error();
  const std::shared_ptr<feed::Feed> feed = std::move(made).value();
  const bool wanted = state_.with([&](State& state) {
    if (!state.asked) state.feed = feed;
    return !state.asked;
  });
  if (!wanted) return Error{Errc::interrupted, "stopped before it began", 0};
  Status outcome = feed->run();
  // From here on only this thread uses it, and it ends here: nobody waits for it under the lock.
  state_.with([&](State& state) {
    look(state);
    state.feed.reset();
  });
  return outcome;
}

// Under the lock, after a run.
void FeedRunner::conclude(State& state, const Status& outcome) {
  const FeedState before = state.life.state();
  state.running = false;
  state.stall.reset();
  const bool stopped = state.asked && !outcome.ok() && outcome.error().code == Errc::interrupted;
  if (!stopped) state.life.ended(outcome, tools_.clock.steady(), jitter());
  if (!outcome.ok() && !stopped) {
    log::warning("control", "feed {}: {}", state.record.spec.name, outcome.error().what);
  }
  if (state.record.note.wanted == Wanted::paused) (void)state.life.pause();
  if (stopped && state.record.note.wanted == Wanted::running && !state.ending) state.go = true;
  note_change(state, before);
}

// Under the lock.
void FeedRunner::look(State& state) {
  if (!state.feed) return;
  const std::shared_ptr<const feed::FeedProgress> progress = state.feed->progress();
  if (!progress) return;
  const FeedState before = state.life.state();
  const unsigned retries = state.life.retries();
  state.life.progressed(*progress);
  if (says_something(*progress)) {
    Checkpoint now = checkpoint_of(*progress);
    state.unsaved = state.unsaved || state.record.note.checkpoint != now;
    state.record.note.checkpoint = std::move(now);
  }
  const bool was_stalled = state.stall.has_value();
  state.stall = state.watch.look(*progress, tools_.clock.steady(), state.record.spec.stall_after);
  if (state.stall && !was_stalled) {
    log::warning("control", "feed {} does not get on: {}", state.record.spec.name,
                 state.stall->reason);
  }
  if (before != state.life.state() || retries != state.life.retries()) note_change(state, before);
}

void FeedRunner::tick() {
  state_.with([&](State& state) {
    look(state);
    const std::optional<FeedTime> due = state.life.due();
    const bool idle = !state.running && state.record.note.wanted == Wanted::running;
    if (idle && due && tools_.clock.steady() >= *due) state.go = true;
  });
}

// Under the lock.
void FeedRunner::stop_run(State& state) {
  state.asked = true;
  state.go = false;
  if (state.feed) state.feed->stop();
}

Status FeedRunner::save(State& state) {
  state.record.note.state = state.life.state();
  state.record.note.error = state.life.error();
  state.record.note.retries = state.life.retries();
  state.record.changed = tools_.clock.wall();
  return tools_.store.set_note(state.record.spec.name, state.record.note, state.record.changed);
}

// A change that nobody asked for: a disk that fails does not stop the feed.
void FeedRunner::note_change(State& state, FeedState before) {
  const FeedState now = state.life.state();
  if (Status saved = save(state); !saved.ok())
    log::error("control", "feed {}: {}", state.record.spec.name, saved.error().what);
  if (now == before) return;
  log::info("control", "feed {} is {}, was {}", state.record.spec.name, to_string(now),
            to_string(before));
  Json event = {{"feed", state.record.spec.name},
                {"from", to_string(before)},
                {"state", to_string(now)},
                {"time", to_json(tools_.clock.wall())}};
  event["error"] = state.life.error() ? to_json(*state.life.error()) : Json(nullptr);
  tools_.events.publish("state", dump(event));
}

Status FeedRunner::pause() {
  return state_.with([&](State& state) -> Status {
    const FeedState before = state.life.state();
    if (state.record.note.wanted == Wanted::removed) return conflict("the feed is being removed");
    if (state.record.note.wanted == Wanted::paused) return conflict("the feed is paused already");
    if (!next_state(before, FeedEvent::paused))
      return conflict(fmt::format("the feed is {}", to_string(before)));
    state.record.note.wanted = Wanted::paused;
    if (Status saved = save(state); !saved.ok()) {
      state.record.note.wanted = Wanted::running;
      return saved;
    }
    stop_run(state);
    if (state.running) return Unit{};
    (void)state.life.pause();
    note_change(state, before);
    return Unit{};
  });
}

Status FeedRunner::resume() {
  return state_.with([&](State& state) -> Status {
    const FeedState before = state.life.state();
    const Wanted wanted = state.record.note.wanted;
    if (wanted == Wanted::removed) return conflict("the feed is being removed");
    // One that still stops goes on when it has.
    const bool stopping = wanted == Wanted::paused && state.running;
    if (!stopping && state.running) return conflict("the feed runs already");
    if (!stopping && !next_state(before, FeedEvent::resumed))
      return conflict(fmt::format("the feed is {}", to_string(before)));
    state.record.note.wanted = Wanted::running;
    if (Status saved = save(state); !saved.ok()) {
      state.record.note.wanted = wanted;
      return saved;
    }
    if (stopping) return Unit{};
    (void)state.life.resume(tools_.clock.steady());
    state.go = true;
    note_change(state, before);
    return Unit{};
  });
}

Status FeedRunner::change(const Json& patch) {
  return state_.with([&](State& state) -> Status {
    Result<FeedChange> change = changed_feed(state.record.spec, patch);
    if (!change.ok()) return change.error();
    if (state.record.note.wanted == Wanted::removed) return conflict("the feed is being removed");
    const std::vector<std::string> stop = keys_that_need_a_stop(change.value().changed);
    const bool at_rest = !state.running && !state.life.due() && !state.go;
    if (!at_rest && !stop.empty()) {
      return conflict(fmt::format("the feed is {} and takes another {} only when it is stopped",
                                  to_string(state.life.state()), joined(stop)));
    }
    const auto now = tools_.clock.wall();
    if (Status saved = tools_.store.set_spec(change.value().spec, now); !saved.ok()) return saved;
    state.record.spec = std::move(change.value().spec);
    state.record.changed = now;
    return Unit{};
  });
}

Status FeedRunner::request_syncpoint() {
  const std::shared_ptr<feed::Feed> feed =
      state_.read([](const State& state) { return state.feed; });
  if (!feed) {
    return conflict(state_.read([](const State& state) {
      return fmt::format("the feed is {} and does not run now", to_string(state.life.state()));
    }));
  }
  return feed->request_syncpoint();
}

Status FeedRunner::remove() {
  return state_.with([&](State& state) -> Status {
    const Wanted wanted = std::exchange(state.record.note.wanted, Wanted::removed);
    if (Status saved = save(state); !saved.ok()) {
      state.record.note.wanted = wanted;
      return saved;
    }
    state.ending = true;
    stop_run(state);
    return Unit{};
  });
}

void FeedRunner::drain() {
  draining_.request_stop();
  state_.with([&](State& state) {
    state.ending = true;
    stop_run(state);
  });
  if (!thread_.joinable()) over_ = true;
}

FeedView FeedRunner::view() const {
  return state_.read([&](const State& state) {
    const FeedTime now = tools_.clock.steady();
    const auto wall = tools_.clock.wall();
    const auto to_wall = [&](FeedTime time) {
      return wall + std::chrono::duration_cast<std::chrono::system_clock::duration>(time - now);
    };
    FeedView view;
    view.spec = state.record.spec;
    view.note = state.record.note;
    view.running = state.running;
    if (state.feed) view.progress = state.feed->progress();
    // With the rest of the progress, and not as of the last tick.
    if (view.progress && says_something(*view.progress))
      view.note.checkpoint = checkpoint_of(*view.progress);
    if (state.life.due() && !state.running) view.retry_at = to_wall(*state.life.due());
    if (state.stall)
      view.stalled = FeedView::Stalled{to_wall(state.stall->since), state.stall->reason};
    view.created = state.record.created;
    view.changed = state.record.changed;
    return view;
  });
}

std::optional<Checkpoint> FeedRunner::take_checkpoint() {
  return state_.with([](State& state) -> std::optional<Checkpoint> {
    if (!std::exchange(state.unsaved, false)) return std::nullopt;
    return state.record.note.checkpoint;
  });
}

}  // namespace wherry::control
