#include "control/engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "control/fault_points.h"
#include "control/late_indexes.h"
#include "control/rename_rule.h"
#include "copy/chunk_reader.h"
#include "sink/mysql/ddl_runner.h"
#include "sink/mysql/retry.h"
#include "support/log.h"
#include "support/pattern.h"

namespace wherry::control {

using dispatch::Chunk;
using dispatch::PlanPtr;
using namespace std::chrono_literals;

namespace {

std::uint64_t to_us(std::chrono::system_clock::time_point time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

sink::TargetOptions target_options(const CopyOptions& options) {
  sink::TargetOptions target;
  target.endpoint = options.target;
  target.binlog = options.target_binlog;
  target.meta_database = options.meta_database;
  return target;
}

// Paces the snapshot to a rate of rows and bytes.
struct Pace {
  std::chrono::steady_clock::time_point free_at{};
};

using Parents = std::map<std::uint32_t, std::set<std::uint32_t>>;

bool leads_to(const Parents& parents, std::uint32_t from, std::uint32_t to) {
  if (from == to) return true;
  const auto found = parents.find(from);
  return found != parents.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](auto next) { return leads_to(parents, next, to); });
}

// Which tables are copied before which: parents of foreign keys with actions, circles left out.
Parents parents_first(const std::vector<PlanPtr>& plans) {
  std::map<TableName, std::uint32_t> ids;
  for (const PlanPtr& table : plans) ids[table->source.name] = table->id;
  Parents parents;
  for (const PlanPtr& table : plans) {
    for (const ForeignKey& key : table->source.foreign_keys) {
      const auto parent = ids.find(key.parent);
      if (!table->cascades || parent == ids.end()) continue;
      if (!leads_to(parents, parent->second, table->id)) parents[table->id].insert(parent->second);
    }
  }
  return parents;
}

// That a lane writes at once.
std::size_t group_bytes(const EngineOptions& settings) {
  return std::clamp<std::size_t>(settings.memory / (16 * settings.lanes), 1 << 20, 8 << 20);
}

// What is read ahead of the lanes: the next group of each beside the one that it writes. More would
// take longer to go through, with its keys, and make nothing faster.
std::size_t stream_window(const EngineOptions& settings) {
  constexpr std::size_t kAtLeast = 32 << 20;  // a few batches, whatever their size
  const std::size_t groups = 2 * settings.lanes * group_bytes(settings);
  return std::min<std::size_t>(settings.memory / 4, std::max(groups, kAtLeast));
}

}  // namespace

struct Engine::Impl {
  explicit Impl(EngineParts parts)
      : options(parts.options),
        settings(parts.settings),
        plan(parts.plan),
        runtime(parts.runtime),
        dialect(parts.dialect),
        progress(parts.progress),
        selection(std::move(parts.selection)),
        open_intake(std::move(parts.intake)),
        cuts(parts.syncpoints),
        snapshot_redo(parts.snapshot),
        stream_budget(stream_window(parts.settings)),
        chunk_budget(parts.settings.memory / 4),
        large_budget(1),
        whole_budget(std::max<std::size_t>(parts.settings.memory / 16, 4 << 20)),
        board(parts.settings.lanes, parts.dialect, parts.plan.low,
              parts.fence.value_or(dispatch::Board::kNoFence)),
        late({catalog, inbox, board, parts.progress, target_options(parts.options),
              parts.plan.shapes}) {}

  void build();
  void build_lanes(unsigned lanes);
  void build_readers(unsigned readers);
  sink::DdlSelection ddl_selection();
  dispatch::SchedulerOptions scheduler_options() const;
  void spawn(const std::string& name, std::function<Status()> body);
  void fail(const Error& error);
  void end();
  bool may_read();
  std::chrono::milliseconds lag() const;
  void chunk_done(const Chunk& chunk);
  void give_up(std::uint32_t table);
  Status read_again(const dispatch::TablePlan& table, std::vector<dispatch::RowKey> keys);

  const CopyOptions options;
  Guarded<EngineOptions> settings;
  RunPlan& plan;
  source::Runtime* const runtime;
  const Dialect dialect;
  const sink::Progress& progress;
  const Selection selection;
  const IntakeFactory open_intake;
  const std::optional<sink::SyncpointOptions> cuts;
  const std::optional<SnapshotRedo> snapshot_redo;

