// Calls are made again as the policy says, no longer than it says, and never in silence; late puts
// are hedged, and nothing borrowed is used behind the call.

#include "storage/retrying_storage.h"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "storage/emulated_storage.h"
#include "storage/memory_storage.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Names = std::vector<std::string>;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Outage = EmulatedStorage::Outage;

// Answers a put or create by the next of the answers it was given, then by keeping the object.
class Scripted : public MemoryStorage {
 public:
  using Answer = std::function<std::optional<Error>(const Limits& limits)>;

  Status put(const std::string& name, Parts parts, const Limits& limits) override {
    if (const std::optional<Error> error = next(limits)) return *error;
    return MemoryStorage::put(name, parts, limits);
  }
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override {
    if (arrives_) (void)MemoryStorage::put(name, parts, limits);
    if (const std::optional<Error> error = next(limits)) return *error;
    return MemoryStorage::create(name, parts, limits);
  }
  bool is_remote() const override { return remote_; }
  void set_remote(bool remote) { remote_ = remote; }
  void answer(Errc code, unsigned server_code = 0) {
    answers_.with([&](auto& answers) {
      answers.push_back([=](const Limits&) { return Error{code, "no", server_code}; });
    });
  }
  void answer(Answer answer) {
    answers_.with([&](auto& answers) { answers.push_back(std::move(answer)); });
  }
  // Whether a create that fails made the object all the same.
  void let_arrive(bool arrives) { arrives_ = arrives; }

 private:
  std::optional<Error> next(const Limits& limits) {
    Answer answer = answers_.with([](auto& answers) {
      if (answers.empty()) return Answer();
      Answer first = std::move(answers.front());
      answers.erase(answers.begin());
      return first;
    });
    return answer ? answer(limits) : std::nullopt;
  }

  Guarded<std::vector<Answer>> answers_;
  std::atomic<bool> arrives_{false};
  std::atomic<bool> remote_{true};
};

struct Retried {
  explicit Retried(const RetryPolicy& policy = {})
      : behind(std::make_shared<Scripted>()), storage(behind, policy, clock) {}

  // The answer of the call, made while the clock moves on whenever the call waits.
  template <typename F>
  std::string code(F&& call) {
    std::atomic<bool> done{false};
    std::string answer;
    std::thread caller([&] {
      answer = code_of(call());
      done = true;
    });
    while (!done) {
      if (clock.sleepers() > 0) clock.advance_to_next();
      std::this_thread::yield();
    }
    caller.join();
    return answer;
  }
  std::string put(const std::string& text = "x", const Limits& limits = {}) {
    return code([&] { return put_text(storage, "a", text, limits); });
  }

  ManualClock clock;
  std::shared_ptr<Scripted> behind;
  RetryingStorage storage;
};

TEST(RetryPolicyTable, SaysWhatIsTriedAgain) {
  const RetryPolicy usual;
  const RetryPolicy endless = endless_policy();
  for (const Errc code : {Errc::network, Errc::timeout, Errc::server, Errc::io}) {
    EXPECT_EQ(retry_of({code, ""}, usual), Retry::soon);
    EXPECT_EQ(retry_of({code, ""}, endless), Retry::soon);
  }
  EXPECT_EQ(retry_of({Errc::refused, ""}, usual), Retry::never);
  EXPECT_EQ(retry_of({Errc::refused, ""}, endless), Retry::slowly);
  for (const Errc code : {Errc::usage, Errc::unsupported, Errc::lost, Errc::interrupted,
                          Errc::malformed, Errc::truncated, Errc::conflict, Errc::differs}) {
    EXPECT_EQ(retry_of({code, ""}, endless), Retry::never);
  }
}

