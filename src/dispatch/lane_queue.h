// The work that waits for one lane, in its order. One producer (the scheduler), one consumer (the
// lane); close() from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>

#include "dispatch/work.h"
#include "support/guarded.h"

namespace wherry::dispatch {

class LaneQueue {
 public:
  void push(Work work) {
    bytes_.fetch_add(work.bytes, std::memory_order_relaxed);
    queue_.with([&](Queue& queue) { queue.items.push_back(std::move(work)); });
  }

  // Waits a while for the next piece. Empty: none came, or the queue is closed.
  std::optional<Work> pop(std::chrono::milliseconds wait) {
    queue_.wait_for(wait, [](const Queue& queue) { return queue.closed || !queue.items.empty(); });
    return pop_if([](const Work&) { return true; });
  }

  // Takes the next piece if it is there and the call accepts it; never waits.
  std::optional<Work> pop_if(const std::function<bool(const Work&)>& accept) {
    return queue_.with([&](Queue& queue) -> std::optional<Work> {
      if (queue.closed || queue.items.empty() || !accept(queue.items.front())) return std::nullopt;
      Work work = std::move(queue.items.front());
      queue.items.pop_front();
      bytes_.fetch_sub(work.bytes, std::memory_order_relaxed);
      return work;
    });
  }

  // What waits is dropped.
  void close() {
    queue_.with([](Queue& queue) {
      queue.closed = true;
      queue.items.clear();
    });
  }

  std::uint64_t waiting_bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Queue {
    std::deque<Work> items;
    bool closed = false;
  };
  Guarded<Queue> queue_;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace wherry::dispatch
