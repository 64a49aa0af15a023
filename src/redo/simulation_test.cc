// The rules of the writer on a virtual clock: what they reach of the ideal over the whole grid of
// latency, bandwidth and uploaders, in which no thread and no real time takes part.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <random>
#include <vector>

#include "redo/cut_rule.h"
#include "redo/upload_model.h"
#include "storage/stragglers.h"

namespace wherry::redo {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kMiB = 1 << 20;
constexpr std::size_t kBlock = 128 << 10;

struct Store {
  double latency_s = 0;
  double sigma = 0;        // of a log-normal latency; 0: fixed
  double bytes_per_s = 0;  // of one upload
  bool hedged = false;     // late uploads are sent a second time, as RetryingStorage does
};

struct Shape {
  Store store;
  unsigned uploaders = 8;
  double arrival = 0;  // bytes a second; 0: as fast as it is taken
  double assembly = 1024 * kMiB;
  CutLimits limits;
  unsigned seed = 11;
};

struct Outcome {
  double bytes_per_s = 0;               // made durable, in order
  std::vector<double> lags;             // of the first row of each file, until it was durable
  std::vector<double> bytes_in_second;  // made durable in each second of the run
  double lag(double share) {
    std::sort(lags.begin(), lags.end());
    return lags[static_cast<std::size_t>(share * static_cast<double>(lags.size() - 1))];
  }
};

// One run of the writer's decisions. Blocks come one by one; uploads end when the store says so.
class WriterRun {
 public:
  explicit WriterRun(const Shape& setup)
      : setup_(setup), memory_((setup.uploaders + 3) * setup.limits.bytes_max) {}

  Outcome until(double end_s) {
    const double block_s = setup_.arrival > 0 ? kBlock / setup_.arrival : kBlock / setup_.assembly;
    double next_block = 0;
    while (now_ < end_s) {
      double next = uploads_.empty() ? 1e18 : uploads_.top().done_at;
      const bool room = held_ + kBlock <= memory_;
      if (room) next = std::min(next, std::max(next_block, now_));
      if (open_.bytes > 0) {
        const double look = to_s(next_look(open_, setup_.limits, load()));
        if (look > now_) next = std::min(next, look);
      }
      now_ = next;
      while (!uploads_.empty() && uploads_.top().done_at <= now_) finish();
      if (room && next_block <= now_) {
        if (open_.bytes == 0) open_.first_at = at(now_);
        open_.bytes += kBlock;
        held_ += kBlock;
        next_block = now_ + block_s;
      }
      seal_if_due();
    }
    outcome_.bytes_per_s = released_.bytes / end_s;
    return std::move(outcome_);
  }

 private:
  struct Upload {
    double done_at = 0;
    double begun_at = 0;
    std::size_t number = 0;
    bool operator<(const Upload& other) const { return done_at > other.done_at; }
  };
  struct File {
    std::size_t bytes = 0;
    double first_at = 0;
    bool done = false;
  };

  static Instant at(double seconds) {
    return Instant(std::chrono::duration_cast<Instant::duration>(Seconds(seconds)));
  }
  static double to_s(Instant time) { return Seconds(time.time_since_epoch()).count(); }

  UploadLoad load() const {
    UploadLoad load;
    load.in_flight = static_cast<unsigned>(uploads_.size());
    load.idle = setup_.uploaders - load.in_flight;
    load.waiting = waiting_.size();
    load.full = held_ + kBlock > memory_;
    load.target_bytes = model_.target_bytes();
    return load;
  }

  void seal_if_due() {
    if (!is_due(open_, setup_.limits, load(), at(now_))) return;
    files_.push_back({open_.bytes, to_s(open_.first_at), false});
    waiting_.push_back(files_.size() - 1);
    open_ = OpenFile{};
    begin_uploads();
  }

  void begin_uploads() {
    while (!waiting_.empty() && uploads_.size() < setup_.uploaders) {
      const std::size_t number = waiting_.front();
      waiting_.pop_front();
      uploads_.push({now_ + upload_s(files_[number].bytes), now_, number});
    }
  }

  // How long an upload takes; the one that ends first where a second one is made.
  double upload_s(std::size_t bytes) {
    const double first = request_s(bytes);
    if (!setup_.store.hedged) return first;
    const auto late = stragglers_.late_after(bytes);
    if (!late || first <= Seconds(*late).count() || !stragglers_.may_hedge()) return first;
    return std::min(first, Seconds(*late).count() + request_s(bytes));
  }

