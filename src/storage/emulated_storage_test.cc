// The emulated storage takes the time and does the harm that it was asked for, and tells the truth
// to whoever compares.

#include "storage/emulated_storage.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "storage/memory_storage.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Names = std::vector<std::string>;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Outage = EmulatedStorage::Outage;

struct Emulated {
  explicit Emulated(const FaultOptions& options)
      : behind(std::make_shared<MemoryStorage>()), storage(behind, options, clock) {}

  // How long the call took, while nothing else moved the clock.
  template <typename F>
  Clock::Duration timed(F&& call) {
    const Clock::Time begin = clock.now();
    std::thread caller(std::forward<F>(call));
    clock.advance_to_next();
    caller.join();
    return clock.now() - begin;
  }

  ManualClock clock;
  std::shared_ptr<MemoryStorage> behind;
  EmulatedStorage storage;
};

std::string number(int i) { return std::to_string(1000 + i); }

TEST(EmulatedStorage, ACallTakesLatencyAndBandwidth) {
  FaultOptions options;
  options.latency = milliseconds(50);
  options.bandwidth = 1000;
  Emulated emulated(options);
  const std::string text(2000, 'x');
  EXPECT_EQ(emulated.timed([&] { EXPECT_TRUE(put_text(emulated.storage, "a", text).ok()); }),
            milliseconds(2050));
  EXPECT_EQ(emulated.timed([&] { EXPECT_EQ(names_in(emulated.storage), Names{"a"}); }),
            milliseconds(50));
  EXPECT_EQ(emulated.timed([&] { remove_all(emulated.storage, {"b"}); }), milliseconds(50));
  std::thread reader([&] { EXPECT_EQ(text_of(emulated.storage, "a", 0, 500).size(), 500u); });
  const Clock::Time begin = emulated.clock.now();
  emulated.clock.advance_to_next();  // the answer begins
  emulated.clock.advance_to_next();  // and ends
  reader.join();
  EXPECT_EQ(emulated.clock.now() - begin, milliseconds(550));
}

TEST(EmulatedStorage, CallsShareTheLink) {
  FaultOptions options;
  options.latency = milliseconds(10);
  options.link = 1000;
  Emulated emulated(options);
  const std::string text(1000, 'x');
  const Clock::Time begin = emulated.clock.now();
  std::vector<std::thread> callers;
  for (const char* const name : {"a", "b", "c"})
    callers.emplace_back([&, name] { (void)put_text(emulated.storage, name, text); });
  for (std::size_t left = 3; left > 0; --left) emulated.clock.advance_to_next(left);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(emulated.clock.now() - begin, milliseconds(3010));
  EXPECT_EQ(emulated.storage.counts().in_flight_peak, 3u);
  EXPECT_EQ(emulated.storage.counts().in_flight, 0u);
}

TEST(EmulatedStorage, LatencyIsLogNormalByItsMedian) {
  FaultOptions options;
  options.sigma = 0.8;
  Dice dice(options);
  std::vector<double> factors;
  factors.reserve(4001);
  for (int i = 0; i < 4001; ++i) factors.push_back(dice.write(number(i)).latency_factor);
  std::sort(factors.begin(), factors.end());
  EXPECT_NEAR(factors[2000], 1.0, 0.06);
  EXPECT_NEAR(factors[3960], 6.4, 0.9);  // p99: exp(0.8 * 2.326)
  EXPECT_GT(factors.front(), 0);
}

TEST(EmulatedStorage, TheSeedDecidesWhateverTheOrder) {
  FaultOptions options;
  options.sigma = 1;
  options.errors = 0.5;
  Dice forwards(options);
  Dice backwards(options);
  options.seed = 2;
  Dice other(options);
  std::vector<double> first(50);
  std::vector<double> second(50);
  int same = 0;
  for (int i = 0; i < 50; ++i) {
    first[static_cast<std::size_t>(i)] = forwards.write(number(i)).latency_factor;
    second[static_cast<std::size_t>(49 - i)] = backwards.write(number(49 - i)).latency_factor;
  }
  for (int i = 0; i < 50; ++i)
    if (other.write(number(i)).latency_factor == first[static_cast<std::size_t>(i)]) ++same;
  EXPECT_EQ(first, second);
  EXPECT_EQ(same, 0);
}

TEST(EmulatedStorage, EachFaultDoesItsHarm) {
  FaultOptions errors;
  errors.errors = 1;
  Emulated failing(errors);
  int arrived = 0;
  for (int i = 0; i < 100; ++i) {
    const Status done = put_text(failing.storage, number(i), "whole");
    EXPECT_EQ(code_of(done), "network");
    if (text_of(*failing.behind, number(i)) == "whole") ++arrived;
  }
  EXPECT_GT(arrived, 25);
  EXPECT_LT(arrived, 75);
  EXPECT_EQ(code_of(failing.storage.get("1000", 0, 1, {})), "network");
  EXPECT_EQ(names_in(failing.storage), Names{"network"});
  EXPECT_EQ(failing.storage.counts().failures, 102u);

  FaultOptions torn;
  torn.torn = 1;
  Emulated tearing(torn);
  const std::string text(1000, 'x');
  EXPECT_EQ(code_of(put_text(tearing.storage, "a", text)), "network");
  EXPECT_LT(text_of(*tearing.behind, "a").size(), text.size());
  EXPECT_TRUE(text.starts_with(text_of(*tearing.behind, "a")));

  FaultOptions lost;
  lost.lost = 1;
  Emulated losing(lost);
  EXPECT_EQ(code_of(put_text(losing.storage, "a", text)), "ok");
  EXPECT_EQ(names_in(*losing.behind), Names{});
}

