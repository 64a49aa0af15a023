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

std::unique_ptr<InflightBudget::Account> InflightBudget::open(std::function<void()> wake) {
  return std::unique_ptr<Account>(new Account(*this, std::move(wake)));
}

std::uint64_t InflightBudget::Account::bytes() const {
  const std::lock_guard lock(budget_.mutex_);
  return bytes_;
}

InflightStats InflightBudget::stats() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, peak_, blocked_own_, waiting_.size(), blocked_};
}

void InflightBudget::charge(Account& account, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  take_grant(account);
  account.bytes_ += bytes;
  account.last_ = bytes;
  bytes_ += bytes;
  peak_ = std::max(peak_, bytes_);
}

bool InflightBudget::may_go_on(Account& account) {
  Wakes wakes;
  bool free = false;
  {
    const std::lock_guard lock(mutex_);
    if (account.blocked_ != Account::Blocked::no) return false;
    const bool turn = account.turn_;
    take_grant(account);
    if (account.bytes_ >= limits_.dispatcher_high) {
      block(account, Account::Blocked::own);
    } else if (bytes_ + granted_ >= limits_.feed_high || (!waiting_.empty() && !turn)) {
      block(account, Account::Blocked::feed);
    } else {
      free = true;
    }
    serve_waiting(wakes);  // a grant that was not used is the next one's
    // It may have been the next one itself.
    const auto own = std::find(wakes.begin(), wakes.end(), &account);
    if (own != wakes.end()) {
      --account.in_wake_;
      take_grant(account);
      wakes.erase(own);
      free = true;
    }
  }
  call(wakes);
  return free;
}

void InflightBudget::release(Account& account, std::uint64_t bytes) {
  Wakes wakes;
  {
    const std::lock_guard lock(mutex_);
    give_back(account, bytes);
    if (account.blocked_ == Account::Blocked::own && account.bytes_ <= limits_.dispatcher_low) {
      unblock(account);
      if (bytes_ + granted_ >= limits_.feed_high || !waiting_.empty()) {
        block(account, Account::Blocked::feed);
      } else {
        wake(account, wakes);
      }
    }
    serve_waiting(wakes);
  }
  call(wakes);
}

void InflightBudget::close(Account& account) {
  Wakes wakes;
  {
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [&] { return account.in_wake_ == 0; });
    if (account.blocked_ != Account::Blocked::no) unblock(account);
    std::erase(waiting_, &account);
    take_grant(account);
    give_back(account, account.bytes_);
    serve_waiting(wakes);
  }
  call(wakes);
}

void InflightBudget::give_back(Account& account, std::uint64_t bytes) {
  const std::uint64_t held = std::min(bytes, account.bytes_);
  account.bytes_ -= held;
  bytes_ -= held;
}

void InflightBudget::take_grant(Account& account) { granted_ -= std::exchange(account.grant_, 0); }

void InflightBudget::block(Account& account, Account::Blocked why) {
  account.blocked_ = why;
  account.since_ = Clock::now();
  if (why == Account::Blocked::own) {
    ++blocked_own_;
  } else {
    waiting_.push_back(&account);
  }
}

void InflightBudget::unblock(Account& account) {
  if (account.blocked_ == Account::Blocked::own) --blocked_own_;
  account.blocked_ = Account::Blocked::no;
  note(blocked_, Clock::now() - account.since_);
}

void InflightBudget::wake(Account& account, Wakes& wakes) {
  account.turn_ = true;
  account.grant_ = account.last_;
  granted_ += account.grant_;
  ++account.in_wake_;
  wakes.push_back(&account);
}

// At the low mark those that wait are woken in turn, as far as what they are likely to hand over
// finds room. With nothing in flight one goes on whatever its size: nothing else would wake it.
void InflightBudget::serve_waiting(Wakes& wakes) {
  if (bytes_ > limits_.feed_low) return;
  while (!waiting_.empty()) {
    Account& next = *waiting_.front();
    const bool alone = bytes_ + granted_ == 0;
    if (!alone && bytes_ + granted_ + next.last_ > limits_.feed_high) return;
    waiting_.pop_front();
    unblock(next);
    wake(next, wakes);
  }
}

void InflightBudget::call(const Wakes& wakes) {
  for (Account* account : wakes) {
    account->wake_();
    {
      const std::lock_guard lock(mutex_);
      --account->in_wake_;
      woken_.notify_all();
    }
  }
}

}  // namespace wherry::dispatch
