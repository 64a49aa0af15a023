#include "control/copy_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "control/copy_redo.h"
#include "control/engine.h"
#include "control/hook.h"
#include "control/job_sessions.h"
#include "control/job_status.h"
#include "control/preflight.h"
#include "control/verify_step.h"
#include "mysql/binlog_position.h"
#include "source/binlog_dump.h"
#include "support/log.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 100ms;
constexpr auto kHookTimeout = 60s;
constexpr auto kNearEnough = 2000ms;  // lag at which a cutover may begin

unsigned lanes_of(const CopyOptions& options) {
  return options.lanes != 0 ? std::min(options.lanes, dispatch::kLanesMax) : 4;
}

EngineOptions engine_options(const CopyOptions& options) {
  EngineOptions engine;
  engine.lanes = lanes_of(options);
  engine.readers = options.readers != 0 ? options.readers : 3;
  engine.memory = options.memory;
  engine.chunk_rows = options.chunk_rows;
  engine.rate_rows = options.rate_rows;
  engine.rate_bytes = options.rate_bytes;
  engine.max_lag = options.max_lag;
  return engine;
}

// What other threads have asked for.
struct Wishes {
  bool stop = false;
  bool cutover = false;
  bool paused = false;
  std::optional<Endpoint> swap;
  std::optional<Status> swapped;
};

}  // namespace

struct CopyJob::Impl {
  explicit Impl(CopyOptions copy_options)
      : options(std::move(copy_options)), progress(options.meta_database) {}

  Status run();

  CopyOptions options;
  const sink::Progress progress;
  JobStatus shown;
  Guarded<Wishes> wishes;
  std::shared_ptr<source::Runtime> runtime;
  std::optional<JobSessions> sessions;
  RunPlan plan;
  std::unique_ptr<CopyRedo> redo;  // null: the copy has none
  Guarded<EngineOptions> settings;
  bool locked = false;
  std::optional<std::chrono::steady_clock::time_point> cutover_began;  // while the clock runs
  std::chrono::steady_clock::time_point next_look{};

 private:
  Status open();
  Status follow();
  Status copy_until_ready(Engine& engine);
  Status wait_for_order(Engine& engine);
  Status cut_over(Engine& engine);
  Status reach(Engine& engine, const Position& stop);
  Result<bool> applied(const Engine& engine, const Position& stop) const;
  Status reach_and_verify(Engine& engine);
  Status lock();
  Status unlock(const std::string& outcome);
  void warn_of_purge(const EngineNumbers& numbers);
  bool over_time() const;
  Error too_long() const;
  Status finish_objects(const std::vector<dispatch::PlanPtr>& tables);
  Status verify(Engine& engine);
  Status tick(Engine& engine);
  Status begin_redo();
  Status swap_if_asked();
};