TEST(EmulatedStorage, SharesOfFaultsAreKept) {
  FaultOptions options;
  options.errors = 0.2;
  options.torn = 0.1;
  options.lost = 0.1;
  Dice dice(options);
  std::map<Fate, int> fates;
  for (int i = 0; i < 5000; ++i) ++fates[dice.write(number(i)).fate];
  EXPECT_NEAR(fates[Fate::fails] + fates[Fate::fails_behind], 1000, 120);
  EXPECT_NEAR(fates[Fate::is_torn], 500, 90);
  EXPECT_NEAR(fates[Fate::is_lost], 500, 90);
  // A name that failed is thrown for anew, and passes in the end.
  int tries = 1;
  while (dice.write("x").fate != Fate::passes) ++tries;
  EXPECT_LT(tries, 100);
}

TEST(EmulatedStorage, AFailingOutageEndsCallsAtOnce) {
  Emulated emulated({});
  emulated.storage.set_outage(Outage::failing);
  EXPECT_EQ(code_of(put_text(emulated.storage, "a", "x")), "network");
  emulated.storage.set_outage(Outage::none);
  EXPECT_EQ(code_of(put_text(emulated.storage, "a", "x")), "ok");
}

TEST(EmulatedStorage, AHangEndsWithTheOutageTheTimeoutOrAStop) {
  FaultOptions options;
  options.latency = milliseconds(100);
  Emulated emulated(options);
  std::optional<std::string> answer;
  const auto begin_put = [&](const Limits& limits) {
    return std::thread(
        [&, limits] { answer = code_of(put_text(emulated.storage, "a", "x", limits)); });
  };
  const auto sleeps = [&] {
    while (emulated.clock.sleepers() == 0) std::this_thread::yield();
  };
  // Begins while it works: an outage in the middle holds it up.
  std::thread caller = begin_put({});
  sleeps();
  emulated.storage.set_outage(Outage::hanging);
  emulated.clock.advance(minutes(2));
  while (emulated.clock.sleepers() == 0 && emulated.storage.counts().in_flight > 0)
    std::this_thread::yield();
  EXPECT_EQ(emulated.storage.counts().in_flight, 1u);
  EXPECT_EQ(names_in(*emulated.behind), Names{});
  emulated.storage.set_outage(Outage::none);
  emulated.clock.advance(seconds(1));
  while (emulated.storage.counts().in_flight > 0) {
    emulated.clock.advance(milliseconds(100));
    std::this_thread::yield();
  }
  caller.join();
  EXPECT_EQ(answer, "ok");

  emulated.storage.set_outage(Outage::hanging);
  Limits limits;
  limits.timeout = seconds(30);
  const Clock::Time begin = emulated.clock.now();
  caller = begin_put(limits);
  emulated.clock.advance_to_next();
  caller.join();
  EXPECT_EQ(answer, "timeout");
  EXPECT_EQ(emulated.clock.now() - begin, seconds(30));

  std::stop_source stop;
  limits.stop = stop.get_token();
  caller = begin_put(limits);
  sleeps();
  stop.request_stop();
  caller.join();
  EXPECT_EQ(answer, "interrupted");
}

TEST(EmulatedStorage, ListsAreBehind) {
  FaultOptions options;
  options.stale = seconds(5);
  Emulated emulated(options);
  for (const char* const name : {"a", "b", "c"}) (void)put_text(emulated.storage, name, "x");
  EXPECT_EQ(names_in(emulated.storage), Names{});
  emulated.clock.advance(seconds(5));
  EXPECT_EQ(names_in(emulated.storage), (Names{"a", "b", "c"}));
  remove_all(emulated.storage, {"b"});
  (void)put_text(emulated.storage, "d", "x");
  (void)put_text(emulated.storage, "c", "longer");
  EXPECT_EQ(text_of(emulated.storage, "b"), "lost");
  EXPECT_EQ(text_of(emulated.storage, "d"), "x");
  EXPECT_EQ(names_in(emulated.storage), (Names{"a", "b", "c"}));
  EXPECT_EQ(names_in(emulated.storage, "", "", 2), (Names{"a", "b"}));
  EXPECT_EQ(names_in(emulated.storage, "", "b", 2), Names{"c"});
  EXPECT_EQ(emulated.storage.list("c", "", 1, {}).value().at(0).bytes, 1u);
  emulated.clock.advance(seconds(5));
  EXPECT_EQ(names_in(emulated.storage), (Names{"a", "c", "d"}));
  EXPECT_EQ(emulated.storage.list("c", "", 1, {}).value().at(0).bytes, 6u);
}

TEST(EmulatedStorage, CountsWhatCame) {
  Emulated emulated({});
  (void)put_text(emulated.storage, "a", "12345");
  (void)create_text(emulated.storage, "b", "123");
  (void)text_of(emulated.storage, "a", 1, 2);
  (void)text_of(emulated.storage, "missing");
  (void)names_in(emulated.storage);
  remove_all(emulated.storage, {"a", "b"});
  const Counts counts = emulated.storage.counts();
  EXPECT_EQ(counts.puts, 2u);
  EXPECT_EQ(counts.gets, 2u);
  EXPECT_EQ(counts.lists, 1u);
  EXPECT_EQ(counts.removes, 1u);
  EXPECT_EQ(counts.failures, 1u);
  EXPECT_EQ(counts.bytes_put, 8u);
  EXPECT_EQ(counts.bytes_got, 2u);
}

}  // namespace
}  // namespace wherry::storage