  ByteBudget stream_budget;
  ByteBudget chunk_budget;
  ByteBudget large_budget;
  ByteBudget whole_budget;
  dispatch::Catalog catalog;
  dispatch::Board board;
  dispatch::Inbox inbox;
  dispatch::LaneQueues queues;
  copy::SliceQueue slices;
  std::vector<std::unique_ptr<sink::Lane>> lanes;
  std::unique_ptr<sink::DdlRunner> statements;
  std::unique_ptr<sink::SyncpointWriter> syncpoints;
  std::unique_ptr<SnapshotWriter> snapshot;  // null: redo does not hold the snapshot
  std::atomic<std::uint64_t> durable_pieces{0};
  std::unique_ptr<dispatch::Scheduler> scheduler;
  std::unique_ptr<Intake> intake;
  std::vector<std::unique_ptr<copy::ChunkReader>> readers;
  std::vector<std::thread> threads;
  Guarded<std::optional<Error>> failed;
  Guarded<Pace> pace;
  LateIndexes late;
  std::unique_ptr<mysql::Session> notes;        // the scheduler's, for records of slices
  std::atomic<std::uint64_t> rows_filtered{0};  // of the snapshot
  std::atomic<bool> ending{false};
  std::atomic<bool> paused{false};
};

void Engine::Impl::fail(const Error& error) {
  const bool first = failed.with([&](std::optional<Error>& failure) {
    if (failure || ending) return false;
    failure = error;
    return true;
  });
  if (first) log::debug("control", "a stage failed: {}", error.what);
  end();
}

void Engine::Impl::end() {
  ending = true;
  if (intake != nullptr) intake->stop();
  for (auto& reader : readers) reader->stop();
  inbox.close();
  stream_budget.close();
  chunk_budget.close();
  large_budget.close();
  whole_budget.close();
  board.close();
  for (auto& queue : queues) queue->close();
  late.close();
  if (runtime != nullptr) runtime->stop();
}

void Engine::Impl::spawn(const std::string& name, std::function<Status()> body) {
  threads.emplace_back([this, name, body = std::move(body)]() noexcept {
    const Status done = body();
    if (!done.ok() && done.error().code != Errc::interrupted) fail(done.error());
  });
}

void Engine::Impl::chunk_done(const Chunk& chunk) {
  dispatch::TableState& state = *chunk.plan->state;
  state.rows_copied.fetch_add(chunk.rows, std::memory_order_relaxed);
  state.bytes_copied.fetch_add(chunk.lines.size(), std::memory_order_relaxed);
  rows_filtered.fetch_add(chunk.filtered, std::memory_order_relaxed);
  if (chunk.replayed) {
    if (chunk.completes) late.rows_are_there(chunk.slice.table);
    return;
  }
  if (!slices.committed(chunk)) return;
  state.strict_after.store(state.placed_through.load(), std::memory_order_release);
  late.rows_are_there(chunk.slice.table);
}

// A slice that is not recorded when its reason has committed would be forgotten by a resume.
Status Engine::Impl::read_again(const dispatch::TablePlan& table,
                                std::vector<dispatch::RowKey> keys) {
  const std::vector<copy::Slice> added = slices.read_again(table.id, std::move(keys));
  if (added.empty()) return Unit{};
  std::string sql = "BEGIN";
  for (const copy::Slice& slice : added) {
    sql +=
        ";" + progress.put_statement({"slice", copy::record_name(slice.id), copy::to_json(slice)});
  }
  sink::RetryClock clock(300s);
  for (;;) {
    Status done = Unit{};
    if (notes == nullptr) {
      Result<std::unique_ptr<mysql::Session>> to =
          sink::open_apply_session(target_options(options));
      if (!to.ok()) done = to.error();
      if (to.ok()) notes = std::move(to).value();
    }
    if (done.ok()) {
      Result<std::vector<mysql::Outcome>> put = notes->execute_all(sql + ";COMMIT");
      if (put.ok()) return Unit{};
      done = put.error();
      notes.reset();
    }
    const sink::Retry retry = clock.next(done.error());
    if (!retry.again) return done.error().within("record rows to be read again");
    if (!sink::retry_pause(retry.pause, [&] { return ending.load(); }))
      return Error{Errc::interrupted, "the run ends", 0};
  }
}

