// Puts in order what several threads finish in any: each item has the next ticket of its giver.
// Bounded by whoever gives out tickets. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "support/guarded.h"

namespace wherry::redo {

template <typename T>
class TicketQueue {
 public:
  void put(std::uint64_t ticket, T item) {
    state_.with([&](State& state) { state.ready.emplace(ticket, std::move(item)); });
  }
  // The next item in order. Nothing: the time passed, somebody poked, or the queue is closed and
  // all before its end were taken.
  std::optional<T> take(std::chrono::milliseconds wait) {
    (void)state_.wait_for(wait, [](const State& state) {
      return state.poked || state.next >= state.end || state.ready.contains(state.next);
    });
    return state_.with([](State& state) -> std::optional<T> {
      state.poked = false;
      const auto found = state.ready.find(state.next);
      if (found == state.ready.end()) return std::nullopt;
      std::optional<T> item = std::move(found->second);
      state.ready.erase(found);
      ++state.next;
      return item;
    });
  }
  // take() returns, with or without an item: something else has changed.
  void poke() {
    state_.with([](State& state) { state.poked = true; });
  }
  // No item with this ticket or a later one will come.
  void close(std::uint64_t end) {
    state_.with([&](State& state) { state.end = end; });
  }
  bool drained() const {
    return state_.read([](const State& state) { return state.next >= state.end; });
  }

 private:
  struct State {
    std::map<std::uint64_t, T> ready;
    std::uint64_t next = 0;
    std::uint64_t end = UINT64_MAX;
    bool poked = false;
  };
  Guarded<State> state_;
};

}  // namespace wherry::redo