CopyJob::CopyJob(CopyOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
CopyJob::~CopyJob() = default;

std::shared_ptr<const CopyStatus> CopyJob::status() const { return impl_->shown.get(); }

Status CopyJob::run() {
  Status outcome = impl_->run();
  impl_->shown.end(outcome);
  return outcome;
}

Result<Unit> CopyJob::request(CopyAction action) {
  const CopyState state = impl_->shown.get()->state;
  const Error wrong{Errc::conflict, fmt::format("the copy is {}", to_string(state)), 0};
  const bool over =
      state == CopyState::done || state == CopyState::failed || state == CopyState::interrupted;
  if (over) return wrong;
  return impl_->wishes.with([&](Wishes& wishes) -> Result<Unit> {
    switch (action) {
      case CopyAction::stop:
        wishes.stop = true;
        return Unit{};
      case CopyAction::cutover:
        if (state != CopyState::waiting_for_cutover) return wrong;
        wishes.cutover = true;
        return Unit{};
      case CopyAction::pause:
        if (wishes.paused || state == CopyState::starting || state == CopyState::cutover ||
            state == CopyState::verifying)
          return wrong;
        wishes.paused = true;
        return Unit{};
      case CopyAction::resume:
        if (!wishes.paused) return wrong;
        wishes.paused = false;
        return Unit{};
    }
    return wrong;
  });
}

Status CopyJob::swap_source(const Endpoint& endpoint) {
  const CopyState state = impl_->shown.get()->state;
  if (state != CopyState::copying && state != CopyState::catching_up &&
      state != CopyState::waiting_for_cutover) {
    return Error{Errc::conflict, fmt::format("the copy is {}", to_string(state)), 0};
  }
  impl_->wishes.with([&](Wishes& wishes) {
    wishes.swap = endpoint;
    wishes.swapped.reset();
  });
  if (!impl_->wishes.wait_for(30s,
                              [](const Wishes& wishes) { return wishes.swapped.has_value(); })) {
    return Error{Errc::timeout, "the run did not take the new endpoint in time", 0};
  }
  return impl_->wishes.with([](Wishes& wishes) { return *wishes.swapped; });
}

Status CopyJob::change_settings(const LiveSettings& settings) {
  if (settings.lanes || settings.readers) {
    return Error{
        Errc::conflict,
        "lanes and readers are fixed while a copy runs; stop it and resume with other numbers", 0};
  }
  return impl_->settings.with([&](EngineOptions& now) -> Status {
    if (settings.chunk_rows) now.chunk_rows = *settings.chunk_rows;
    if (settings.max_lag) now.max_lag = *settings.max_lag;
    if (settings.rate) {
      now.rate_rows = settings.rate->unit == Rate::Unit::rows ? settings.rate->per_second : 0;
      now.rate_bytes = settings.rate->unit == Rate::Unit::bytes ? settings.rate->per_second : 0;
    }
    return Unit{};
  });
}

Status CopyJob::Impl::run() {
  settings.with([&](EngineOptions& now) { now = engine_options(options); });
  if (Status opened = open(); !opened.ok()) return opened;
  return follow();
}

Status CopyJob::Impl::open() {
  shown.enter(CopyState::starting);
  Result<std::unique_ptr<source::Runtime>> opened = source::Runtime::open(options.source, {});
  if (!opened.ok()) return opened.error();
  runtime = std::move(opened).value();
  sessions.emplace(*runtime, options, progress);
  if (Status ready = sessions->open(); !ready.ok()) return ready;
  Result<RunPlan> made = make_run_plan(options, sessions->for_plan(), lanes_of(options));
  if (!made.ok()) return made.error();
  plan = std::move(made).value();
  shown.begin(plan);
  return Unit{};
}

Status CopyJob::Impl::follow() {
  Result<Selection> selection = make_selection(sessions->source(), options);
  if (!selection.ok()) return selection.error();
  const Result<mysql::Rows> fold = sessions->source().query("SELECT @@lower_case_table_names");
  if (!fold.ok()) return fold.error();
  settings.with([&](EngineOptions& now) {
    now.fold_names = fold.value().rows.at(0)[0].value_or("0") == "1";
  });
  if (Status begun = begin_redo(); !begun.ok()) return begun;
  EngineParts parts{options,
                    settings.read([](const EngineOptions& now) { return now; }),
                    plan,
                    runtime.get(),
                    sessions->source().facts().dialect,
                    progress,
                    std::move(selection).value(),
                    redo != nullptr ? log_intake(redo->log(), options.memory)
                                    : stream_intake(*runtime, plan.by_gtid, options.memory),
                    {}};
  if (redo != nullptr) {
    parts.fence = redo->redo().durable_cseq();
    parts.snapshot = redo->snapshot();
  }
  Engine engine(std::move(parts));
  engine.start();
  if (redo != nullptr)
    redo->redo().start(
        [&engine](const dispatch::Board::Fence& fence) { engine.raise_fence(fence); });
  Status done = copy_until_ready(engine);
  if (done.ok()) done = wait_for_order(engine);
  if (done.ok()) done = cut_over(engine);
  engine.stop();
  if (redo != nullptr) {
    if (Status ended = redo->stop(); !ended.ok() && done.ok()) done = ended;
  }
  shown.update(engine.numbers(), engine.plans(), false, runtime->generation_number());
  if (!done.ok()) {
    const std::optional<Error> failure = engine.failure();
    return failure ? Status(*failure) : done;
  }
  if (Status recorded = record_finished(sessions->for_plan(), plan); !recorded.ok())
    return recorded;
  if (options.drop_meta) return progress.drop(sessions->target());
  return Unit{};
}

Status CopyJob::Impl::begin_redo() {
  if (options.redo_uri.empty()) return Unit{};
  const mysql::ServerFacts& facts = sessions->source().facts();
  const bool fold = settings.read([](const EngineOptions& now) { return now.fold_names; });
  Result<std::unique_ptr<CopyRedo>> begun = CopyRedo::begin(
      options, plan, {facts.dialect, mysql::lasting_identity(facts), fold}, sessions->for_plan(),
      [this] { return wishes.read([](const Wishes& all) { return all.stop; }); });
  if (!begun.ok()) return begun.error();
  redo = std::move(begun).value();
  return Unit{};
}

// One step of every wait: publishes the status, passes wishes on and notices failures.
Status CopyJob::Impl::tick(Engine& engine) {
  std::this_thread::sleep_for(kTick);
  engine.change(settings.read([](const EngineOptions& now) { return now; }));
  if (Status swapped = swap_if_asked(); !swapped.ok()) return swapped;
  const Wishes now = wishes.read([](const Wishes& all) { return all; });
  if (std::chrono::steady_clock::now() >= next_look) {
    next_look = std::chrono::steady_clock::now() + 5s;
    Status alive = sessions->keep(plan.epoch);
    if (!alive.ok() && alive.error().code == Errc::conflict) return alive;
    if (alive.ok()) warn_of_purge(engine.numbers());
  }
  engine.pause(now.paused);
  if (redo != nullptr) {
    redo->tick(engine.numbers().recorded);
    if (const std::optional<Error> failure = redo->redo().failure()) return *failure;
  }
  if (shown.due())
    shown.update(engine.numbers(), engine.plans(), now.paused, runtime->generation_number());
  if (const std::optional<Error> failure = engine.failure()) return *failure;
  if (now.stop) return Error{Errc::interrupted, "stopped on request; go on with --resume", 0};
  return Unit{};
}

Status CopyJob::Impl::swap_if_asked() {
  const std::optional<Endpoint> next = wishes.read([](const Wishes& all) { return all.swap; });
  if (!next) return Unit{};
  Status published = runtime->publish(*next);
  if (published.ok()) {
    published = sessions->renew_source();
    if (published.ok()) log::info("control", "the source is now read at {}", next->to_string());
  }
  wishes.with([&](Wishes& all) {
    all.swap.reset();
    all.swapped = published;
  });
  return Unit{};
}

Status CopyJob::Impl::copy_until_ready(Engine& engine) {
  shown.enter(CopyState::copying);
  while (!engine.numbers().copied) {
    if (Status ticked = tick(engine); !ticked.ok()) return ticked;
  }
  shown.enter(CopyState::catching_up);
  for (;;) {
    if (Status ticked = tick(engine); !ticked.ok()) return ticked;
    const EngineNumbers numbers = engine.numbers();
    if (options.cutover == CutoverMode::never) continue;
    const bool near = numbers.caught_up || numbers.lag < kNearEnough;
    // Indexes that came in the stream are built beside it: the target is whole with the last one.
    if (numbers.copied && numbers.stream.connected && near) return Unit{};
  }
}

Status CopyJob::Impl::wait_for_order(Engine& engine) {
  if (options.cutover != CutoverMode::manual) return Unit{};
  shown.enter(CopyState::waiting_for_cutover);
  while (!wishes.read([](const Wishes& all) { return all.cutover; })) {
    if (Status ticked = tick(engine); !ticked.ok()) return ticked;
  }
  return Unit{};
}

bool CopyJob::Impl::over_time() const {
  return options.max_downtime.count() > 0 && cutover_began &&
         std::chrono::steady_clock::now() - *cutover_began > options.max_downtime;
}

Error CopyJob::Impl::too_long() const {
  return {Errc::timeout,
          fmt::format("the cutover took longer than --max-downtime ({} ms)",
                      options.max_downtime.count()),
          0};
}

// The source purges its binlog by age: says how long what is still needed will be there.
void CopyJob::Impl::warn_of_purge(const EngineNumbers& numbers) {
  const Result<mysql::Rows> row =
      sessions->source().query("SELECT @@GLOBAL.binlog_expire_logs_seconds");
  if (!row.ok() || row.value().rows.empty()) return;
  const std::string text = row.value().rows[0][0].value_or("0");
  const std::chrono::seconds keeps(std::strtoll(text.c_str(), nullptr, 10));
  const auto behind = std::chrono::duration_cast<std::chrono::seconds>(numbers.lag);
  if (keeps.count() == 0 || behind < keeps / 2) return;
  log::warning("control",
               "the source keeps its binlog for {} s and the copy is {} s behind: in {} s what is "
               "still needed may be purged; raise binlog_expire_logs_seconds at the source",
               keeps.count(), behind.count(), (keeps - behind).count());
}

Status CopyJob::Impl::lock() {
  if (options.cutover_lock.empty()) return Unit{};
  locked = true;
  Status held = call_hook({"--cutover-lock", options.cutover_lock, "begin"}, kHookTimeout);
  if (!held.ok()) {
    // It may have stopped some of the writers.
    (void)unlock("failed");
    return held;
  }
  shown.fenced();
  return Unit{};
}

Status CopyJob::Impl::unlock(const std::string& outcome) {
  if (!std::exchange(locked, false) || options.cutover_unlock.empty()) return Unit{};
  return call_hook({"--cutover-unlock", options.cutover_unlock, outcome}, kHookTimeout);
}

Status CopyJob::Impl::reach_and_verify(Engine& engine) {
  Result<Position> stop = mysql::current_position(sessions->source());
  if (!stop.ok()) return stop.error();
  if (Status reached = reach(engine, stop.value()); !reached.ok()) return reached;
  if (Status same = verify(engine); !same.ok()) return same;
  if (locked) return Unit{};
  // Nothing fenced the source: what was written while verifying is followed too.
  stop = mysql::current_position(sessions->source());
  return stop.ok() ? reach(engine, stop.value()) : Status(stop.error());
}

Status CopyJob::Impl::cut_over(Engine& engine) {
  for (;;) {
    if (Status alive = sessions->keep(plan.epoch); !alive.ok()) return alive;
    shown.enter(CopyState::cutover);
    const auto began = std::chrono::steady_clock::now();
    if (Status held = lock(); !held.ok()) return held;
    if (locked) cutover_began = began;
    Status done = reach_and_verify(engine);
    cutover_began.reset();
    if (!done.ok() && done.error().code == Errc::timeout && locked) {
      log::warning("control", "{}; the source's writes are released, the copy goes on",
                   done.error().what);
      if (Status released = unlock("retry"); !released.ok()) return released;
      shown.enter(CopyState::catching_up);
      for (int i = 0; i < 20; ++i) {
        if (Status ticked = tick(engine); !ticked.ok()) return ticked;
      }
      continue;
    }
    if (done.ok()) done = finish_objects(engine.plans());
    if (locked || done.ok()) {
      shown.downtime(std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - began));
    }
    const Status released = unlock(done.ok() ? "done" : "failed");
    return done.ok() ? released : done;
  }
}

