// A bounded number of bytes that several owners share. Whoever wants to hold bytes charges them
// here first and waits while the budget is used up; a charge larger than the whole budget is
// admitted alone, never refused and never stuck. First come, first served. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace wherry {

class ByteBudget {
 public:
  // Holds bytes of a budget until destroyed. Movable; the budget must outlive it.
  class Charge {
   public:
    Charge() = default;
    Charge(ByteBudget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}
    Charge(Charge&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Charge() {
      if (budget_ != nullptr) budget_->release(bytes_);
    }
    explicit operator bool() const { return budget_ != nullptr; }
    std::size_t bytes() const { return bytes_; }

    // Corrects an estimate, without waiting: what is already held cannot be refused.
    void resize(std::size_t bytes) {
      if (budget_ == nullptr) return;
      budget_->adjust(bytes_, bytes);
      bytes_ = bytes;
    }

   private:
    ByteBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Waits for room. An empty charge: the budget was closed.
  Charge charge(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = next_ticket_++;
    has_room_.wait(lock, [&] {
      return closed_ || (ticket == serving_ && (used_ == 0 || used_ + bytes <= bytes_max_));
    });
    ++serving_;
    has_room_.notify_all();
    if (closed_) return {};
    used_ += bytes;
    if (used_ > peak_) peak_ = used_;
    return {this, bytes};
  }

  // Wakes everybody who waits; later charges are empty.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_room_.notify_all();
  }

  std::size_t used() const {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  std::size_t peak() const {
    const std::lock_guard lock(mutex_);
    return peak_;
  }
  std::size_t bytes_max() const { return bytes_max_; }

 private:
  void release(std::size_t bytes) { adjust(bytes, 0); }
  void adjust(std::size_t from, std::size_t to) {
    const std::lock_guard lock(mutex_);
    used_ = used_ - from + to;
    if (used_ > peak_) peak_ = used_;
    has_room_.notify_all();
  }

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::size_t used_ = 0;  // this and below: mutex_
  std::size_t peak_ = 0;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t serving_ = 0;
  bool closed_ = false;
};

}  // namespace wherry