  double request_s(std::size_t bytes) {
    double latency = setup_.store.latency_s;
    if (setup_.store.sigma > 0)
      latency = std::lognormal_distribution<>(std::log(latency), setup_.store.sigma)(random_);
    return latency + static_cast<double>(bytes) / setup_.store.bytes_per_s;
  }

  void finish() {
    const Upload upload = uploads_.top();
    uploads_.pop();
    File& file = files_[upload.number];
    file.done = true;
    held_ -= file.bytes;
    const Seconds took(now_ - upload.begun_at);
    model_.add(file.bytes, took);
    stragglers_.took(file.bytes, std::chrono::duration_cast<Clock::Duration>(took));
    const auto second = static_cast<std::size_t>(now_);
    if (outcome_.bytes_in_second.size() <= second) outcome_.bytes_in_second.resize(second + 1);
    for (; released_.files < files_.size() && files_[released_.files].done; ++released_.files) {
      const auto bytes = static_cast<double>(files_[released_.files].bytes);
      released_.bytes += bytes;
      outcome_.bytes_in_second[second] += bytes;
      outcome_.lags.push_back(now_ - files_[released_.files].first_at);
    }
    begin_uploads();
  }

  const Shape setup_;
  const std::size_t memory_;
  double now_ = 0;
  std::size_t held_ = 0;
  OpenFile open_;
  std::vector<File> files_;
  std::deque<std::size_t> waiting_;
  std::priority_queue<Upload> uploads_;
  UploadModel model_;
  storage::Stragglers stragglers_;
  struct Released {
    std::size_t files = 0;
    double bytes = 0;
  } released_;
  Outcome outcome_;
  std::mt19937 random_{setup_.seed};
};

double ideal(const Shape& setup) {
  const auto size = static_cast<double>(setup.limits.bytes_max);
  const double uploads =
      setup.uploaders * size / (setup.store.latency_s + size / setup.store.bytes_per_s);
  return std::min(setup.assembly, uploads);
}

TEST(RedoSimulation, ReachesNineTenthsOfTheIdealEverywhere) {
  for (const double latency : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0}) {
    for (const double bandwidth : {10.0, 25.0, 50.0, 100.0, 200.0}) {
      for (const unsigned uploaders : {1U, 2U, 4U, 8U, 16U}) {
        Shape setup;
        setup.store = {latency, 0, bandwidth * kMiB};
        setup.uploaders = uploaders;
        const double reached = WriterRun(setup).until(600).bytes_per_s;
        EXPECT_GE(reached, 0.9 * ideal(setup))
            << latency << " s, " << bandwidth << " MiB/s, " << uploaders
            << " uploaders: " << reached / kMiB << " of " << ideal(setup) / kMiB << " MiB/s";
      }
    }
  }
}

TEST(RedoSimulation, MoreUploadersAreNeverSlower) {
  double before = 0;
  for (const unsigned uploaders : {1U, 2U, 4U, 8U, 16U}) {
    Shape setup;
    setup.store = {0.1, 0, 50 * kMiB};
    setup.uploaders = uploaders;
    const double reached = WriterRun(setup).until(300).bytes_per_s;
    EXPECT_GT(reached, before);
    before = reached;
  }
}

// At half of what the store can take, with a latency that varies by a factor of six.
TEST(RedoSimulation, TheLagStaysNearAgePlusTransferPlusLatency) {
  for (const double rate : {5.0, 20.0, 80.0, 150.0}) {
    Shape setup;
    setup.store = {0.1, 0.8, 50 * kMiB};
    setup.arrival = rate * kMiB;
    Outcome outcome = WriterRun(setup).until(600);
    constexpr double kLatency99 = 0.64;
    const double age = Seconds(setup.limits.age_max).count();
    const double size = std::min(rate * age, 64.0);
    EXPECT_LE(outcome.lag(0.99), 1.25 * (age + size / 50 + kLatency99)) << rate << " MiB/s";
    EXPECT_GE(outcome.bytes_per_s, 0.97 * rate * kMiB);
  }
}

