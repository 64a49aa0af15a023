// Statements: each waits until its tables have come to it and their earlier rows are durable, runs
// once, and lets their later rows go on. No thread waits meanwhile.
#include <algorithm>

#include "feed/table_router.h"

namespace wherry::feed {

void TableRouter::block(const StreamPoint& at, BlockOrder order) {
  auto block = std::make_shared<Block>();
  block->at = at;
  block->event = std::move(order.event);
  block->whole_database = order.whole_database;
  block->drops = order.drops;
  for (const BlockOrder::Table& table : order.tables)
    block->concerned.insert(dispatcher_of(table.source, table.target));
  state_.read([&](const State& state) {
    for (const TableName& target : order.read) {
      const auto found = state.by_target.find(target);
      if (found != state.by_target.end()) block->concerned.insert(found->second);
    }
    if (order.whole_database.empty()) return;
    for (const auto& [target, dispatcher] : state.by_target) {
      const bool inside = std::any_of(
          dispatcher->sources.begin(), dispatcher->sources.end(),
          [&](const TableName& source) { return source.database == order.whole_database; });
      if (inside) block->concerned.insert(dispatcher);
    }
  });
  for (const DispatcherPtr& dispatcher : block->concerned) {
    if (open_.erase(dispatcher) == 0) continue;
    if (hand_over(*dispatcher)) continue;
    dispatcher->road_free = false;
    wait_for_room(*dispatcher);
  }
  Ready ready;
  state_.with([&](State& state) {
    if (state.stopping) return;
    block->id = block->event.id = ++state.last_id;
    for (const auto& [before, earlier] : state.blocks) {
      const std::string& database = earlier->whole_database;
      if (database.empty()) continue;
      const bool overlaps = database == order.whole_database ||
                            std::any_of(order.tables.begin(), order.tables.end(),
                                        [&](const BlockOrder::Table& table) {
                                          return table.source.database == database;
                                        });
      if (!overlaps) continue;
      ++block->waits_for;
      earlier->followers.push_back(block);
    }
    state.blocks[at] = block;
    state.blocks_by_id[block->id] = block;
    state.checkpoint.add(at.cseq, block->id);
    for (const DispatcherPtr& dispatcher : block->concerned)
      arrive_by_road(state, block, dispatcher);
    add_if_ready(block, ready);
  });
  begin(ready);
}

void TableRouter::arrive_by_road(State& state, const BlockPtr& block,
                                 const DispatcherPtr& dispatcher) {
  dispatcher->road_free = false;
  if (!dispatcher->detached && dispatcher->parked == nullptr) {
    dispatcher->parked = block;
    if (!dispatcher->inflight.empty()) block->missing.insert(dispatcher);
    return;
  }
  // It is behind, or an earlier statement holds it: it comes here by itself.
  if (!dispatcher->detached) detach(state, *dispatcher, block->at);
  dispatcher->skipped = block->at;
  block->missing.insert(dispatcher);
  schedule(state, dispatcher);
}

// False: the statement is none of its own.
bool TableRouter::arrive_by_turn(const DispatcherPtr& dispatcher, const StreamPoint& at) {
  const BlockPtr block = state_.read([&](const State& state) -> BlockPtr {
    const auto found = state.blocks.find(at);
    if (found == state.blocks.end() || !found->second->missing.contains(dispatcher)) return nullptr;
    return found->second;
  });
  if (block == nullptr) return false;
  (void)hand_over(*dispatcher);
  state_.with([&](State&) { dispatcher->parked = block; });
  return true;
}

// Whether the statement that it has reached waits for it no more.
void TableRouter::settle(const DispatcherPtr& dispatcher, Ready& ready) {
  const BlockPtr& block = dispatcher->parked;
  if (block == nullptr || !dispatcher->inflight.empty()) return;
  if (block->missing.erase(dispatcher) > 0) add_if_ready(block, ready);
}

void TableRouter::add_if_ready(const BlockPtr& block, Ready& ready) {
  if (block->begun || block->waits_for > 0 || !block->missing.empty()) return;
  block->begun = true;
  ready.push_back(block);
}

void TableRouter::begin(const Ready& ready) {
  for (const BlockPtr& block : ready) {
    const bool goes = state_.with([](State& state) {
      if (!state.stopping) ++state.on_their_way;
      return !state.stopping;
    });
    if (goes) sink_.write_block_event(block->event);
  }
}

void TableRouter::block_event_durable(std::uint64_t id) {
  Ready ready;
  state_.with([&](State& state) {
    const auto found = state.blocks_by_id.find(id);
    if (found == state.blocks_by_id.end()) return;
    const BlockPtr block = found->second;
    state.blocks_by_id.erase(found);
    state.blocks.erase(block->at);
    state.checkpoint.remove(block->at.cseq, id);
    --state.on_their_way;
    for (const DispatcherPtr& dispatcher : block->concerned) {
      if (dispatcher->parked != block) continue;
      dispatcher->parked = nullptr;
      if (block->drops) state.retired.push_back(dispatcher);
      schedule(state, dispatcher);
    }
    block->concerned.clear();
    for (const BlockPtr& follower : std::exchange(block->followers, {})) {
      --follower->waits_for;
      add_if_ready(follower, ready);
    }
  });
  begin(ready);
}

}  // namespace wherry::feed
