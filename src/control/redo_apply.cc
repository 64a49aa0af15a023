#include "control/redo_apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "control/engine.h"
#include "control/filter_rules.h"
#include "control/preflight.h"
#include "control/redo_look.h"
#include "control/redo_mapping.h"
#include "control/redo_place.h"
#include "control/redo_rebuild.h"
#include "control/replay_pieces.h"
#include "feed/batch_log.h"
#include "redo/reader.h"
#include "support/log.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 50ms;

// Chunks on their way from the reader to the engine.
struct Chunks {
  std::shared_ptr<ReplayPieces> pieces;
  std::function<bool(std::shared_ptr<dispatch::Chunk>)> push;
};

// Batches out of an archive, and chunks at their places. "Connected" once all was handed on.
class RedoIntake : public Intake {
 public:
  RedoIntake(std::unique_ptr<redo::Reader> reader, const feed::BatchReaderOptions& options,
             ByteBudget& budget, Push push, Chunks chunks)
      : reader_(reader.get()),
        records_(std::move(reader)),
        options_(options),
        budget_(budget),
        push_(std::move(push)),
        chunks_(std::move(chunks)) {}

  Status run(const dispatch::LowWater& from) override {
    batches_ = std::make_unique<feed::BatchReader>(std::move(records_), from.cseq, options_);
    while (!stopping_) {
      Result<std::unique_ptr<decode::Batch>> batch = batches_->next(100ms);
      if (!batch.ok()) return batch.error();
      const bool nothing = batch.value() == nullptr;
      if (!nothing) {
        batch.value()->charge = budget_.charge(batch.value()->byte_size());
        if (!batch.value()->charge || !push_(std::move(batch).value())) return Unit{};
      }
      // The batch ended before the piece, so all before its place is handed on.
      std::shared_ptr<dispatch::Chunk> chunk = chunks_.pieces->next();
      if (chunk != nullptr && !chunks_.push(std::move(chunk))) return Unit{};
      if (nothing && reader_->ended()) {
        ended_ = true;
        return Unit{};
      }
    }
    return Unit{};
  }
  void stop() override {
    stopping_ = true;
    reader_->interrupt();
  }
  source::StreamState state() const override {
    source::StreamState state;
    state.connected = ended_;
    return state;
  }

 private:
  redo::Reader* const reader_;                    // in records_, then in batches_
  std::unique_ptr<store::RecordSource> records_;  // until the run begins
  std::unique_ptr<feed::BatchReader> batches_;    // kept: others ask the reader how far it is
  const feed::BatchReaderOptions options_;
  ByteBudget& budget_;
  const Push push_;
  const Chunks chunks_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace

struct RedoApply::Impl {
  explicit Impl(RedoApplyOptions apply_options) : options(std::move(apply_options)) {}

  Result<RedoApplyReport> run();
  Status open_storage();
  Status open_target(std::uint64_t to);
  Status open_rebuilt(std::uint64_t to);
  Result<store::Place> goal();
  Result<RedoApplyReport> replay(const store::Place& to);
  Status follow(Engine& engine, const redo::Reader& reader, std::uint64_t last);
  Status open_selection();
  ReplaySessions replay_sessions() const;
  CopyOptions copy_options() const;

