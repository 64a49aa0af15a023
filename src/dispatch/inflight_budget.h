// Bytes that an asynchronous sink has accepted and not made durable, of each dispatcher of a feed
// and of the feed as a whole. A dispatcher charges what it hands over, asks afterwards whether it
// may go on, and is woken exactly once where it may not. Nothing is refused: what is larger than a
// mark passes, and whoever handed it over waits then.
//
// Marks have a high and a low end: over the high one a dispatcher stops, at the low one it is
// woken. Those that wait for the feed's mark are served first come first served, and nobody
// overtakes them. Any thread; the test of a mark and the noting of who waits are one step, so no
// wake is lost.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "support/guarded.h"
#include "support/result.h"

namespace wherry::dispatch {

struct InflightLimits {
  std::uint64_t dispatcher_high = 64 << 20;
  std::uint64_t dispatcher_low = 32 << 20;
  std::uint64_t feed_high = 256 << 20;
  std::uint64_t feed_low = 128 << 20;
};

// Errc::usage names the key that is out of its range.
Status check_limits(const InflightLimits& limits);

// How long dispatchers waited: counts by duration, the last without an upper end.
struct BlockedSeconds {
  static constexpr std::size_t kBuckets = 20;  // the first ends at 10 ms, each next at twice that
  std::array<std::uint64_t, kBuckets + 1> counts{};
  double sum = 0;
};

struct InflightStats {
  std::uint64_t bytes = 0;
  std::uint64_t bytes_peak = 0;
  std::uint64_t blocked_own = 0;   // dispatchers that wait for their own mark now
  std::uint64_t blocked_feed = 0;  // dispatchers that wait for the feed's mark now
  BlockedSeconds blocked;
};

class InflightBudget {
 public:
  // One dispatcher's account. Its calls come from any thread; charge() and may_go_on() from one at
  // a time. Destroyed, it gives back what it holds and is never woken again.
  class Account {
   public:
    enum class Blocked : std::uint8_t { no, own, feed };

    ~Account() { budget_.close(*this); }
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    // Before the hand-over: the sink may make it durable before the call that hands over returns.
    void charge(std::uint64_t bytes) { budget_.charge(*this, bytes); }
    // After the hand-over, or after a wake with nothing to hand over. False: stop; one wake comes.
    bool may_go_on() { return budget_.may_go_on(*this); }
    // Its turn came and it had nothing to hand over: what was kept free for it is the next one's.
    void pass() { budget_.pass(*this); }
    // What was charged is durable, or will never be sent.
    void release(std::uint64_t bytes) { budget_.release(*this, bytes); }
    std::uint64_t bytes() const;
    // Which mark it waits for now.
    Blocked blocked() const;

   private:
    friend class InflightBudget;
    Account(InflightBudget& budget, std::function<bool()> wake)
        : budget_(budget), wake_(std::move(wake)) {}

    InflightBudget& budget_;
    const std::function<bool()> wake_;
    std::uint64_t bytes_ = 0;  // this and below: under the lock of the budget's state
    std::uint64_t last_ = 0;   // what it handed over last: an estimate of the next
    std::uint64_t grant_ = 0;  // kept free for it since it was woken
    bool turn_ = false;        // it was woken and has not done anything yet
    Blocked blocked_ = Blocked::no;
    unsigned in_wake_ = 0;  // calls of its wake under way: it must stay until then
    std::chrono::steady_clock::time_point since_{};
  };

  // limits: checked by the caller.
  explicit InflightBudget(const InflightLimits& limits) : limits_(limits) {}

  // wake: called from whatever thread releases bytes, without locks held; it only posts the
  // dispatcher for another turn and must not destroy an account. It answers whether there will be a
  // turn: room is kept for it until it charges, passes or asks. The budget outlives its accounts.
  std::unique_ptr<Account> open(std::function<bool()> wake);
  InflightStats stats() const;

 private:
  using Wakes = std::vector<Account*>;
  struct State {
    std::uint64_t bytes = 0;
    std::uint64_t granted = 0;
    std::uint64_t peak = 0;
    std::uint64_t blocked_own = 0;
    std::deque<Account*> waiting;  // for the feed's mark
    BlockedSeconds blocked;
  };

  void charge(Account& account, std::uint64_t bytes);
  bool may_go_on(Account& account);
  void pass(Account& account);
  void release(Account& account, std::uint64_t bytes);
  void close(Account& account);
  void call(Wakes& wakes);
  void serve_waiting(State& state, Wakes& wakes) const;

  static void give_back(State& state, Account& account, std::uint64_t bytes);
  static void take_grant(State& state, Account& account);
  static void block(State& state, Account& account, Account::Blocked why);
  static void unblock(State& state, Account& account);
  static void wake(State& state, Account& account, Wakes& wakes);

  const InflightLimits limits_;
  Guarded<State> state_;
};

}  // namespace wherry::dispatch
