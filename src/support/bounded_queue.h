// Joins one producing stage to one consuming stage; the only in-memory back-pressure, bounded by
// bytes since items vary from bytes to gigabytes. Any thread may push, pop or close.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "support/size.h"

namespace wherry {

// An item larger than the limit is admitted alone, so it can never wedge the pipe.
template <Sized T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Waits for room. False: the queue is closed and the item was dropped.
  [[nodiscard]] bool push(T item) {
    std::unique_lock lock(mutex_);
    const std::size_t size = byte_size(item);
    has_room_.wait(lock, [&] { return closed_ || items_.empty() || size + bytes_ <= bytes_max_; });
    if (closed_) return false;
    bytes_ += size;
    items_.push_back(std::move(item));
    has_item_.notify_one();
    return true;
  }

  // Waits for an item. Empty: closed and drained.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_item_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return take(lock);
  }

  // As pop, but gives up after a while; ask closed_and_empty() to tell the two apart.
  [[nodiscard]] std::optional<T> pop_for(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    has_item_.wait_for(lock, wait, [&] { return closed_ || !items_.empty(); });
    return take(lock);
  }

  // Never waits.
  [[nodiscard]] std::optional<T> try_pop() {
    std::unique_lock lock(mutex_);
    return take(lock);
  }

  // Wakes both sides. What is already queued can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_room_.notify_all();
    has_item_.notify_all();
  }

  bool closed_and_empty() const {
    const std::lock_guard lock(mutex_);
    return closed_ && items_.empty();
  }
  std::size_t queued_bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  std::optional<T> take(std::unique_lock<std::mutex>&) {
    if (items_.empty()) return std::nullopt;
    T item = std::move(items_.front());
    items_.pop_front();
    bytes_ -= byte_size(item);
    has_room_.notify_all();
    return item;
  }

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_item_;
  std::deque<T> items_;  // this and below: mutex_
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace wherry