// How long the oldest change that is not at the target yet has been committed at the source. What
// a source that cannot be reached has committed since is not known: it counts as late.
std::chrono::milliseconds Engine::Impl::lag() const {
  std::uint64_t oldest = board.in_flight().oldest_us;
  if (oldest == 0) oldest = inbox.oldest_us();
  if (oldest == 0) {
    const source::StreamState state = intake->state();
    if (!state.connected) oldest = to_us(state.current_at);
  }
  const std::uint64_t now = to_us(std::chrono::system_clock::now());
  return std::chrono::milliseconds(oldest == 0 || now < oldest ? 0 : (now - oldest) / 1000);
}

// Waits while no new snapshot may be opened.
bool Engine::Impl::may_read() {
  for (;;) {
    if (ending) return false;
    const EngineOptions now = settings.read([](const EngineOptions& current) { return current; });
    const bool behind = stream_budget.used() > stream_budget.bytes_max() / 2;
    const bool lagging = now.max_lag.count() > 0 && lag() > now.max_lag;
    const bool paced = pace.read(
        [](const Pace& state) { return std::chrono::steady_clock::now() < state.free_at; });
    if (!paused && !behind && !lagging && !paced) return true;
    std::this_thread::sleep_for(10ms);
  }
}

sink::DdlSelection Engine::Impl::ddl_selection() {
  sink::DdlSelection out;
  out.follows = [this](const TableName& name) {
    return name.database != options.meta_database && selection.holds(name.database, name.table);
  };
  out.follows_database = [this](const std::string& name) {
    return name != options.meta_database && selection.touches(name);
  };
  out.route = [this](const TableName& name) { return renamed(options.rename, name); };
  out.route_database = [this](const std::string& name) {
    return renamed(options.rename, {name, ""}).database;
  };
  out.merges = [this](const TableName& name) { return may_merge(options.rename, name); };
  out.filter = [this](const Table& table) { return plan.filters.filter_of(table); };
  out.filter_text = [this](const TableName& name) { return plan.filters.wanted_of(name).text; };
  out.settle = [this](const dispatch::TablePlan& table) {
    return late.build_before_statement(catalog.find(table.id));
  };
  out.put_off = [this](const dispatch::TablePlan& table, std::vector<std::string> keys,
                       const std::function<Status()>& record) {
    return late.put_off(table, std::move(keys), record);
  };
  out.dropped = [this](std::uint32_t table) {
    slices.drop_table(table);
    late.dropped(table);
  };
  out.record = [this](const dispatch::TablePlan& table, const std::string& key,
                      const std::string& outrun) {
    const ShapeRecords shapes = outrun.empty() ? plan.shapes : ShapeRecords::kept;
    TableRecord record = to_record(table, key, late.keys_of(table.id), shapes);
    record.outrun = outrun;
    return to_named(record);
  };
  // A replay keeps the rows: what the copy read anew comes out of the redo once more.
  if (runtime == nullptr) return out;
  out.restart = [this](const dispatch::TablePlan& table) {
    if (snapshot != nullptr && table.whole()) give_up(table.id);
    const copy::Slice slice = slices.restart_table(table.id, table.whole());
    return sink::NamedRecord{"slice", copy::record_name(slice.id), copy::to_json(slice)};
  };
  return out;
}

dispatch::SchedulerOptions Engine::Impl::scheduler_options() const {
  dispatch::SchedulerOptions out;
  out.dialect = dialect;
  out.ring_bytes = std::max<std::size_t>(
      settings.read([](const EngineOptions& now) { return now.memory; }) / 16, 1 << 20);
  out.done = plan.done;
  out.known = plan.known;
  out.generation = runtime != nullptr ? runtime->generation_number() : 0;
  out.fold_names = settings.read([](const EngineOptions& now) { return now.fold_names; });
  out.policies = settings.read([](const EngineOptions& now) { return now.policies; });
  out.fault_keep_changed = fault_keeps_changed_rows();
  return out;
}

void Engine::Impl::give_up(std::uint32_t table) {
  log::warning("redo",
               "the copy has a table that redo cannot be rebuilt from: it holds changes "
               "for this target, and will not make another one");
  if (Status done = snapshot->give_up(table); !done.ok()) fail(done.error());
}

