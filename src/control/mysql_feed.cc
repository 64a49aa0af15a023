#include "control/mysql_feed.h"

#include <fmt/core.h>

#include <algorithm>

#include "control/engine.h"
#include "control/feed_begin.h"
#include "control/job_sessions.h"
#include "control/preflight.h"
#include "support/log.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 100ms;
constexpr auto kLook = 5s;  // how often sessions are looked at

EngineOptions engine_options(const CopyOptions& copy, unsigned lanes) {
  EngineOptions engine;
  engine.lanes = lanes;
  engine.readers = copy.readers != 0 ? copy.readers : 3;
  engine.memory = copy.memory;
  engine.chunk_rows = copy.chunk_rows;
  engine.rate_rows = copy.rate_rows;
  engine.rate_bytes = copy.rate_bytes;
  return engine;
}

dispatch::LowWater low_of(const store::Place& place) {
  dispatch::LowWater low;
  low.cseq = place.cseq;
  low.position = {place.file, place.gtid};
  low.commit_us = place.commit_us;
  return low;
}

RedoMapping mapping_of(const MysqlFeedOptions& options) {
  RedoMapping mapping;
  mapping.job = "feed:" + options.name;
  mapping.include = options.copy.include;
  mapping.exclude = options.copy.exclude;
  mapping.rename = options.copy.rename;
  mapping.skip = options.copy.skip;
  mapping.where = options.copy.where;
  mapping.policies = options.policies;
  return mapping;
}

// The newest mark of an earlier run; nothing: there was none.
std::optional<dispatch::LowWater> newest_low(const std::optional<sink::SavedProgress>& saved) {
  std::optional<dispatch::LowWater> low;
  if (!saved) return low;
  for (const sink::LaneRecord& lane : saved->lanes) {
    if (lane.low.position.empty()) continue;
    if (!low || lane.low.cseq > low->cseq) low = lane.low;
  }
  return low;
}

}  // namespace

struct MysqlFeed::Impl {
  Impl(MysqlFeedOptions feed_options, feed::SourceLogs& all_sources)
      : options(std::move(feed_options)),
        sources(all_sources),
        progress(options.copy.meta_database, "feed:" + options.name) {
    feed::FeedProgress nothing;
    nothing.copied = false;  // until it is known where the feed begins
    shown.with([&](auto& at) { at = std::make_shared<const feed::FeedProgress>(nothing); });
  }

  Status run();
  Status follow(JobSessions& sessions);
  Result<std::optional<dispatch::LowWater>> look_at_target();
  Result<dispatch::LowWater> begin(mysql::Session& source);
  Status keep(JobSessions& sessions);
  Status begin_redo(mysql::Session& source, bool fold_names);
  void publish(const Engine& engine, const store::Consumer& consumer);
  std::uint64_t rows_copied(const Engine& engine, bool copied);

  MysqlFeedOptions options;
  feed::SourceLogs& sources;
  const sink::Progress progress;
  std::optional<feed::SourceLogs::Use> origin;
  // For snapshots and definitions; its sessions end with the feed, those of the stream do not.
  std::unique_ptr<source::Runtime> runtime;
  RunPlan plan;
  std::unique_ptr<RedoJob> redo;  // null: the feed has none
  Guarded<bool> stopping{false};
  std::atomic<bool> syncpoint_wanted{false};
  std::chrono::steady_clock::time_point next_look{};
  std::optional<std::uint64_t> rows_at_rest;  // copied in all, once the copy is complete
  Guarded<std::shared_ptr<const feed::FeedProgress>> shown;
};

MysqlFeed::MysqlFeed(MysqlFeedOptions options, feed::SourceLogs& sources)
    : impl_(std::make_unique<Impl>(std::move(options), sources)) {}
MysqlFeed::~MysqlFeed() = default;

Status MysqlFeed::run() { return impl_->run(); }
void MysqlFeed::stop() {
  impl_->stopping.with([](bool& stopping) { stopping = true; });
}
Status MysqlFeed::request_syncpoint() {
  impl_->syncpoint_wanted = true;
  return Unit{};
}
std::shared_ptr<const feed::FeedProgress> MysqlFeed::progress() const {
  return impl_->shown.read([](const auto& shown) { return shown; });
}

