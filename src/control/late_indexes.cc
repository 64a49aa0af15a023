#include "control/late_indexes.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "control/table_record.h"
#include "copy/definitions.h"
#include "sink/mysql/retry.h"

namespace wherry::control {

using dispatch::PlanPtr;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kTogetherBytes = 64 << 20;

}  // namespace

void LateIndexes::expect(std::uint32_t table, std::vector<std::string> keys) {
  if (keys.empty()) return;
  state_.with([&](State& state) { state.keys[table] = std::move(keys); });
}

Status LateIndexes::put_off(const dispatch::TablePlan& table, std::vector<std::string> keys,
                            const std::function<Status()>& record) {
  Status done = recording_.with([&](Unit&) {
    state_.with([&](State& state) {
      std::vector<std::string>& all = state.keys[table.id];
      std::move(keys.begin(), keys.end(), std::back_inserter(all));
    });
    return record();
  });
  if (done.ok() && !table.state->open()) rows_are_there(table.id);
  return done;
}

std::vector<std::string> LateIndexes::keys_of(std::uint32_t table) const {
  return state_.read([&](const State& state) {
    const auto found = state.keys.find(table);
    return found == state.keys.end() ? std::vector<std::string>() : found->second;
  });
}

bool LateIndexes::all_built() const {
  return state_.read([](const State& state) { return state.keys.empty(); });
}

void LateIndexes::rows_are_there(std::uint32_t table) {
  state_.with([&](State& state) {
    if (state.keys.contains(table)) state.wanted.insert(table);
  });
}

void LateIndexes::dropped(std::uint32_t table) {
  state_.with([&](State& state) { state.keys.erase(table); });
}

void LateIndexes::close() {
  state_.with([](State& state) { state.closed = true; });
}

bool LateIndexes::closed() const {
  return state_.read([](const State& state) { return state.closed; });
}

Status LateIndexes::build_before_statement(const PlanPtr& table) {
  return keys_of(table->id).empty() ? Status(Unit{}) : build(table);
}

// Small tables are taken together, so that they wait for one turn and not each for its own.
std::vector<PlanPtr> LateIndexes::wanted() {
  state_.wait_for(200ms, [](const State& state) { return state.closed || !state.wanted.empty(); });
  std::vector<PlanPtr> tables;
  state_.with([&](State& state) {
    std::uint64_t bytes = 0;
    while (!state.wanted.empty() && bytes < kTogetherBytes) {
      const PlanPtr plan = links_.catalog.find(*state.wanted.begin());
      state.wanted.erase(state.wanted.begin());
      if (plan == nullptr) continue;  // dropped
      bytes += plan->source.data_bytes_estimate;
      tables.push_back(plan);
    }
  });
  return tables;
}

Status LateIndexes::run() {
  while (!closed()) {
    const std::vector<PlanPtr> tables = wanted();
    if (tables.empty()) continue;
    if (Status done = build_beside_the_stream(tables); !done.ok())
      return done.error().within("late indexes");
  }
  return Unit{};
}

// The server lets an ALTER begin and end only while no transaction has the table open, and no
// transaction may open it while the ALTER waits: two lanes of which one waits for the other's row
// would stand in a circle with it. So the table's changes go in single file, and all that went
// otherwise has committed.
Status LateIndexes::build_beside_the_stream(const std::vector<PlanPtr>& tables) {
  for (const PlanPtr& table : tables)
    table->state->single_file.store(true, std::memory_order_release);
  Status done = Unit{};
  if (!wait_for_turn(tables)) done = Error{Errc::interrupted, "the run ends", 0};
  for (const PlanPtr& table : tables) {
    if (done.ok()) done = build(table);
    table->state->single_file.store(false, std::memory_order_release);
  }
  return done;
}

// Until all work on the tables that lanes were given by now has committed. False: the run ends.
bool LateIndexes::wait_for_turn(const std::vector<PlanPtr>& tables) {
  const auto request = std::make_shared<dispatch::TurnRequest>();
  for (const PlanPtr& table : tables) request->tables.push_back(table->id);
  if (!links_.inbox.put(request)) return false;
  const auto answered = [](const std::optional<dispatch::LaneSeqs>& given) {
    return given.has_value();
  };
  while (!request->given.wait_for(200ms, answered)) {
    if (closed()) return false;
  }
  return links_.board.wait_idle(*request->given.read([](const auto& given) { return given; }));
}

Status LateIndexes::build(const PlanPtr& table) {
  state_.wait([&](const State& state) { return !state.building.contains(table->id); },
              [&](State& state) { state.building.insert(table->id); });
  Status done = add(table);
  state_.with([&](State& state) { state.building.erase(table->id); });
  return done;
}

Status LateIndexes::add(const PlanPtr& table) {
  const std::vector<std::string> keys = keys_of(table->id);
  if (keys.empty()) return Unit{};
  sink::RetryClock clock(300s);
  for (;;) {
    Result<std::unique_ptr<mysql::Session>> to = sink::open_apply_session(links_.target);
    Status done =
        to.ok() ? copy::add_late_indexes(*to.value(), table->target, keys) : Status(to.error());
    if (done.ok()) done = built(*to.value(), *table, keys);
    if (done.ok()) return done;
    const sink::Retry retry = clock.next(done.error());
    if (!retry.again) return done;
    if (!sink::retry_pause(retry.pause, [&] { return closed(); }))
      return Error{Errc::interrupted, "the run ends", 0};
  }
}

// A resume must not bring back what a later statement drops, nor forget what came meanwhile.
Status LateIndexes::built(mysql::Session& target, const dispatch::TablePlan& table,
                          const std::vector<std::string>& keys) {
  return recording_.with([&](Unit&) -> Status {
    std::vector<std::string> left = keys_of(table.id);
    const std::size_t done_with = std::min(left.size(), keys.size());
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(done_with));
    Status done = sink::put_record(target, links_.progress,
                                   to_named(to_record(table, "", left, links_.shapes)));
    if (!done.ok()) return done;
    state_.with([&](State& state) {
      state.wanted.erase(table.id);
      if (left.empty()) {
        state.keys.erase(table.id);
      } else {
        state.keys[table.id] = left;
        state.wanted.insert(table.id);
      }
    });
    return Unit{};
  });
}

}  // namespace wherry::control