void Engine::Impl::build_lanes(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    queues.push_back(std::make_unique<dispatch::LaneQueue>());
    sink::LaneOptions lane;
    lane.target = target_options(options);
    lane.epoch = plan.epoch;
    lane.group_bytes = settings.read(group_bytes);
    sink::LaneRecord start;
    start.lane = i;
    start.low = plan.low;
    if (i == 0) plan.give_done(start);
    const sink::Lane::Links links{
        board, *queues[i], progress,
        [this](const Chunk& chunk) {
          return sink::NamedRecord{
              "slice", copy::record_name(chunk.slice),
              chunk.replayed ? chunk.record : copy::to_json(slices.after_commit(chunk))};
        },
        [this](const Chunk& chunk) { chunk_done(chunk); }};
    lanes.push_back(std::make_unique<sink::Lane>(lane, links, start));
  }
}

void Engine::Impl::build_readers(unsigned count) {
  if (runtime == nullptr) return;
  copy::ReaderOptions reader;
  reader.by_gtid = plan.by_gtid;
  const copy::ReaderLinks links{
      *runtime,
      slices,
      inbox,
      catalog,
      chunk_budget,
      large_budget,
      whole_budget,
      [this] { return may_read(); },
      [this] { return settings.read([](const EngineOptions& now) { return now.chunk_rows; }); },
      [this](std::uint64_t rows, std::uint64_t bytes) {
        const EngineOptions now =
            settings.read([](const EngineOptions& current) { return current; });
        double seconds = 0;
        if (now.rate_rows != 0)
          seconds =
              std::max(seconds, static_cast<double>(rows) / static_cast<double>(now.rate_rows));
        if (now.rate_bytes != 0)
          seconds =
              std::max(seconds, static_cast<double>(bytes) / static_cast<double>(now.rate_bytes));
        if (seconds == 0) return;
        pace.with([&](Pace& state) {
          const auto from = std::max(state.free_at, std::chrono::steady_clock::now());
          state.free_at = from + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                     std::chrono::duration<double>(seconds));
        });
      }};
  for (unsigned i = 0; i < count; ++i)
    readers.push_back(std::make_unique<copy::ChunkReader>(reader, links));
}

void Engine::Impl::build() {
  const EngineOptions now = settings.read([](const EngineOptions& current) { return current; });
  for (const PlanPtr& table : plan.plans) {
    catalog.reserve_ids(table->id);
    catalog.put(table);
  }
  for (const auto& [id, record] : plan.records) {
    catalog.reserve_ids(id);
    late.expect(id, record.late);
  }
  slices.set_order(parents_first(plan.plans));
  slices.add(plan.slices);
  for (const PlanPtr& table : plan.plans) {
    if (!table->state->open()) late.rows_are_there(table->id);
  }
  build_lanes(now.lanes);
  sink::LaneRecord ddl;
  ddl.lane = sink::DdlRunner::kLane;
  ddl.low = plan.low;
  sink::Outrun outrun;
  for (const auto& [id, record] : plan.records) {
    if (!record.outrun.empty()) outrun[record.source] = record.outrun;
  }
  statements = std::make_unique<sink::DdlRunner>(
      target_options(options), sink::DdlRunner::Links{plan.epoch, progress, board, catalog, outrun},
      ddl_selection(), ddl);
  if (cuts) {
    syncpoints = std::make_unique<sink::SyncpointWriter>(
        target_options(options), *cuts, progress, plan.epoch,
        sink::SyncpointCalls{[this] { return slices.all_committed(); },
                             [this] { return ending.load(); }});
  }
  if (snapshot_redo) {
    snapshot = std::make_unique<SnapshotWriter>(*snapshot_redo, slices);
    durable_pieces = snapshot_redo->before.pieces;
    if (!snapshot_redo->holds) give_up(0);
  }
  const dispatch::SchedulerLinks links{
      catalog,
      board,
      inbox,
      queues,
      *statements,
      {[this](const Chunk& chunk) { slices.placed(chunk); },
       [this](const Chunk& chunk, const std::string& why) {
         log::debug("copy", "a chunk of {} is read again: {}", chunk.plan->source.name.to_string(),
                    why);
         slices.again(chunk.slice);
       },
       [this](const dispatch::TablePlan& table, std::vector<dispatch::RowKey> keys) {
         return read_again(table, std::move(keys));
       },
       [this](std::uint32_t table) { return catalog.find(table); }, snapshot.get()},
      syncpoints.get(),
      snapshot.get()};
  scheduler = std::make_unique<dispatch::Scheduler>(scheduler_options(), links);
  intake = open_intake(stream_budget,
                       [this](decode::BatchPtr batch) { return inbox.put(std::move(batch)); });
  build_readers(now.readers);
}