Status MysqlFeed::Impl::run() {
  const Result<std::optional<dispatch::LowWater>> low = look_at_target();
  if (!low.ok()) return low.error().within("target");
  // A log that is new begins where its first feed does.
  std::optional<store::Place> begin;
  if (low.value()) {
    begin = place_of(*low.value());
  } else if (!options.snapshot && !options.from.empty()) {
    begin = given_place(options.from);
  }
  Result<feed::SourceLogs::Use> used = sources.take(options.copy.source, options.log, begin);
  if (!used.ok()) return used.error().within("source");
  origin.emplace(std::move(used).value());
  Result<std::unique_ptr<source::Runtime>> opened = source::Runtime::open(options.copy.source, {});
  if (!opened.ok()) return opened.error().within("source");
  runtime = std::move(opened).value();
  JobSessions sessions(*runtime, options.copy, progress);
  if (Status ready = sessions.open(); !ready.ok()) return ready;
  RunSessions for_plan = sessions.for_plan();
  for_plan.begin = [&] { return this->begin(sessions.source()); };
  for_plan.snapshot = options.snapshot;
  Result<RunPlan> made = make_run_plan(options.copy, for_plan, options.copy.lanes);
  if (!made.ok()) return made.error();
  plan = std::move(made).value();
  for (const std::string& warning : plan.warnings)
    log::warning("control", "feed {}: {}", options.name, warning);
  Status same = require_same_count(**origin, plan.low.cseq, plan.low.position.gtid);
  if (!same.ok()) return same;
  return follow(sessions);
}

// Whether the feed has begun before, and how far it came.
Result<std::optional<dispatch::LowWater>> MysqlFeed::Impl::look_at_target() {
  mysql::SessionOptions session;
  session.program = "wherry-control";
  Result<std::unique_ptr<mysql::Session>> target =
      mysql::Session::open(options.copy.target, session);
  if (!target.ok()) return target.error();
  Result<std::optional<sink::SavedProgress>> saved = progress.load(*target.value());
  if (!saved.ok()) return saved.error();
  options.copy.resume = saved.value().has_value();
  return newest_low(saved.value());
}

// Where the stream of a new feed begins: behind what the source has committed now, so that the
// definitions that were read before are those of that place.
Result<dispatch::LowWater> MysqlFeed::Impl::begin(mysql::Session& session) {
  const Stopping asked = [this] { return stopping.read([](bool now) { return now; }); };
  const bool given = !options.snapshot && !options.from.empty();
  const Result<store::Place> place = given ? find_place(**origin, options.from, asked)
                                           : place_behind_source(**origin, session, asked);
  if (!place.ok()) return place.error();
  return low_of(place.value());
}

