// Makes calls to another storage again until they succeed, as a policy says: with growing, jittered
// waits, a deadline, a budget of requests, and a second put of the same object for one that is
// late. A call ends when each try that it began has ended, so borrowed bytes are free when it
// returns. Limits::timeout is that of one try. Any thread.
#pragma once

#include <array>
#include <atomic>

#include "storage/counts.h"
#include "storage/outage_log.h"
#include "storage/request_budget.h"
#include "storage/retry_policy.h"
#include "storage/stragglers.h"
#include "support/clock.h"

namespace wherry::storage {

struct RetryCounts {
  Counts calls;  // calls here, not tries: in_flight are those that callers wait for
  std::uint64_t tries = 0;
  std::uint64_t failed_tries = 0;
  std::uint64_t hedges = 0;
  std::uint64_t hedges_won = 0;
  // How long the calls of some kind have failed by now; zero: all is well.
  std::chrono::milliseconds failing{0};
};

class RetryingStorage : public Storage {
 public:
  // The clock outlives it.
  RetryingStorage(std::shared_ptr<Storage> behind, const RetryPolicy& policy,
                  Clock& clock = machine_clock());

  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  // Where an earlier try was not answered and the object is there with the same content, it counts
  // as created here: callers whose content could be another's add a nonce.
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  Status sweep(const std::string& prefix, const Limits& limits) override {
    return behind_->sweep(prefix, limits);
  }
  bool is_remote() const override { return behind_->is_remote(); }
  std::string describe() const override { return behind_->describe(); }

  RetryCounts counts() const;

 private:
  struct Kind;
  template <typename F>
  auto tries(const Kind& kind, const Limits& limits, F&& attempt);
  // False: the call ends with this error.
  bool wait_for_next(const Kind& kind, const Error& error, unsigned tries, Clock::Time begin,
                     const Limits& limits);
  void tell(const Kind& kind, const Error* error);

  Status put_once(const std::string& name, Parts parts, const Limits& limits);
  Status put_hedged(const std::string& name, Parts parts, const Limits& limits,
                    Clock::Duration late_after);
  Status put_timed(const std::string& name, Parts parts, const Limits& limits);

  const std::shared_ptr<Storage> behind_;
  const RetryPolicy policy_;
  Clock& clock_;
  RequestBudget budget_;
  Stragglers stragglers_;
  CallMeter meter_;
  std::array<OutageLog, 4> outages_;  // by kind of call
  std::atomic<std::uint64_t> tries_{0};
  std::atomic<std::uint64_t> failed_tries_{0};
  std::atomic<std::uint64_t> hedges_{0};
  std::atomic<std::uint64_t> hedges_won_{0};
};

}  // namespace wherry::storage
