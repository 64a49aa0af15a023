#include "storage/retrying_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "storage/waiting.h"
#include "support/log.h"
#include "support/stop_link.h"
#include "support/units.h"

namespace wherry::storage {
namespace {

double random_share() {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

std::chrono::milliseconds in_ms(Clock::Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

}  // namespace

struct RetryingStorage::Kind {
  std::uint64_t Counts::*count;
  std::size_t outage;  // index into outages_
  std::string_view words;

  static constexpr std::size_t kPut = 0;
  static constexpr std::size_t kGet = 1;
  static constexpr std::size_t kList = 2;
  static constexpr std::size_t kRemove = 3;
};

RetryingStorage::RetryingStorage(std::shared_ptr<Storage> behind, const RetryPolicy& policy,
                                 Clock& clock)
    : behind_(std::move(behind)),
      policy_(policy),
      clock_(clock),
      budget_(policy.requests_per_minute, clock) {}

RetryCounts RetryingStorage::counts() const {
  RetryCounts counts;
  counts.calls = meter_.counts();
  counts.tries = tries_;
  counts.failed_tries = failed_tries_;
  counts.hedges = hedges_;
  counts.hedges_won = hedges_won_;
  for (const OutageLog& outage : outages_) {
    if (const std::optional<Clock::Time> since = outage.since())
      counts.failing = std::max(counts.failing, in_ms(clock_.now() - *since));
  }
  return counts;
}

void RetryingStorage::tell(const Kind& kind, const Error* error) {
  OutageLog& outage = outages_[kind.outage];
  const std::string what = fmt::format("{} {}", kind.words, behind_->describe());
  const std::optional<std::string> line = error != nullptr
                                              ? outage.failed(what, *error, clock_.now())
                                              : outage.succeeded(what, clock_.now());
  if (!line) return;
  if (error != nullptr) {
    log::warning("storage", "{}", *line);
  } else {
    log::info("storage", "{}", *line);
  }
}

bool RetryingStorage::wait_for_next(const Kind& kind, const Error& error, unsigned tries,
                                    Clock::Time begin, const Limits& limits) {
  if (retry_of(error, policy_) == Retry::never) return false;
  tell(kind, &error);
  const Clock::Time next = clock_.now() + wait_after(tries, error, policy_, random_share());
  if (policy_.total.count() > 0 && next - begin >= policy_.total) return false;
  return clock_.sleep_until(next, limits.stop);
}

// attempt: takes the limits of one try.
template <typename F>
auto RetryingStorage::tries(const Kind& kind, const Limits& limits, F&& attempt) {
  return meter_.call(kind.count, [&]() -> decltype(attempt(limits)) {
    const Clock::Time begin = clock_.now();
    for (unsigned count = 1;; ++count) {
      if (!budget_.take(limits.stop)) return interrupted();
      Limits one = limits;
      if (policy_.total.count() > 0) {
        const auto left = in_ms(begin + policy_.total - clock_.now());
        one.timeout = std::min(limits.timeout, std::max(left, std::chrono::milliseconds(1)));
      }
      ++tries_;
      auto result = attempt(one);
      if (result.ok()) {
        tell(kind, nullptr);
        return result;
      }
      ++failed_tries_;
      const Error& error = result.error();
      if (!wait_for_next(kind, error, count, begin, limits)) {
        if (limits.stop.stop_requested()) return interrupted();
        if (count == 1) return error;
        return error.within(fmt::format("after {} and {} tries",
                                        format_duration(in_ms(clock_.now() - begin)), count));
      }
    }
  });
}

Status RetryingStorage::put_timed(const std::string& name, Parts parts, const Limits& limits) {
  const Clock::Time begin = clock_.now();
  Status done = behind_->put(name, parts, limits);
  // One that another put has overtaken would have taken longer.
  if (done.ok() || done.error().code == Errc::interrupted)
    stragglers_.took(total_bytes(parts), clock_.now() - begin);
  return done;
}

// Two puts of one object, the second only if the first is late. Whichever is done first stops the
// other, and both have ended when this returns.
Status RetryingStorage::put_hedged(const std::string& name, Parts parts, const Limits& limits,
                                   Clock::Duration late_after) {
  std::stop_source stop_first;
  std::stop_source stop_second;
  std::stop_source first_ended;
  const StopLink first_by_caller(limits.stop, stop_first);
  const StopLink second_by_caller(limits.stop, stop_second);
  const Clock::Time late = clock_.now() + late_after;
  std::optional<Status> second;  // written by the thread, read behind its join
  std::thread hedge([&] {
    if (!clock_.sleep_until(late, first_ended.get_token())) return;
    if (!stragglers_.may_hedge() || !budget_.take_now()) return;
    ++hedges_;
    ++tries_;
    second = put_timed(name, parts, {limits.timeout, stop_second.get_token()});
    if (second->ok()) stop_first.request_stop();
  });
  Status first = put_timed(name, parts, {limits.timeout, stop_first.get_token()});
  first_ended.request_stop();
  if (first.ok()) stop_second.request_stop();
  hedge.join();
  if (first.ok() || !second || !second->ok()) return first;
  ++hedges_won_;
  return Unit{};
}

Status RetryingStorage::put_once(const std::string& name, Parts parts, const Limits& limits) {
  const std::optional<Clock::Duration> late = policy_.hedge && behind_->is_remote()
                                                  ? stragglers_.late_after(total_bytes(parts))
                                                  : std::nullopt;
  return late ? put_hedged(name, parts, limits, *late) : put_timed(name, parts, limits);
}

Status RetryingStorage::put(const std::string& name, Parts parts, const Limits& limits) {
  Status done = tries({&Counts::puts, Kind::kPut, "put into"}, limits,
                      [&](const Limits& one) { return put_once(name, parts, one); });
  if (done.ok()) meter_.add(&Counts::bytes_put, total_bytes(parts));
  return done;
}

Result<bool> RetryingStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  bool unknown = false;
  Result<bool> created =
      tries({&Counts::puts, Kind::kPut, "put into"}, limits, [&](const Limits& one) {
        Result<bool> made = behind_->create(name, parts, one);
        if (!made.ok() && outcome_unknown(made.error().code)) unknown = true;
        return made;
      });
  if (!created.ok()) return created;
  const std::uint64_t bytes = total_bytes(parts);
  if (!created.value() && unknown) {
    const Result<std::vector<std::byte>> there = get(name, 0, bytes + 1, limits);
    if (!there.ok()) return there.error().within("looking for what an earlier try made");
    Bytes rest(there.value());
    bool same = rest.size() == bytes;
    for (const Bytes part : parts) {
      if (!same) break;
      same = std::ranges::equal(part, rest.first(part.size()));
      rest = rest.subspan(part.size());
    }
    created = same;
  }
  if (created.value()) meter_.add(&Counts::bytes_put, bytes);
  return created;
}

Result<std::vector<std::byte>> RetryingStorage::get(const std::string& name, std::uint64_t offset,
                                                    std::uint64_t bytes, const Limits& limits) {
  Result<std::vector<std::byte>> content =
      tries({&Counts::gets, Kind::kGet, "get from"}, limits,
            [&](const Limits& one) { return behind_->get(name, offset, bytes, one); });
  if (content.ok()) meter_.add(&Counts::bytes_got, content.value().size());
  return content;
}

Result<std::vector<Entry>> RetryingStorage::list(const std::string& prefix,
                                                 const std::string& after, std::size_t count,
                                                 const Limits& limits) {
  return tries({&Counts::lists, Kind::kList, "list"}, limits,
               [&](const Limits& one) { return behind_->list(prefix, after, count, one); });
}

Status RetryingStorage::remove(std::span<const std::string> names, const Limits& limits) {
  return tries({&Counts::removes, Kind::kRemove, "remove from"}, limits,
               [&](const Limits& one) { return behind_->remove(names, one); });
}

}  // namespace wherry::storage