Status MysqlFeed::Impl::follow(JobSessions& sessions) {
  Result<Selection> selection = make_selection(sessions.source(), options.copy);
  if (!selection.ok()) return selection.error();
  const Result<mysql::Rows> fold = sessions.source().query("SELECT @@lower_case_table_names");
  if (!fold.ok()) return fold.error();
  // What is not in the log yet comes again under the same number.
  const std::uint64_t known = (*origin)->log().status().last_cseq;
  Result<store::Consumer> consumer =
      (*origin)->log().consumer(options.name, std::min(plan.low.cseq, known));
  if (!consumer.ok()) return consumer.error();
  const bool fold_names = fold.value().rows.at(0)[0].value_or("0") == "1";
  if (Status begun = begin_redo(sessions.source(), fold_names); !begun.ok()) return begun;
  EngineOptions settings = engine_options(options.copy, options.copy.lanes);
  settings.policies = options.policies;
  settings.fold_names = fold_names;
  EngineParts parts{options.copy,
                    settings,
                    plan,
                    runtime.get(),
                    sessions.source().facts().dialect,
                    progress,
                    std::move(selection).value(),
                    log_intake(**origin, options.copy.memory),
                    sink::SyncpointOptions{options.syncpoint_interval}};
  if (redo != nullptr) parts.fence = redo->durable_cseq();
  Engine engine(std::move(parts));
  engine.start();
  if (redo != nullptr)
    redo->start([&engine](const dispatch::Board::Fence& fence) { engine.raise_fence(fence); });
  Status done = Unit{};
  while (done.ok() && !stopping.wait_for(kTick, [](bool now) { return now; })) {
    publish(engine, consumer.value());
    const std::uint64_t recorded = engine.numbers().recorded;
    consumer.value().advance(recorded);
    if (redo != nullptr) {
      redo->tick(recorded);
      if (const std::optional<Error> failure = redo->failure()) done = *failure;
    }
    if (syncpoint_wanted.exchange(false)) (void)engine.request_syncpoint();
    if (const std::optional<Error> failure = engine.failure()) done = *failure;
    if (done.ok()) done = keep(sessions);
  }
  engine.stop();
  if (redo != nullptr) {
    const Status ended = redo->stop();
    if (!ended.ok() && done.ok()) done = ended.error().within("redo");
  }
  publish(engine, consumer.value());
  consumer.value().advance(engine.numbers().recorded);
  if (!done.ok()) return done;
  return Error{Errc::interrupted, "the feed was stopped", 0};
}

Status MysqlFeed::Impl::begin_redo(mysql::Session& source, bool fold_names) {
  if (options.redo.storage_uri.empty()) return Unit{};
  const RedoJob::Stream stream{source.facts().dialect, mysql::lasting_identity(source.facts()),
                               fold_names};
  Result<std::unique_ptr<RedoJob>> begun =
      RedoJob::begin(options.redo, {options.name, plan, stream, mapping_of(options)}, **origin,
                     [this] { return stopping.read([](bool now) { return now; }); });
  if (!begun.ok()) return begun.error();
  redo = std::move(begun).value();
  return Unit{};
}

Status MysqlFeed::Impl::keep(JobSessions& sessions) {
  if (std::chrono::steady_clock::now() < next_look) return Unit{};
  next_look = std::chrono::steady_clock::now() + kLook;
  Status alive = sessions.keep(plan.epoch);
  return !alive.ok() && alive.error().code == Errc::conflict ? alive : Status(Unit{});
}

// A feed that only follows must not look at all of its tables each time.
std::uint64_t MysqlFeed::Impl::rows_copied(const Engine& engine, bool copied) {
  if (copied && rows_at_rest) return *rows_at_rest;
  std::uint64_t rows = 0;
  for (const dispatch::PlanPtr& table : engine.plans())
    rows += table->state->rows_copied.load(std::memory_order_relaxed);
  rows_at_rest = copied ? std::optional<std::uint64_t>(rows) : std::nullopt;
  return rows;
}

void MysqlFeed::Impl::publish(const Engine& engine, const store::Consumer& consumer) {
  const EngineNumbers numbers = engine.numbers();
  auto now = std::make_shared<feed::FeedProgress>();
  now->cseq = numbers.low.cseq;
  now->position = numbers.low.position;
  now->commit_us = numbers.low.commit_us;
  now->lag = numbers.lag;
  now->copied = numbers.copied;
  now->rows_copied = rows_copied(engine, numbers.copied);
  now->transactions = numbers.transactions;
  now->changes = numbers.changes;
  now->filtered = numbers.filtered;
  now->ignored = numbers.ignored;
  now->waiting_for = numbers.waiting_for;
  if (consumer.standing().pressed) {
    now->waiting_for +=
        fmt::format("{}the log of the source is nearly full and this feed is its slowest reader",
                    now->waiting_for.empty() ? "" : "; ");
  }
  if (redo != nullptr) {
    now->gauges = redo->gauges();
    const std::string late = redo->waiting_for();
    if (!late.empty() && now->waiting_for.empty()) now->waiting_for = late;
  }
  now->gauges["feed_syncpoints"] = static_cast<double>(numbers.syncpoints);
  shown.with([&](std::shared_ptr<const feed::FeedProgress>& old) { old = std::move(now); });
}

}  // namespace wherry::control