TEST(RetryPolicyTable, WaitsGrowWithJitterUpToABound) {
  const RetryPolicy policy;
  const Error lost_line{Errc::network, ""};
  EXPECT_EQ(wait_after(1, lost_line, policy, 1), milliseconds(100));
  EXPECT_EQ(wait_after(1, lost_line, policy, 0), milliseconds(50));
  EXPECT_EQ(wait_after(4, lost_line, policy, 1), milliseconds(800));
  EXPECT_EQ(wait_after(12, lost_line, policy, 1), policy.wait_max);
  EXPECT_EQ(wait_after(4'000'000'000, lost_line, policy, 1), policy.wait_max);
  EXPECT_EQ(wait_after(1, {Errc::server, "", 503}, policy, 0), seconds(1));
  EXPECT_EQ(wait_after(1, {Errc::server, "", 500}, policy, 0), milliseconds(50));
  EXPECT_EQ(wait_after(1, {Errc::refused, ""}, endless_policy(), 1), policy.wait_max);
}

TEST(RetryingStorage, TriesAgainUntilItSucceeds) {
  Retried retried;
  retried.behind->answer(Errc::network);
  retried.behind->answer(Errc::server, 503);
  retried.behind->answer(Errc::timeout);
  const Clock::Time begin = retried.clock.now();
  EXPECT_EQ(retried.put(), "ok");
  EXPECT_EQ(text_of(*retried.behind, "a"), "x");
  EXPECT_GE(retried.clock.now() - begin, milliseconds(50 + 1000 + 200));
  EXPECT_LE(retried.clock.now() - begin, milliseconds(100 + 2000 + 400));
  const RetryCounts counts = retried.storage.counts();
  EXPECT_EQ(counts.tries, 4u);
  EXPECT_EQ(counts.failed_tries, 3u);
  EXPECT_EQ(counts.calls.puts, 1u);
  EXPECT_EQ(counts.calls.failures, 0u);
  EXPECT_EQ(counts.calls.bytes_put, 1u);
  EXPECT_EQ(counts.failing, milliseconds(0));
}

TEST(RetryingStorage, GivesUpWhenTheTotalIsUsed) {
  RetryPolicy policy;
  policy.total = seconds(30);
  Retried retried(policy);
  std::vector<milliseconds> timeouts;
  for (int i = 0; i < 1000; ++i) {
    retried.behind->answer([&](const Limits& limits) {
      timeouts.push_back(limits.timeout);
      return Error{Errc::network, "no"};
    });
  }
  const Clock::Time begin = retried.clock.now();
  EXPECT_EQ(retried.put(), "network");
  EXPECT_LE(retried.clock.now() - begin, seconds(30));
  EXPECT_GE(retried.clock.now() - begin, seconds(15));
  ASSERT_GT(timeouts.size(), 5u);
  EXPECT_LE(timeouts.front(), seconds(30));
  EXPECT_LT(timeouts.back(), timeouts.front());
  EXPECT_EQ(retried.storage.counts().calls.failures, 1u);
  EXPECT_GT(retried.storage.counts().failing, milliseconds(0));
}

TEST(RetryingStorage, WhatNeedsSomebodyIsNotTriedAgain) {
  for (const Errc code : {Errc::refused, Errc::unsupported, Errc::conflict}) {
    Retried retried;
    retried.behind->answer(code);
    EXPECT_EQ(retried.put(), to_string(code));
    EXPECT_EQ(retried.storage.counts().tries, 1u);
  }
}

TEST(RetryingStorage, AnEndlessPolicyOutlastsTenMinutesAndARefusal) {
  Retried retried(endless_policy());
  const Clock::Time begin = retried.clock.now();
  const auto until = begin + minutes(10);
  Scripted::Answer still_down = [&](const Limits&) -> std::optional<Error> {
    if (retried.clock.now() >= until) return std::nullopt;
    return Error{Errc::refused, "403"};
  };
  for (int i = 0; i < 1000; ++i) retried.behind->answer(still_down);
  EXPECT_EQ(retried.put(), "ok");
  EXPECT_GE(retried.clock.now(), until);
  EXPECT_LE(retried.clock.now(), until + seconds(15));
  EXPECT_LE(retried.storage.counts().tries, 81u);  // not faster than every 7.5 s
}

TEST(RetryingStorage, AStopEndsTheWaitBetweenTries) {
  Retried retried(endless_policy());
  std::stop_source stop;
  Limits limits;
  limits.stop = stop.get_token();
  for (int i = 0; i < 3; ++i) retried.behind->answer(Errc::network);
  std::string answer;
  std::thread caller([&] { answer = code_of(put_text(retried.storage, "a", "x", limits)); });
  while (retried.clock.sleepers() == 0) std::this_thread::yield();
  stop.request_stop();
  caller.join();
  EXPECT_EQ(answer, "interrupted");
  EXPECT_EQ(retried.storage.counts().tries, 1u);
  EXPECT_EQ(code_of(put_text(retried.storage, "a", "x", limits)), "interrupted");
  EXPECT_EQ(retried.storage.counts().tries, 1u);
}

TEST(RetryingStorage, ACreateThatWasNotAnsweredIsRecognised) {
  Retried retried;
  retried.behind->let_arrive(true);
  retried.behind->answer(Errc::network);
  bool mine = false;
  EXPECT_EQ(retried.code([&] {
    Result<bool> made = create_text(retried.storage, "e", "epoch 1, nonce 7");
    mine = made.ok() && made.value();
    return made;
  }),
            "ok");
  EXPECT_TRUE(mine);

  // Another one's object stays another one's, whatever was not answered.
  retried.behind->let_arrive(false);
  retried.behind->answer(Errc::network);
  for (const std::string_view other : {"epoch 1, nonce 8", "epoch 1, nonce 77", "", "e"}) {
    EXPECT_EQ(retried.code([&] {
      Result<bool> made = create_text(retried.storage, "e", other);
      mine = made.ok() && made.value();
      return made;
    }),
              "ok");
    EXPECT_FALSE(mine) << other;
    retried.behind->answer(Errc::timeout);
  }
  EXPECT_EQ(text_of(*retried.behind, "e"), "epoch 1, nonce 7");
}

TEST(RetryingStorage, ReadsListsAndRemovalsAreTriedAgainToo) {
  ManualClock clock;
  FaultOptions options;
  options.errors = 0.6;
  options.torn = 0.2;
  const auto memory = std::make_shared<MemoryStorage>();
  const auto emulated = std::make_shared<EmulatedStorage>(memory, options, clock);
  RetryPolicy policy;
  policy.first_wait = milliseconds(0);
  policy.wait_max = milliseconds(0);
  RetryingStorage storage(emulated, policy, clock);
  Names wanted;
  for (int i = 10; i < 50; ++i) {
    const std::string name = std::to_string(i);
    wanted.push_back(name);
    EXPECT_EQ(what_of(put_text(storage, name, "text of " + name)), "ok");
    EXPECT_EQ(text_of(storage, name), "text of " + name);
  }
  EXPECT_EQ(names_in(storage), wanted);
  remove_all(storage, wanted);
  EXPECT_EQ(names_in(*memory), Names{});
  EXPECT_EQ(text_of(storage, "10"), "lost");
  EXPECT_EQ(storage.counts().tries, emulated->counts().puts + emulated->counts().gets +
                                        emulated->counts().lists + emulated->counts().removes);
}

TEST(RequestBudget, SpreadsRequestsOverTheMinute) {
  ManualClock clock;
  clock.advance(minutes(1));
  RequestBudget budget(120, clock);
  // What was not used within the last second may be used at once.
  EXPECT_TRUE(budget.take({}));
  EXPECT_TRUE(budget.take_now());
  EXPECT_TRUE(budget.take_now());
  EXPECT_FALSE(budget.take_now());
  const Clock::Time begin = clock.now();
  std::thread caller([&] {
    for (int i = 0; i < 120; ++i) EXPECT_TRUE(budget.take({}));
  });
  for (int i = 0; i < 120; ++i) clock.advance_to_next();
  caller.join();
  EXPECT_EQ(clock.now() - begin, minutes(1));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(budget.take(stop.get_token()));
  RequestBudget none(0, clock);
  EXPECT_TRUE(none.take_now());
  EXPECT_TRUE(none.take({}));
  EXPECT_FALSE(none.take(stop.get_token()));
}

TEST(OutageLog, TellsOnceAMinuteHowLongItWaits) {
  OutageLog outage;
  const Error error{Errc::refused, "403"};
  const Clock::Time begin = Clock::Time(minutes(5));
  EXPECT_EQ(outage.succeeded("put into x", begin), std::nullopt);
  EXPECT_EQ(outage.failed("put into x", error, begin), "cannot put into x, trying again: 403");
  int told = 0;
  std::string last;
  for (int s = 1; s <= 150; ++s) {
    const auto line = outage.failed("put into x", error, begin + seconds(s));
    if (!line) continue;
    ++told;
    last = *line;
  }
  EXPECT_EQ(told, 2);
  EXPECT_EQ(last, "cannot put into x for 2m00s (121 failed tries), waiting: 403");
  EXPECT_EQ(outage.since(), begin);
  EXPECT_EQ(outage.succeeded("put into x", begin + seconds(151)),
            "can put into x again, after 2m31s (151 failed tries)");
  EXPECT_EQ(outage.since(), std::nullopt);
  // Failures in between that heal at once say nothing more within the minute.
  told = 0;
  for (int s = 152; s <= 170; ++s) {
    if (outage.failed("put into x", error, begin + seconds(s))) ++told;
    if (outage.succeeded("put into x", begin + seconds(s))) ++told;
  }
  EXPECT_EQ(told, 0);
}

TEST(Stragglers, AreThoseBehindMostOfTheirSize) {
  Stragglers stragglers;
  for (int i = 1; i <= 19; ++i) stragglers.took(1000, milliseconds(100));
  EXPECT_EQ(stragglers.late_after(1000), std::nullopt);
  for (int i = 20; i <= 100; ++i) stragglers.took(1000, milliseconds(100 + i));
  EXPECT_EQ(stragglers.late_after(1000), milliseconds(196));
  EXPECT_EQ(stragglers.late_after(1'000'000), std::nullopt);
  EXPECT_EQ(stragglers.late_after(10), milliseconds(196)) << "no later than a larger one";
  for (int i = 0; i < 128; ++i) stragglers.took(1000, milliseconds(1));
  EXPECT_EQ(stragglers.late_after(600), milliseconds(10));
}

TEST(Stragglers, OneInTenIsHedgedAtMost) {
  Stragglers stragglers;
  EXPECT_FALSE(stragglers.may_hedge());
  int hedged = 0;
  for (int i = 0; i < 1000; ++i) {
    stragglers.took(1, milliseconds(1));
    if (stragglers.may_hedge()) ++hedged;
  }
  EXPECT_NEAR(hedged, 100, 1);
}

// Puts that have all been quick, so that the next one is late soon.
void warm_up(Retried& retried) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(what_of(put_text(retried.storage, "w", "x")), "ok");
}

TEST(HedgedPut, ASecondPutWinsAndStopsTheFirst) {
  Retried retried;
  warm_up(retried);
  retried.behind->answer([&](const Limits& limits) -> std::optional<Error> {
    retried.clock.sleep_until(Clock::Time::max(), limits.stop);  // hangs
    return Error{Errc::interrupted, "stopped"};
  });
  std::thread caller([&] { EXPECT_EQ(what_of(put_text(retried.storage, "a", "y")), "ok"); });
  retried.clock.advance_to_next(2);  // the put and whoever watches it
  caller.join();
  EXPECT_EQ(text_of(*retried.behind, "a"), "y");
  EXPECT_EQ(retried.storage.counts().hedges, 1u);
  EXPECT_EQ(retried.storage.counts().hedges_won, 1u);
  EXPECT_EQ(retried.storage.counts().failed_tries, 0u);
}

TEST(HedgedPut, AFirstPutThatWinsStopsTheSecond) {
  Retried retried;
  warm_up(retried);
  std::atomic<bool> second_began{false};
  std::atomic<bool> second_ended{false};
  retried.behind->answer([&](const Limits& limits) -> std::optional<Error> {
    retried.clock.sleep_until(retried.clock.now() + seconds(1), limits.stop);
    while (!second_began) std::this_thread::yield();
    return std::nullopt;
  });
  retried.behind->answer([&](const Limits& limits) -> std::optional<Error> {
    second_began = true;
    retried.clock.sleep_until(Clock::Time::max(), limits.stop);
    second_ended = true;
    return Error{Errc::interrupted, "stopped"};
  });
  std::atomic<bool> done{false};
  std::thread caller([&] {
    EXPECT_EQ(what_of(put_text(retried.storage, "a", "y")), "ok");
    EXPECT_TRUE(second_ended);  // the bytes are free
    done = true;
  });
  retried.clock.advance_to_next(2);  // the put and whoever watches it
  while (!second_began) std::this_thread::yield();
  retried.clock.advance(seconds(1));
  while (!done) std::this_thread::yield();
  caller.join();
  EXPECT_EQ(retried.storage.counts().hedges, 1u);
  EXPECT_EQ(retried.storage.counts().hedges_won, 0u);
}

// One of the two fails while the other is under way, and the other succeeds.
void expect_other_counts(bool first_fails) {
  Retried retried;
  warm_up(retried);
  std::atomic<int> began{0};
  std::atomic<bool> failed{false};
  for (const bool is_first : {true, false}) {
    retried.behind->answer([&, is_first](const Limits& limits) -> std::optional<Error> {
      ++began;
      if (is_first == first_fails) {
        while (began < 2) std::this_thread::yield();
        failed = true;
        return Error{Errc::network, "no"};
      }
      while (!failed) std::this_thread::yield();
      // By now the one that failed has had its say, if it says anything.
      const auto until = retried.clock.now() + seconds(1);
      const bool slept = retried.clock.sleep_until(until, limits.stop);
      return slept ? std::nullopt : std::optional(Error{Errc::interrupted, "stopped"});
    });
  }
  std::atomic<bool> done{false};
  std::thread caller([&] {
    EXPECT_EQ(what_of(put_text(retried.storage, "a", "y")), "ok");
    done = true;
  });
  while (began < 1) std::this_thread::yield();  // else the second might be there before the first
  while (!done) {
    retried.clock.advance(milliseconds(20));
    std::this_thread::yield();
  }
  caller.join();
  EXPECT_EQ(retried.storage.counts().hedges, 1u);
  EXPECT_EQ(retried.storage.counts().hedges_won, first_fails ? 1u : 0u);
  EXPECT_EQ(retried.storage.counts().failed_tries, 0u);
}

TEST(HedgedPut, ASecondPutCountsWhenTheFirstFails) { expect_other_counts(true); }
TEST(HedgedPut, AFirstPutCountsWhenTheSecondFails) { expect_other_counts(false); }

TEST(HedgedPut, AStopEndsBoth) {
  Retried retried;
  warm_up(retried);
  std::atomic<int> hanging{0};
  for (int i = 0; i < 2; ++i) {
    retried.behind->answer([&](const Limits& limits) -> std::optional<Error> {
      ++hanging;
      retried.clock.sleep_until(Clock::Time::max(), limits.stop);
      return Error{Errc::interrupted, "stopped"};
    });
  }
  std::stop_source stop;
  Limits limits;
  limits.stop = stop.get_token();
  std::thread caller(
      [&] { EXPECT_EQ(code_of(put_text(retried.storage, "a", "y", limits)), "interrupted"); });
  retried.clock.advance_to_next(2);
  while (hanging < 2) std::this_thread::yield();
  stop.request_stop();
  caller.join();
}

TEST(HedgedPut, NoneOfALocalPlaceOrWhenSwitchedOff) {
  for (const bool remote : {true, false}) {
    RetryPolicy policy;
    policy.hedge = !remote;
    Retried retried(policy);
    retried.behind->set_remote(remote);
    warm_up(retried);
    retried.behind->answer([&](const Limits& limits) -> std::optional<Error> {
      retried.clock.sleep_until(retried.clock.now() + minutes(1), limits.stop);
      return std::nullopt;
    });
    EXPECT_EQ(retried.put(), "ok");
    EXPECT_EQ(retried.storage.counts().hedges, 0u);
  }
}

}  // namespace
}  // namespace wherry::storage