// Waits until everything through the stop position is at the target.
Status CopyJob::Impl::reach(Engine& engine, const Position& stop) {
  shown.stop_at(stop);
  for (;;) {
    const Result<bool> there = applied(engine, stop);
    if (!there.ok()) return there.error();
    if (there.value()) return Unit{};
    if (Status ticked = tick(engine); !ticked.ok()) return ticked;
    if (over_time()) return too_long();
  }
}

// Any thread.
Result<bool> CopyJob::Impl::applied(const Engine& engine, const Position& stop) const {
  const EngineNumbers numbers = engine.numbers();
  if (!numbers.copied) return false;
  const Position& low = numbers.low.position;
  if (compare(low.file, stop.file) >= 0) return true;
  if (!plan.by_gtid || stop.gtid.empty()) return false;
  const Dialect dialect = runtime->lease().generation().facts().dialect;
  return gtid_contains(dialect, low.gtid, stop.gtid);
}

Status CopyJob::Impl::verify(Engine& engine) {
  if (options.verify == VerifyKind::none) return Unit{};
  shown.enter(CopyState::verifying);
  VerifyStep::Applied through;
  if (!locked) through = [&](const Position& stop) { return applied(engine, stop); };
  VerifyStep step(*runtime, options, engine.plans(), std::move(through));
  step.start();
  while (!step.done()) {
    const bool due = shown.due();
    Status ticked = tick(engine);
    if (ticked.ok() && over_time()) ticked = too_long();
    if (!ticked.ok()) {
      step.stop();
      return ticked;
    }
    if (due) shown.verifying(step.rows());
  }
  Result<std::vector<verify::TableVerdict>> verdicts = step.result();
  if (!verdicts.ok()) return verdicts.error().within("verify");
  return shown.verified(verdicts.value());
}

Status CopyJob::Impl::finish_objects(const std::vector<dispatch::PlanPtr>& tables) {
  std::vector<copy::Route> routes;
  routes.reserve(tables.size());
  for (const dispatch::PlanPtr& table : tables)
    routes.push_back({table->source.name, table->target});
  if (Status raised = copy::raise_auto_increments(sessions->source(), sessions->target(), routes);
      !raised.ok())
    return raised;
  const std::pair<bool, copy::ObjectKind> kinds[] = {
      {options.with_routines, copy::ObjectKind::routines},
      {options.with_views, copy::ObjectKind::views},
      {options.with_triggers, copy::ObjectKind::triggers},
      {options.with_events, copy::ObjectKind::events}};
  for (const auto& [wanted, kind] : kinds) {
    if (!wanted) continue;
    Result<std::vector<std::string>> made =
        copy::create_objects(sessions->source(), sessions->target(), routes, kind);
    if (!made.ok()) return made.error();
    shown.warn(made.value());
  }
  return Unit{};
}

}  // namespace wherry::control
