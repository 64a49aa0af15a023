// Dispatchers that may go on by themselves, in the order in which they could. Any thread.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "feed/dispatcher.h"
#include "support/guarded.h"

namespace wherry::feed {

class TurnQueue {
 public:
  void push(DispatcherPtr dispatcher) {
    turns_.with([&](Turns& turns) {
      if (!turns.closed) turns.waiting.push_back(std::move(dispatcher));
    });
  }
  // Null: closed.
  DispatcherPtr pop() {
    return turns_.wait([](const Turns& turns) { return turns.closed || !turns.waiting.empty(); },
                       [](Turns& turns) -> DispatcherPtr {
                         if (turns.closed) return nullptr;
                         DispatcherPtr next = std::move(turns.waiting.front());
                         turns.waiting.pop_front();
                         return next;
                       });
  }
  // Never waits.
  DispatcherPtr try_pop() {
    return turns_.with([](Turns& turns) -> DispatcherPtr {
      if (turns.closed || turns.waiting.empty()) return nullptr;
      DispatcherPtr next = std::move(turns.waiting.front());
      turns.waiting.pop_front();
      return next;
    });
  }
  void close() {
    turns_.with([](Turns& turns) { turns.closed = true; });
  }

 private:
  struct Turns {
    std::deque<DispatcherPtr> waiting;
    bool closed = false;
  };
  Guarded<Turns> turns_;
};

}  // namespace wherry::feed
