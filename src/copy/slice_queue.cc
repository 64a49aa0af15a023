#include "copy/slice_queue.h"

#include <algorithm>

namespace wherry::copy {
namespace {

std::pair<std::uint32_t, std::uint32_t> key_of(dispatch::SliceId id) {
  return {id.table, id.number};
}

}  // namespace

void SliceQueue::add(std::vector<Slice> slices) {
  state_.with([&](State& state) {
    for (Slice& slice : slices) {
      const auto key = key_of(slice.id);
      Entry entry;
      entry.rows = slice.rows;
      entry.bytes = slice.bytes;
      entry.stage = slice.done ? Stage::committed : Stage::ready;
      entry.slice = std::move(slice);
      state.open.try_emplace(key.first, 0);
      if (entry.stage == Stage::ready) {
        ++state.open[key.first];
        ++state.open_slices;
        state.order.push_back(key);
      }
      state.slices[key] = std::move(entry);
    }
  });
}

void SliceQueue::set_order(std::map<std::uint32_t, std::set<std::uint32_t>> parents) {
  state_.with([&](State& state) { state.parents = std::move(parents); });
}

bool SliceQueue::available(const State& state, const std::pair<std::uint32_t, std::uint32_t>& key) {
  if (state.whole_busy && state.slices.at(key).slice.whole) return false;
  const auto parents = state.parents.find(key.first);
  if (parents == state.parents.end()) return true;
  return std::all_of(parents->second.begin(), parents->second.end(), [&](std::uint32_t parent) {
    const auto open = state.open.find(parent);
    return open == state.open.end() || open->second == 0;
  });
}

bool SliceQueue::ready(const State& state) {
  return std::any_of(state.order.begin(), state.order.end(),
                     [&](const auto& key) { return available(state, key); });
}

std::optional<Slice> SliceQueue::take(std::chrono::milliseconds wait) {
  state_.wait_for(wait, ready);
  return state_.with([](State& state) -> std::optional<Slice> {
    if (!ready(state)) return std::nullopt;
    const auto next = std::find_if(state.order.begin(), state.order.end(),
                                   [&](const auto& key) { return available(state, key); });
    Entry& entry = state.slices[*next];
    state.order.erase(next);
    entry.stage = Stage::reading;
    state.whole_busy |= entry.slice.whole;
    return entry.slice;
  });
}

void SliceQueue::drop_table(std::uint32_t table) {
  state_.with([&](State& state) {
    std::erase_if(state.order, [&](const auto& key) { return key.first == table; });
    for (auto& [key, entry] : state.slices) {
      if (key.first != table) continue;
      if (entry.slice.whole && entry.stage == Stage::reading) state.whole_busy = false;
      entry.stage = Stage::committed;
    }
    state.open_slices -= std::exchange(state.open[table], 0);
  });
}

Slice SliceQueue::restart_table(std::uint32_t table, bool whole) {
  return state_.with([&](State& state) {
    Entry fresh;
    fresh.slice.id = {table, 0};
    fresh.slice.whole = whole;
    for (const auto& [key, entry] : state.slices) {
      if (key.first != table) continue;
      // A number is not used twice: what is on its way must not be taken for the new slice's.
      fresh.slice.id.number = key.second + 1;
      if (entry.slice.whole && entry.stage == Stage::reading) state.whole_busy = false;
    }
    std::erase_if(state.order, [&](const auto& key) { return key.first == table; });
    std::erase_if(state.slices, [&](const auto& entry) { return entry.first.first == table; });
    const auto key = key_of(fresh.slice.id);
    state.open_slices += 1 - std::exchange(state.open[table], 1);
    state.order.push_back(key);
    return (state.slices[key] = fresh).slice;
  });
}

std::vector<Slice> SliceQueue::read_again(std::uint32_t table, std::vector<Key> keys) {
  constexpr std::size_t kKeysMax = 200;  // of one slice: one SELECT names them all
  return state_.with([&](State& state) {
    std::vector<Slice> added;
    bool unread = false;
    std::uint32_t number = 0;
    for (const auto& [key, entry] : state.slices) {
      if (key.first != table) continue;
      unread |= entry.stage == Stage::ready || entry.stage == Stage::reading;
      number = key.second + 1;
    }
    for (std::size_t from = 0; unread && from < keys.size(); from += kKeysMax, ++number) {
      Entry entry;
      entry.slice.id = {table, number};
      const std::size_t to = std::min(keys.size(), from + kKeysMax);
      for (std::size_t i = from; i < to; ++i) entry.slice.only.push_back(std::move(keys[i]));
      const auto key = key_of(entry.slice.id);
      ++state.open[table];
      ++state.open_slices;
      state.order.push_back(key);
      added.push_back(entry.slice);
      state.slices[key] = std::move(entry);
    }
    return added;
  });
}

void SliceQueue::placed(const dispatch::Chunk& chunk) {
  state_.with([&](State& state) {
    Entry& entry = state.slices[key_of(chunk.slice)];
    if (chunk.last_key) entry.slice.reached = key_from_text(*chunk.last_key);
    entry.slice.placed_at = chunk.placed_at;
    if (chunk.last) {
      entry.stage = Stage::read_out;
      if (chunk.whole) state.whole_busy = false;
    } else if (!chunk.whole) {
      entry.stage = Stage::ready;
      state.order.push_back(key_of(chunk.slice));
    }
  });
}

void SliceQueue::again(dispatch::SliceId id) {
  state_.with([&](State& state) {
    const auto found = state.slices.find(key_of(id));
    if (found == state.slices.end()) return;  // its table began anew
    Entry& entry = found->second;
    if (entry.stage == Stage::ready || entry.stage == Stage::committed) return;
    entry.stage = Stage::ready;
    if (entry.slice.whole) state.whole_busy = false;
    state.order.push_back(key_of(id));
  });
}

Slice SliceQueue::after_commit(const dispatch::Chunk& chunk) const {
  return state_.read([&](const State& state) {
    const Entry& entry = state.slices.at(key_of(chunk.slice));
    Slice slice = entry.slice;
    slice.reached.reset();
    if (chunk.last_key) slice.reached = key_from_text(*chunk.last_key);
    if (!chunk.last_key && !chunk.whole) slice.reached = entry.slice.reached;
    slice.done = chunk.last;
    slice.rows = entry.rows + chunk.rows;
    slice.bytes = entry.bytes + chunk.lines.size();
    slice.placed_at = chunk.placed_at;
    slice.piece = chunk.piece;
    return slice;
  });
}

bool SliceQueue::committed(const dispatch::Chunk& chunk) {
  return state_.with([&](State& state) {
    Entry& entry = state.slices[key_of(chunk.slice)];
    entry.rows += chunk.rows;
    entry.bytes += chunk.lines.size();
    if (!chunk.last || entry.stage == Stage::committed) return false;
    entry.stage = Stage::committed;
    entry.slice.done = true;
    --state.open_slices;
    return --state.open[chunk.slice.table] == 0;
  });
}

bool SliceQueue::all_placed(std::uint32_t table) const {
  return state_.read([&](const State& state) {
    return std::ranges::none_of(state.slices, [&](const auto& one) {
      return one.first.first == table &&
             (one.second.stage == Stage::ready || one.second.stage == Stage::reading);
    });
  });
}

bool SliceQueue::all_committed() const {
  return state_.read([](const State& state) { return state.open_slices == 0; });
}

bool SliceQueue::table_committed(std::uint32_t table) const {
  return state_.read([&](const State& state) {
    const auto found = state.open.find(table);
    return found == state.open.end() || found->second == 0;
  });
}

}  // namespace wherry::copy
