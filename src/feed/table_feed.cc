#include "feed/table_feed.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "support/ascii.h"
#include "support/units.h"

namespace wherry::feed {
namespace {

constexpr std::chrono::milliseconds kLook{100};  // how soon the road sees that it must stop
constexpr std::chrono::seconds kTellAtLeast{1};

StreamWalkOptions walk_options(const TableFeedOptions& options) {
  StreamWalkOptions walk;
  walk.reader.dialect = options.dialect;
  return walk;
}

// A table that walks by itself passes over most of what it reads, and there may be several.
StreamWalkOptions own_walk_options(const TableFeedOptions& options, const TableName& only) {
  StreamWalkOptions walk = walk_options(options);
  walk.reader.part_bytes = 1 << 20;
  walk.only = only;
  return walk;
}

Histogram to_histogram(const dispatch::BlockedSeconds& blocked) {
  Histogram out;
  double upper = 0.01;
  for (std::size_t i = 0; i < dispatch::BlockedSeconds::kBuckets; ++i, upper *= 2)
    out.upper.push_back(upper);
  out.counts.assign(blocked.counts.begin(), blocked.counts.end());
  out.sum = blocked.sum;
  return out;
}

}  // namespace

TableFeed::TableFeed(store::Log& log, const TableFeedOptions& options,
                     std::unique_ptr<dispatch::AsyncSink> sink, Persist persist)
    : log_(log),
      options_(options),
      sink_(std::move(sink)),
      persist_(std::move(persist)),
      trail_(log, options.dialect),
      router_(*sink_, {options.limits, options.chunk_bytes, options.done},
              [this](const StreamPoint& from, const TableName& only) {
                return std::make_unique<StreamWalk>(log_, from, options_.rules, book_,
                                                    own_walk_options(options_, only));
              }) {
  teller_.kept = options.done;
  // No number before it is known what the source calls the place: the pair may be recorded.
  told_.with([](Told& told) { told.progress = std::make_shared<const FeedProgress>(); });
}

TableFeed::~TableFeed() = default;

void TableFeed::stop() { stopping_.store(true, std::memory_order_release); }

std::shared_ptr<const FeedProgress> TableFeed::progress() const {
  return told_.read([](const Told& told) { return told.progress; });
}

Status TableFeed::request_syncpoint() {
  return Error{Errc::unsupported, "only a MySQL or MariaDB sink has syncpoints", 0};
}

Status TableFeed::run() {
  if (Status begun = begin(); !begun.ok()) return begun;
  std::vector<std::thread> walkers;
  for (unsigned i = 0; i < std::max(1U, options_.walkers); ++i) {
    walkers.emplace_back([this] {
      while (router_.run_turn()) {
      }
    });
  }
  std::thread teller([this] { tell_until_stopped(); });
  Status outcome = road();
  if (outcome.ok()) router_.stop();
  if (!outcome.ok()) router_.failed(outcome.error());
  for (std::thread& walker : walkers) walker.join();
  // What the sink has becomes durable first, within a bound: one that hangs must not hang the feed.
  const bool drained = router_.drain(options_.drain_time);
  const std::string held = router_.held_by();
  sink_->close();
  told_.with([](Told& told) { told.over = true; });
  teller.join();
  Status told = tell(true);
  if (std::optional<Error> error = router_.error()) return *error;
  if (!told.ok()) return told;
  if (!drained) {
    return Error{Errc::timeout,
                 fmt::format("the sink did not make durable what it has in {}: {}",
                             format_duration(options_.drain_time), held),
                 0};
  }
  return Error{Errc::interrupted, "the feed was stopped", 0};
}

Status TableFeed::begin() {
  if (Status limits = dispatch::check_limits(options_.limits); !limits.ok()) return limits;
  Result<store::Consumer> consumer = log_.consumer(options_.name, options_.done);
  if (!consumer.ok()) return consumer.error().within("the log");
  consumer_ = std::move(consumer).value();
  if (Result<store::Place> place = trail_.begin(options_.done); !place.ok())
    return place.error().within("the log");
  if (Status started = sink_->start(router_); !started.ok()) return started.error().within("sink");
  return Unit{};
}

Status TableFeed::road() {
  using namespace std::chrono_literals;
  StreamWalk walk(log_, {options_.done + 1, 0}, options_.rules, book_, walk_options(options_));
  const std::shared_ptr<Bell> bell =
      options_.bells == nullptr
          ? nullptr
          : options_.bells->hang(
                [rules = options_.rules](std::string_view database, std::string_view table) {
                  return rules.follows({std::string(database), std::string(table)});
                });
  while (!stopping_.load(std::memory_order_acquire)) {
    if (std::optional<Error> error = router_.error()) return *error;
    Result<const StreamStep*> step = walk.next(bell == nullptr ? kLook : 0ms);
    if (!step.ok()) return step.error();
    if (step.value() == nullptr) {
      if (walk.batch() == nullptr) {
        if (bell != nullptr) (void)bell->wait(kLook);
        continue;
      }
      trail_.add(*walk.batch());
      std::uint64_t closed = 0;
      for (const decode::Group& group : walk.batch()->groups) closed += group.closes ? 1 : 0;
      transactions_.fetch_add(closed, std::memory_order_relaxed);
      router_.flush(walk.done());
      continue;
    }
    if (step.value()->kind == StreamStep::Kind::rows) {
      router_.rows(*step.value());
    } else if (Status done = on_statement(*step.value()); !done.ok()) {
      return done;
    }
  }
  return Unit{};
}

void TableFeed::tell_until_stopped() {
  while (!told_.wait_for(options_.tell_every, [](const Told& told) { return told.over; })) {
    if (Status told = tell(false); !told.ok()) router_.failed(told.error());
  }
}

// Published; from time to time recorded, and only then forgotten by the log.
Status TableFeed::tell(bool always) {
  const std::uint64_t cseq = book_.limit(router_.checkpoint());
  const std::uint64_t before = progress()->cseq;
  const auto now = std::chrono::steady_clock::now();
  if (!always && cseq <= before && now - teller_.told_at < kTellAtLeast) return Unit{};
  teller_.told_at = now;
  Result<store::Place> place = trail_.advance(std::max(cseq, before));
  if (!place.ok()) return place.error().within("progress");
  auto next = std::make_shared<const FeedProgress>(look(place.value()));
  const bool due = now - teller_.kept_at >= options_.persist_every || consumer_->standing().pressed;
  if (always || (due && next->cseq > teller_.kept)) {
    if (Status kept = keep(*next); !kept.ok()) return kept.error().within("progress");
    teller_.kept_at = now;
  }
  told_.with([&](Told& told) { told.progress = std::move(next); });
  return Unit{};
}

// A record costs a sync of the disk, and there may be many feeds.
Status TableFeed::keep(const FeedProgress& progress) {
  if (persist_ != nullptr) {
    if (Status kept = persist_(progress); !kept.ok()) return kept;
  }
  teller_.kept = progress.cseq;
  consumer_->advance(progress.cseq);
  return Unit{};
}

FeedProgress TableFeed::look(const store::Place& place) const {
  FeedProgress next;
  next.cseq = place.cseq;
  next.position = {place.file, place.gtid};
  next.commit_us = place.commit_us;
  if (place.commit_us > 0 && log_.status().last_cseq > place.cseq) {
    const auto since = std::chrono::system_clock::now().time_since_epoch() -
                       std::chrono::microseconds(place.commit_us);
    next.lag = std::max(std::chrono::milliseconds(0),
                        std::chrono::duration_cast<std::chrono::milliseconds>(since));
  }
  told_.read([&](const Told& told) { next.ignored = told.ignored; });
  next.transactions = transactions_.load(std::memory_order_relaxed);
  next.changes = sink_->changes();
  next.filtered = *options_.rules.filtered;
  const RouterStats stats = router_.stats();
  next.waiting_for = router_.held_by();
  next.gauges = sink_->gauges();
  next.gauges["inflight_bytes"] = static_cast<double>(stats.inflight.bytes);
  next.gauges["inflight_bytes_peak"] = static_cast<double>(stats.inflight.bytes_peak);
  next.gauges["dispatchers_blocked_own"] = static_cast<double>(stats.inflight.blocked_own);
  next.gauges["dispatchers_blocked_feed"] = static_cast<double>(stats.inflight.blocked_feed);
  next.histograms["inflight_blocked_seconds"] = to_histogram(stats.inflight.blocked);
  next.gauges["dispatchers"] = static_cast<double>(stats.dispatchers);
  next.gauges["dispatchers_detached"] = static_cast<double>(stats.detached);
  next.gauges["block_events_waiting"] = static_cast<double>(stats.blocks);
  return next;
}

}  // namespace wherry::feed