// One put in a hundred takes more than six times as long as usual, and the target sees what is
// durable: it must not stand still behind such a put and then run.
TEST(RedoSimulation, AHeavyTailIsNeitherAPauseNorABurst) {
  constexpr std::size_t kWarm = 30;
  for (const double rate : {5.0, 20.0, 80.0}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      Shape setup;
      setup.store = {0.1, 0.8, 50 * kMiB, true};
      setup.arrival = rate * kMiB;
      setup.seed = seed;
      std::vector<double> seconds = WriterRun(setup).until(600).bytes_in_second;
      seconds.resize(600);
      seconds.erase(seconds.begin(), seconds.begin() + kWarm);
      const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
      EXPECT_GE(*least, 0.15 * rate * kMiB) << rate << " MiB/s, seed " << seed;
      EXPECT_LE(*most, 2 * rate * kMiB) << rate << " MiB/s, seed " << seed;
    }
  }
}

TEST(RedoSimulation, LittleTrafficMakesFewRequests) {
  Shape setup;
  setup.store = {0.05, 0, 50 * kMiB};
  setup.arrival = 0.5 * kMiB;
  Outcome outcome = WriterRun(setup).until(100);
  EXPECT_LE(outcome.lags.size(), 100 / 0.1);
  EXPECT_LE(outcome.lag(0.99), 0.5);
}

TEST(UploadModel, FindsLatencyAndBandwidth) {
  UploadModel model;
  for (int i = 1; i <= 50; ++i)
    model.add(static_cast<std::size_t>(i) << 20, Seconds(0.2 + i / 40.0));
  EXPECT_NEAR(model.latency_s(), 0.2, 0.02);
  EXPECT_NEAR(model.bytes_per_s(), 40 * kMiB, 2 * kMiB);
  EXPECT_NEAR(static_cast<double>(model.target_bytes()), 16 * kMiB, 2 * kMiB);
}

TEST(UploadModel, KeepsItsGuessWhileAllUploadsAreAlike) {
  UploadModel model;
  const std::size_t first = model.target_bytes();
  for (int i = 0; i < 100; ++i) model.add(8 << 20, Seconds(0.3));
  EXPECT_EQ(model.target_bytes(), first);
}

TEST(CutRule, EndsSmallerFilesWhileMostUploadersAreIdle) {
  const CutLimits limits;
  OpenFile file;
  file.first_at = Instant{};
  UploadLoad load;
  load.in_flight = 3;
  load.idle = 5;
  file.bytes = load.target_bytes / 4;
  EXPECT_TRUE(is_due(file, limits, load, Instant{}));
  load.waiting = 2;
  EXPECT_FALSE(is_due(file, limits, load, Instant{})) << "most are spoken for";
  EXPECT_EQ(next_look(file, limits, load), Instant{} + limits.age_max / 4);
  EXPECT_TRUE(is_due(file, limits, load, Instant{} + limits.age_max / 4)) << "old enough";
  load.waiting = 5;
  EXPECT_EQ(next_look(file, limits, load), Instant{} + limits.age_max);
  EXPECT_FALSE(is_due(file, limits, load, Instant{} + limits.age_max / 4)) << "none is left";
}

TEST(CutRule, EndsAFileForEachReasonAndNoOther) {
  const CutLimits limits;
  const Instant begin{};
  OpenFile file;
  file.first_at = begin;
  UploadLoad busy;
  busy.in_flight = 8;
  EXPECT_FALSE(is_due(file, limits, busy, begin + limits.age_max)) << "nothing is in it";
  file.bytes = 32 << 20;
  EXPECT_FALSE(is_due(file, limits, busy, begin)) << "all uploaders are busy";
  EXPECT_TRUE(is_due(file, limits, busy, begin + limits.age_max)) << "age";
  file.sealed = true;
  EXPECT_TRUE(is_due(file, limits, busy, begin)) << "a statement";
  file.sealed = false;
  file.bytes = limits.bytes_max;
  EXPECT_TRUE(is_due(file, limits, busy, begin)) << "size";
  UploadLoad idle;
  idle.idle = 8;
  idle.in_flight = 1;
  file.bytes = idle.target_bytes;
  EXPECT_TRUE(is_due(file, limits, idle, begin)) << "worth a request";
  file.bytes = 1000;
  EXPECT_FALSE(is_due(file, limits, idle, begin + limits.age_idle)) << "not worth one yet";
  idle.in_flight = 0;
  EXPECT_FALSE(is_due(file, limits, idle, begin));
  EXPECT_TRUE(is_due(file, limits, idle, begin + limits.age_idle)) << "nothing is on its way";
  idle.in_flight = 1;
  idle.full = true;
  EXPECT_TRUE(is_due(file, limits, idle, begin)) << "no memory is left";
  idle.waiting = 8;
  EXPECT_FALSE(is_due(file, limits, idle, begin)) << "others wait before it";
}

}  // namespace
}  // namespace wherry::redo
