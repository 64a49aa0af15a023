#include "feed/table_router.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/units.h"

namespace wherry::feed {
namespace {

using Blocked = dispatch::InflightBudget::Account::Blocked;

constexpr std::size_t kKnownMax = 1 << 16;
constexpr std::size_t kTurnBatches = 32;  // then others have theirs

StreamPoint behind(const StreamPoint& at) { return {at.cseq, at.row + 1}; }

}  // namespace

TableRouter::TableRouter(dispatch::AsyncSink& sink, const TableRouterOptions& options,
                         OpenWalk open_walk)
    : sink_(sink),
      options_(options),
      open_walk_(std::move(open_walk)),
      budget_(options.limits),
      state_(options.done) {}

TableRouter::~TableRouter() {
  // Statements and their tables hold each other.
  std::map<TableName, DispatcherPtr> last;
  state_.with([&](State& state) {
    for (const auto& [at, block] : state.blocks) {
      for (const DispatcherPtr& one : block->concerned) one->parked = nullptr;
      block->followers.clear();
    }
    last = std::move(state.by_target);
  });
}

DispatcherPtr TableRouter::dispatcher_of(const TableName& source, const TableName& target) {
  return state_.with([&](State& state) {
    DispatcherPtr& found = state.by_target[target];
    if (found == nullptr) {
      found = std::make_shared<Dispatcher>(target);
      found->stream = ++state.last_id;
      found->account = budget_.open([this, raw = found.get()] { return wake(*raw); });
      state.by_stream[found->stream] = found;
      // A statement about its whole database may still wait; the newest one comes last.
      for (const auto& [at, block] : state.blocks) {
        if (block->whole_database != source.database) continue;
        found->parked = block;
        block->concerned.insert(found);
      }
    }
    found->sources.insert(source);
    return found;
  });
}

void TableRouter::rows(const StreamStep& step) {
  if (known_.size() > kKnownMax) known_.clear();
  Known& known = known_[step.table.get()];
  if (known.table == nullptr)
    known = {step.table, dispatcher_of(step.table->source, step.table->target)};
  const DispatcherPtr& dispatcher = known.dispatcher;
  if (!dispatcher->road_free && !enter(dispatcher, step.at)) return;
  if (dispatcher->open == nullptr) open_.insert(dispatcher);
  take(*dispatcher, step);
  if (dispatcher->open->byte_size() < options_.chunk_bytes) return;
  open_.erase(dispatcher);
  if (hand_over(*dispatcher)) return;
  dispatcher->road_free = false;
  wait_for_room(*dispatcher);
}

// False: the road leaves the step to it. It never runs ahead: it takes what was left to it and no
// more, so a step of the road is always new to one that is attached.
bool TableRouter::enter(const DispatcherPtr& dispatcher, const StreamPoint& at) {
  return state_.with([&](State& state) {
    if (!dispatcher->detached && !dispatcher->blocked && dispatcher->parked == nullptr) {
      dispatcher->road_free = true;
      return true;
    }
    if (!dispatcher->detached) detach(state, *dispatcher, at);
    dispatcher->skipped = at;
    schedule(state, dispatcher);
    return false;
  });
}

void TableRouter::detach(State& state, Dispatcher& dispatcher, const StreamPoint& at) {
  dispatcher.road_free = false;
  dispatcher.detached = true;
  dispatcher.next = at;
  dispatcher.floor = at.cseq;
  state.checkpoint.add(at.cseq, dispatcher.stream);
  ++state.detached;
}

void TableRouter::take(Dispatcher& dispatcher, const StreamStep& step) {
  if (dispatcher.open == nullptr) {
    dispatcher.open = std::make_unique<dispatch::TableRows>();
    dispatcher.open->target = dispatcher.target;
    dispatcher.open->stream = dispatcher.stream;
    dispatcher.open_cseq = step.at.cseq;
  }
  dispatcher.open->add(*step.batch, *step.event, step.table, step.origin);
}

// False: it must stop; its wake comes, or has come already.
bool TableRouter::hand_over(Dispatcher& dispatcher) {
  std::unique_ptr<dispatch::TableRows> rows = std::move(dispatcher.open);
  if (rows == nullptr) return true;
  rows->ticket = dispatcher.next_ticket++;
  const std::uint64_t bytes = rows->byte_size();
  const bool goes = state_.with([&](State& state) {
    if (state.stopping) return false;
    dispatcher.inflight.push_back({rows->ticket, dispatcher.open_cseq, bytes});
    state.checkpoint.add(dispatcher.open_cseq, dispatcher.stream);
    ++state.on_their_way;
    // Before the budget is asked: its wake may come before its answer is looked at.
    dispatcher.blocked = true;
    return true;
  });
  if (!goes) return false;
  dispatcher.account->charge(bytes);
  sink_.accept(std::move(rows));
  if (!dispatcher.account->may_go_on()) return false;
  state_.with([&](State&) { dispatcher.blocked = false; });
  return true;
}

// Where the feed's mark is reached everybody would have to stop, so the road does.
void TableRouter::wait_for_room(const Dispatcher& dispatcher) {
  constexpr std::chrono::milliseconds kLook{200};
  while (dispatcher.account->blocked() == Blocked::feed) {
    const bool over = state_.wait_for(
        kLook, [&](const State& state) { return !dispatcher.blocked || state.stopping; });
    if (over) return;
  }
}

// Whether it has a turn now. One that keeps step with the road goes on with its next rows, and
// nobody knows when they come.
bool TableRouter::wake(Dispatcher& dispatcher) {
  return state_.with([&](State& state) {
    dispatcher.blocked = false;
    const auto found = state.by_stream.find(dispatcher.stream);
    if (found != state.by_stream.end()) schedule(state, found->second);
    return dispatcher.turning;
  });
}

void TableRouter::schedule(State& state, const DispatcherPtr& dispatcher) {
  if (!dispatcher->detached || dispatcher->blocked || dispatcher->parked != nullptr ||
      dispatcher->turning || state.stopping)
    return;
  dispatcher->turning = true;
  turns_.push(dispatcher);
}

void TableRouter::flush(std::uint64_t done) {
  while (!open_.empty()) {
    const DispatcherPtr dispatcher = *open_.begin();
    open_.erase(open_.begin());
    if (hand_over(*dispatcher)) continue;
    dispatcher->road_free = false;
    wait_for_room(*dispatcher);
  }
  const bool retired = state_.with([&](State& state) {
    if (!state.stopping) state.checkpoint.road(done);
    return !state.retired.empty();
  });
  if (retired) remove_retired();
}

void TableRouter::remove_retired() {
  std::vector<DispatcherPtr> gone;
  state_.with([&](State& state) {
    for (DispatcherPtr& one : std::exchange(state.retired, {})) {
      const bool idle = one->inflight.empty() && !one->detached && !one->turning && !one->blocked &&
                        one->parked == nullptr;
      const auto found = state.by_target.find(one->target);
      if (!idle || found == state.by_target.end() || found->second != one) continue;
      state.by_target.erase(found);
      state.by_stream.erase(one->stream);
      gone.push_back(std::move(one));
    }
  });
  known_.clear();
}

bool TableRouter::run_turn() {
  const DispatcherPtr dispatcher = turns_.pop();
  if (dispatcher == nullptr) return false;
  turn(dispatcher);
  return true;
}

bool TableRouter::run_turn_now() {
  const DispatcherPtr dispatcher = turns_.try_pop();
  if (dispatcher == nullptr) return false;
  turn(dispatcher);
  return true;
}

void TableRouter::turn(const DispatcherPtr& dispatcher) {
  if (dispatcher->walk == nullptr)
    dispatcher->walk = open_walk_(dispatcher->next, dispatcher->target);
  std::optional<StreamPoint> next;
  for (std::size_t batches = 0; batches < kTurnBatches;) {
    Result<const StreamStep*> step = dispatcher->walk->next(std::chrono::milliseconds(0));
    if (!step.ok()) return failed(step.error().within(dispatcher->target.to_string()));
    if (step.value() == nullptr) {
      ++batches;
      continue;
    }
    const StreamStep& at = *step.value();
    if (at.kind == StreamStep::Kind::statement) {
      if (!arrive_by_turn(dispatcher, at.at)) continue;
      next = behind(at.at);
      break;
    }
    take(*dispatcher, at);
    next = behind(at.at);
    if (dispatcher->open->byte_size() >= options_.chunk_bytes || caught_up(*dispatcher, *next))
      break;
  }
  end_turn(dispatcher, next);
}

bool TableRouter::caught_up(const Dispatcher& dispatcher, const StreamPoint& next) const {
  return state_.read([&](const State&) { return dispatcher.skipped < next; });
}

void TableRouter::end_turn(const DispatcherPtr& dispatcher,
                           const std::optional<StreamPoint>& next) {
  (void)hand_over(*dispatcher);
  std::unique_ptr<StreamWalk> walk;
  Ready ready;
  const bool again = state_.with([&](State& state) {
    dispatcher->turning = false;
    if (state.stopping) return false;
    if (next) {
      dispatcher->next = *next;
      state.checkpoint.remove(dispatcher->floor, dispatcher->stream);
      if (dispatcher->skipped < *next) {
        // All that the road left to it is taken: from here on the road brings it.
        dispatcher->detached = false;
        --state.detached;
        walk = std::move(dispatcher->walk);
      } else {
        dispatcher->floor = next->cseq;
        state.checkpoint.add(next->cseq, dispatcher->stream);
      }
    }
    settle(dispatcher, ready);
    schedule(state, dispatcher);
    return dispatcher->turning;
  });
  // A wake that came during the turn kept room for another one.
  if (!again) dispatcher->account->pass();
  begin(ready);
}

void TableRouter::durable(std::uint64_t stream, std::uint64_t ticket) {
  DispatcherPtr dispatcher;
  std::uint64_t bytes = 0;
  Ready ready;
  state_.with([&](State& state) {
    const auto found = state.by_stream.find(stream);
    if (found == state.by_stream.end()) return;
    dispatcher = found->second;
    auto& inflight = dispatcher->inflight;
    while (!inflight.empty() && inflight.front().ticket <= ticket) {
      bytes += inflight.front().bytes;
      state.checkpoint.remove(inflight.front().cseq, stream);
      inflight.pop_front();
      --state.on_their_way;
    }
    settle(dispatcher, ready);
  });
  if (dispatcher != nullptr && bytes > 0) dispatcher->account->release(bytes);
  begin(ready);
}

void TableRouter::failed(const Error& error) {
  state_.with([&](State& state) {
    if (!state.error) state.error = error;
    state.stopping = true;
  });
  turns_.close();
}

void TableRouter::stop() {
  state_.with([](State& state) { state.stopping = true; });
  turns_.close();
}

bool TableRouter::drain(std::chrono::milliseconds time) {
  return state_.wait_for(
      time, [](const State& state) { return state.on_their_way == 0 || state.error.has_value(); });
}

std::uint64_t TableRouter::checkpoint() const {
  return state_.read([](const State& state) { return state.checkpoint.value(); });
}

std::optional<Error> TableRouter::error() const {
  return state_.read([](const State& state) { return state.error; });
}

RouterStats TableRouter::stats() const {
  RouterStats stats;
  state_.read([&](const State& state) {
    stats.dispatchers = state.by_target.size();
    stats.detached = state.detached;
    stats.blocks = state.blocks.size();
  });
  stats.inflight = budget_.stats();
  return stats;
}

std::string TableRouter::held_by() const {
  return state_.read([](const State& state) -> std::string {
    const std::uint64_t holder = state.checkpoint.holder();
    if (const auto block = state.blocks_by_id.find(holder); block != state.blocks_by_id.end()) {
      const Block& one = *block->second;
      if (one.begun) return fmt::format("{} waits for the sink", one.event.kind);
      if (one.missing.empty()) return fmt::format("{} waits for an earlier one", one.event.kind);
      return fmt::format("{} waits for {} ({} tables in all)", one.event.kind,
                         (*one.missing.begin())->target.to_string(), one.missing.size());
    }
    const auto found = state.by_stream.find(holder);
    if (found == state.by_stream.end()) return "";
    const Dispatcher& one = *found->second;
    std::uint64_t bytes = 0;
    for (const Dispatcher::Inflight& part : one.inflight) bytes += part.bytes;
    if (bytes > 0)
      return fmt::format("{} waits for the sink with {}", one.target.to_string(),
                         format_bytes(bytes));
    return fmt::format("{} catches up from transaction {}", one.target.to_string(), one.floor);
  });
}

}  // namespace wherry::feed
