#include "dispatch/inflight_budget.h"

#include <fmt/core.h>

#include <algorithm>

namespace wherry::dispatch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMarkMax = std::uint64_t{1} << 40;  // a terabyte: beyond it is a slip

Status check_marks(std::string_view name, std::uint64_t low, std::uint64_t high) {
  if (high == 0 || high > kMarkMax) {
    return Error{Errc::usage,
                 fmt::format("inflight.{}-high must lie between 1 byte and 1 TiB", name), 0};
  }
  if (low >= high) {
    return Error{Errc::usage,
                 fmt::format("inflight.{0}-low must be less than inflight.{0}-high", name), 0};
  }
  return Unit{};
}

void note(BlockedSeconds& blocked, Clock::duration time) {
  const double seconds = std::chrono::duration<double>(time).count();
  blocked.sum += seconds;
  std::size_t bucket = 0;
  for (double end = 0.01; bucket < BlockedSeconds::kBuckets && seconds > end; end *= 2) ++bucket;
  ++blocked.counts[bucket];
}

}  // namespace

Status check_limits(const InflightLimits& limits) {
  if (Status own = check_marks("dispatcher", limits.dispatcher_low, limits.dispatcher_high);
      !own.ok())
    return own;
  return check_marks("feed", limits.feed_low, limits.feed_high);
}

std::unique_ptr<InflightBudget::Account> InflightBudget::open(std::function<bool()> wake) {
  return std::unique_ptr<Account>(new Account(*this, std::move(wake)));
}

std::uint64_t InflightBudget::Account::bytes() const {
  return budget_.state_.read([&](const State&) { return bytes_; });
}

InflightBudget::Account::Blocked InflightBudget::Account::blocked() const {
  return budget_.state_.read([&](const State&) { return blocked_; });
}

InflightStats InflightBudget::stats() const {
  return state_.read([](const State& state) {
    return InflightStats{state.bytes, state.peak, state.blocked_own, state.waiting.size(),
                         state.blocked};
  });
}

void InflightBudget::charge(Account& account, std::uint64_t bytes) {
  state_.with([&](State& state) {
    take_grant(state, account);
    account.bytes_ += bytes;
    account.last_ = bytes;
    state.bytes += bytes;
    state.peak = std::max(state.peak, state.bytes);
  });
}

bool InflightBudget::may_go_on(Account& account) {
  Wakes wakes;
  const bool free = state_.with([&](State& state) {
    if (account.blocked_ != Account::Blocked::no) return false;
    const bool turn = account.turn_;
    take_grant(state, account);
    if (account.bytes_ >= limits_.dispatcher_high) {
      block(state, account, Account::Blocked::own);
    } else if (state.bytes + state.granted >= limits_.feed_high ||
               (!state.waiting.empty() && !turn)) {
      block(state, account, Account::Blocked::feed);
    }
    serve_waiting(state, wakes);  // a grant that was not used is the next one's
    if (account.blocked_ != Account::Blocked::no) return false;
    // It may have been the next one itself, and needs no call to know it.
    if (std::erase(wakes, &account) > 0) {
      --account.in_wake_;
      take_grant(state, account);
    }
    return true;
  });
  call(wakes);
  return free;
}

void InflightBudget::pass(Account& account) {
  Wakes wakes;
  state_.with([&](State& state) {
    take_grant(state, account);
    serve_waiting(state, wakes);
  });
  call(wakes);
}

void InflightBudget::release(Account& account, std::uint64_t bytes) {
  Wakes wakes;
  state_.with([&](State& state) {
    give_back(state, account, bytes);
    if (account.blocked_ == Account::Blocked::own && account.bytes_ <= limits_.dispatcher_low) {
      unblock(state, account);
      if (state.bytes + state.granted >= limits_.feed_high || !state.waiting.empty()) {
        block(state, account, Account::Blocked::feed);
      } else {
        wake(state, account, wakes);
      }
    }
    serve_waiting(state, wakes);
  });
  call(wakes);
}

void InflightBudget::close(Account& account) {
  Wakes wakes;
  state_.wait([&](const State&) { return account.in_wake_ == 0; },
              [&](State& state) {
                if (account.blocked_ != Account::Blocked::no) unblock(state, account);
                std::erase(state.waiting, &account);
                take_grant(state, account);
                give_back(state, account, account.bytes_);
                serve_waiting(state, wakes);
              });
  call(wakes);
}

void InflightBudget::give_back(State& state, Account& account, std::uint64_t bytes) {
  const std::uint64_t held = std::min(bytes, account.bytes_);
  account.bytes_ -= held;
  state.bytes -= held;
}

void InflightBudget::take_grant(State& state, Account& account) {
  state.granted -= std::exchange(account.grant_, 0);
  account.turn_ = false;
}

void InflightBudget::block(State& state, Account& account, Account::Blocked why) {
  account.blocked_ = why;
  account.since_ = Clock::now();
  if (why == Account::Blocked::own) {
    ++state.blocked_own;
  } else {
    state.waiting.push_back(&account);
  }
}

void InflightBudget::unblock(State& state, Account& account) {
  if (account.blocked_ == Account::Blocked::own) --state.blocked_own;
  account.blocked_ = Account::Blocked::no;
  note(state.blocked, Clock::now() - account.since_);
}

void InflightBudget::wake(State& state, Account& account, Wakes& wakes) {
  account.turn_ = true;
  account.grant_ = account.last_;
  state.granted += account.grant_;
  ++account.in_wake_;
  wakes.push_back(&account);
}

// At the low mark those that wait are woken in turn, as far as what they are likely to hand over
// finds room. With nothing in flight one goes on whatever its size: nothing else would wake it.
void InflightBudget::serve_waiting(State& state, Wakes& wakes) const {
  if (state.bytes > limits_.feed_low) return;
  while (!state.waiting.empty()) {
    Account& next = *state.waiting.front();
    const bool alone = state.bytes + state.granted == 0;
    if (!alone && state.bytes + state.granted + next.last_ > limits_.feed_high) return;
    state.waiting.pop_front();
    unblock(state, next);
    wake(state, next, wakes);
  }
}

// The list grows where one has nothing to hand over and the next has its turn instead.
void InflightBudget::call(Wakes& wakes) {
  for (std::size_t i = 0; i < wakes.size(); ++i) {
    Account& account = *wakes[i];
    const bool takes_turn = account.wake_();
    state_.with([&](State& state) {
      if (!takes_turn) {
        take_grant(state, account);
        serve_waiting(state, wakes);
      }
      --account.in_wake_;
    });
  }
}

}  // namespace wherry::dispatch