  const RedoApplyOptions options;
  std::unique_ptr<storage::Storage> storage;
  storage::Limits limits;
  std::optional<redo::Archive> archive;
  RedoMapping mapping;
  std::unique_ptr<mysql::Session> session;
  std::optional<sink::Progress> progress;
  Selection selection;
  dispatch::FilterRules filters;
  RunPlan plan;
  std::optional<std::uint64_t> complete_at;  // see snapshot_complete_at()
  bool brings_rows = false;                  // of the snapshot: the replay ends with all of them
  std::stop_source stop;
  std::atomic<bool> stopping{false};
  Guarded<RedoApplyProgress> shown;
};

RedoApply::RedoApply(RedoApplyOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
RedoApply::~RedoApply() = default;

void RedoApply::stop() {
  impl_->stopping = true;
  impl_->stop.request_stop();
}

RedoApplyProgress RedoApply::progress() const {
  return impl_->shown.read([](const RedoApplyProgress& shown) { return shown; });
}

Result<RedoApplyReport> RedoApply::run() { return impl_->run(); }

Status RedoApply::Impl::open_storage() {
  Result<std::unique_ptr<storage::Storage>> opened = open_redo_storage(options.storage_uri);
  if (!opened.ok()) return opened.error();
  storage = std::move(opened).value();
  limits.stop = stop.get_token();
  const Result<std::string> feed = choose_feed(*storage, options.feed, limits);
  if (!feed.ok()) return feed.error();
  Result<redo::Archive> found = redo::Archive::open(*storage, feed.value(), limits);
  if (!found.ok()) return found.error();
  archive.emplace(std::move(found).value());
  Result<RedoMapping> read = parse_redo_mapping(archive->claim().mapping);
  if (!read.ok()) return read.error();
  mapping = std::move(read).value();
  return Unit{};
}

Status RedoApply::Impl::open_target(std::uint64_t to) {
  mysql::SessionOptions settings;
  settings.program = "wherry-control";
  settings.init = {"SET SESSION wait_timeout = 2147483"};
  if (!options.target_binlog) settings.init.emplace_back("SET SESSION sql_log_bin = 0");
  Result<std::unique_ptr<mysql::Session>> opened = mysql::Session::open(options.target, settings);
  if (!opened.ok()) return opened.error().within("target");
  session = std::move(opened).value();
  progress.emplace(options.meta_database, mapping.job);
  if (Status selected = open_selection(); !selected.ok()) return selected;
  const Result<bool> run = holds_run(replay_sessions());
  if (!run.ok()) return run.error().within("target");
  if (archive->snapshot()) {
    Result<std::optional<std::uint64_t>> complete =
        snapshot_complete_at(*storage, *archive, limits);
    if (!complete.ok()) return complete.error().within("redo");
    complete_at = complete.value();
    if (!run.value()) {
      if (Status ready = open_rebuilt(to); !ready.ok() || options.dry_run) return ready;
    }
    brings_rows = complete_at && to >= *complete_at;
  }
  Result<RunPlan> made = options.dry_run ? look_at_replay(replay_sessions())
                                         : make_replay_plan(replay_sessions(), options.lanes);
  if (!made.ok()) return made.error().within("target");
  plan = std::move(made).value();
  return Unit{};
}

// The target holds no run: one is made, where the redo can.
Status RedoApply::Impl::open_rebuilt(std::uint64_t to) {
  if (!complete_at) {
    return Error{Errc::refused,
                 "the snapshot in the redo is not complete: it completes the target that it was "
                 "written for, and makes no other one"};
  }
  if (to < *complete_at) {
    return Error{Errc::refused,
                 fmt::format("the redo holds every row from transaction {} on: an empty target "
                             "cannot be brought to transaction {}",
                             *complete_at, to)};
  }
  if (!options.tables.empty())
    return Error{Errc::refused, "--tables: an empty target is made with all tables of the redo"};
  plan.low.cseq = archive->begin().cseq;
  if (options.dry_run) return Unit{};
  return rebuild_tables(replay_sessions(), *storage, *archive, limits);
}

// The tables that the feed had, and of these the ones that are asked for.
Status RedoApply::Impl::open_selection() {
  const NameCase names = mapping.fold_names ? NameCase::ignored : NameCase::exact;
  Result<dispatch::FilterRules> rules = to_filter_rules(mapping.skip, mapping.where, names);
  if (!rules.ok()) return rules.error().within("redo");
  filters = std::move(rules).value();
  Result<Selection> whole = parse_selection(mapping.include, mapping.exclude, names);
  if (!whole.ok()) return whole.error().within("redo");
  selection = std::move(whole).value();
  std::vector<Pattern> within;
  for (const std::string& text : options.tables) {
    Result<Pattern> pattern = Pattern::parse(text);
    if (!pattern.ok()) return pattern.error().within("--tables");
    within.push_back(std::move(pattern).value());
  }
  selection.narrow(std::move(within));
  return Unit{};
}

ReplaySessions RedoApply::Impl::replay_sessions() const {
  return {*session,       *progress,  archive->claim().dialect, filters, selection,
          options.tables, brings_rows};
}

// Where the replay ends.
Result<store::Place> RedoApply::Impl::goal() {
  if (options.to.empty()) return archive->resolved();
  return find_redo_place(*storage, *archive, options.to, limits);
}

Result<RedoApplyReport> RedoApply::Impl::run() {
  if (Status opened = open_storage(); !opened.ok()) return opened.error().within("redo");
  const Result<store::Place> to = goal();
  if (!to.ok()) return to.error().within("redo");
  if (Status opened = open_target(to.value().cseq); !opened.ok()) return opened.error();
  const std::uint64_t from = plan.low.cseq;
  const bool ahead = !plan.done.empty() && plan.done.back().second > to.value().cseq;
  if (from > to.value().cseq || ahead) {
    return Error{Errc::refused,
                 fmt::format("the target has transactions through {} already, the replay is to end "
                             "with {}",
                             ahead ? plan.done.back().second : from, to.value().cseq)};
  }
  if (from < archive->begin().cseq) {
    return Error{Errc::lost,
                 fmt::format("the target stands at transaction {}, the redo begins behind {}", from,
                             archive->begin().cseq)};
  }
  shown.with([&](RedoApplyProgress& now) {
    now.from = now.low = from;
    now.last = to.value().cseq;
  });
  return replay(to.value());
}

CopyOptions RedoApply::Impl::copy_options() const {
  CopyOptions copy;
  copy.target_uri = options.target_uri;
  copy.target = options.target;
  copy.include = mapping.include;
  copy.exclude = mapping.exclude;
  copy.rename = mapping.rename;
  copy.meta_database = options.meta_database;
  copy.target_binlog = options.target_binlog;
  copy.memory = options.memory;
  return copy;
}

Result<RedoApplyReport> RedoApply::Impl::replay(const store::Place& to) {
  RedoApplyReport report;
  report.feed = archive->claim().feed;
  report.to = to;
  report.tables = options.tables;
  report.from.cseq = plan.low.cseq;
  report.from.gtid = plan.low.position.gtid;
  report.from.file = plan.low.position.file;
  report.from.commit_us = plan.low.commit_us;
  redo::ReaderOptions reading;
  reading.fetch.memory = options.memory / 4;
  reading.fetch.limits = limits;
  reading.until = to.cseq;
  const auto pieces = std::make_shared<ReplayPieces>(plan.pieces, brings_rows);
  reading.on_piece = [pieces](std::uint64_t cseq, const redo::Piece& piece) {
    return pieces->take(cseq, piece);
  };
  Result<std::unique_ptr<redo::Reader>> opened =
      redo::Reader::open(*storage, *archive, plan.low.cseq, reading);
  if (!opened.ok()) return opened.error().within("redo");
  redo::Reader* const reader = opened.value().get();
  report.bytes = reader->bytes_all();
  if (options.dry_run) {
    report.transactions = to.cseq - plan.low.cseq;
    return report;
  }
  if (!options.tables.empty() && plan.low.cseq < to.cseq) {
    if (Status noted = record_narrowed(replay_sessions(), plan); !noted.ok())
      return noted.error().within("target");
  }
  EngineOptions settings;
  settings.lanes = options.lanes;
  settings.readers = 0;
  settings.memory = options.memory;
  settings.fold_names = mapping.fold_names;
  settings.policies = mapping.policies;
  feed::BatchReaderOptions batches;
  batches.dialect = archive->claim().dialect;
  batches.part_bytes = std::clamp<std::size_t>(options.memory / 32, 1 << 20, 16 << 20);
  const CopyOptions copy = copy_options();
  Engine* running = nullptr;
  Engine engine(
      {copy, settings, plan, nullptr, archive->claim().dialect, *progress, selection,
       [&](ByteBudget& budget, Push push) -> std::unique_ptr<Intake> {
         return std::make_unique<RedoIntake>(
             std::move(opened).value(), batches, budget, std::move(push),
             Chunks{pieces, [&running](auto chunk) { return running->replay(std::move(chunk)); }});
       },
       std::nullopt});
  const auto begun = std::chrono::steady_clock::now();
  running = &engine;
  engine.start();
  Status done = follow(engine, *reader, to.cseq);
  const EngineNumbers numbers = engine.numbers();
  engine.stop();
  if (!done.ok()) return done.error();
  if (plan.rebuilding) {
    if (Status whole = record_rebuilt(replay_sessions()); !whole.ok())
      return whole.error().within("target");
  }
  report.transactions = to.cseq - report.from.cseq;
  report.changes = numbers.changes;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

// Until the target's own record says that all is there.
Status RedoApply::Impl::follow(Engine& engine, const redo::Reader& reader, std::uint64_t last) {
  for (;;) {
    const EngineNumbers numbers = engine.numbers();
    shown.with([&](RedoApplyProgress& now) {
      now.low = numbers.low.cseq;
      now.bytes_done = reader.bytes_done();
      now.bytes_all = reader.bytes_all();
      now.changes = numbers.changes;
      now.waiting_for = numbers.waiting_for;
    });
    if (const std::optional<Error> failure = engine.failure()) return *failure;
    if (stopping) return Error{Errc::interrupted, "the replay was stopped"};
    // Chunks may stand behind the last transaction; where rows came, late indexes follow.
    const bool rows =
        !brings_rows || (numbers.stream.connected && numbers.chunk_bytes == 0 && numbers.copied);
    if (numbers.recorded >= last && rows) return Unit{};
    std::this_thread::sleep_for(kTick);
  }
}

}  // namespace wherry::control