Engine::Engine(EngineParts parts) : impl_(std::make_unique<Impl>(std::move(parts))) {
  impl_->build();
}

Engine::~Engine() { stop(); }

void Engine::start() {
  Impl& impl = *impl_;
  for (auto& lane : impl.lanes) impl.spawn("lane", [&lane] { return lane->run(); });
  impl.spawn("scheduler", [&impl] { return impl.scheduler->run(impl.plan.low.position.file); });
  impl.spawn("intake", [&impl] { return impl.intake->run(impl.plan.low); });
  for (auto& reader : impl.readers) impl.spawn("reader", [&reader] { return reader->run(); });
  impl.spawn("indexes", [&impl] { return impl.late.run(); });
}

void Engine::stop() {
  impl_->end();
  for (std::thread& thread : impl_->threads) {
    if (thread.joinable()) thread.join();
  }
}

std::optional<Error> Engine::failure() const {
  return impl_->failed.read([](const std::optional<Error>& failure) { return failure; });
}

void Engine::pause(bool paused) {
  impl_->paused = paused;
  impl_->inbox.pause(paused);
}

void Engine::raise_fence(const dispatch::Board::Fence& fence) {
  std::uint64_t was = impl_->durable_pieces;
  while (was < fence.pieces && !impl_->durable_pieces.compare_exchange_weak(was, fence.pieces)) {
  }
  impl_->board.raise_fence(fence);
}

bool Engine::replay(std::shared_ptr<Chunk> chunk) {
  // Of an empty one too: what is charged is on its way.
  chunk->charge = impl_->chunk_budget.charge(1 + chunk->byte_size());
  if (!chunk->charge) return false;
  return impl_->inbox.put(std::move(chunk));
}

bool Engine::request_syncpoint() {
  if (impl_->syncpoints == nullptr) return false;
  impl_->syncpoints->request();
  return true;
}

void Engine::change(const EngineOptions& options) {
  impl_->settings.with([&](EngineOptions& now) { now = options; });
}

std::vector<PlanPtr> Engine::plans() const { return impl_->catalog.all(); }

EngineNumbers Engine::numbers() const {
  EngineNumbers numbers;
  numbers.low = impl_->board.low();
  numbers.recorded = impl_->plan.low.cseq;
  numbers.stream = impl_->intake->state();
  numbers.copied = impl_->slices.all_committed() && impl_->late.all_built() &&
                   (impl_->snapshot == nullptr || impl_->snapshot->settled(impl_->durable_pieces));
  numbers.chunk_bytes = impl_->chunk_budget.used();
  numbers.caught_up = impl_->board.in_flight().groups == 0 && impl_->stream_budget.used() == 0 &&
                      numbers.stream.connected;
  numbers.lag = impl_->lag();
  numbers.transactions = impl_->scheduler->counters().transactions;
  numbers.changes = impl_->scheduler->counters().changes;
  numbers.filtered = impl_->scheduler->counters().filtered + impl_->rows_filtered;
  numbers.ignored =
      impl_->scheduler->counters().ignored.read([](const auto& ignored) { return ignored; });
  if (impl_->syncpoints != nullptr) numbers.syncpoints = impl_->syncpoints->recorded();
  if (!numbers.stream.connected && !numbers.stream.problem.empty())
    numbers.waiting_for = "the source: " + numbers.stream.problem;
  for (const auto& lane : impl_->lanes) {
    const sink::LaneState state = lane->state();
    numbers.recorded = std::max(numbers.recorded, state.recorded);
    if (!state.waiting_for.empty()) numbers.waiting_for = state.waiting_for;
  }
  if (const std::string statement = impl_->statements->waiting_for(); !statement.empty())
    numbers.waiting_for = statement;
  return numbers;
}

}  // namespace wherry::control
