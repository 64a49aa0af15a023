#include "control/copy_redo.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "control/snapshot_tables.h"
#include "support/log.h"

namespace wherry::control {
namespace {

constexpr char kFeed[] = "copy";

Result<std::string> temporary_folder() {
  std::error_code failed;
  const std::filesystem::path base = std::filesystem::temp_directory_path(failed);
  std::string name = (failed ? "/tmp" : base.string()) + "/wherry-log-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return Error{Errc::io, fmt::format("cannot make {}: {}", name, std::strerror(errno))};
  return name;
}

}  // namespace

Result<std::unique_ptr<CopyRedo>> CopyRedo::begin(const CopyOptions& options, const RunPlan& plan,
                                                  const RedoJob::Stream& stream,
                                                  const RunSessions& sessions,
                                                  const std::function<bool()>& stopping) {
  std::unique_ptr<CopyRedo> redo(new CopyRedo());
  if (Status opened = redo->open(options, plan); !opened.ok())
    return opened.error().within("the log for redo");
  RedoOptions writing;
  writing.storage_uri = options.redo_uri;
  RedoMapping mapping;
  mapping.job = "copy";
  mapping.include = options.include;
  mapping.exclude = options.exclude;
  mapping.rename = options.rename;
  mapping.skip = options.skip;
  mapping.where = options.where;
  Result<std::unique_ptr<RedoJob>> begun =
      RedoJob::begin(writing, {kFeed, plan, stream, mapping, !plan.resumed && fits_redo(plan)},
                     *redo->log_, stopping);
  if (!begun.ok()) return begun.error();
  redo->redo_ = std::move(begun).value();
  if (Status ready = redo->begin_snapshot(plan, sessions); !ready.ok())
    return ready.error().within("redo");
  return redo;
}

Status CopyRedo::begin_snapshot(const RunPlan& plan, const RunSessions& sessions) {
  redo::PlaceGate* const gate = redo_->gate();
  if (gate == nullptr) return Unit{};
  snapshot_ = {gate, redo_->durable_cseq(), redo_->snapshot_before(), fits_redo(plan)};
  // Before the first transaction. A run that was killed may have put a part of them.
  if (!snapshot_->holds || snapshot_->begin != 0 || snapshot_->before.pieces > plan.plans.size())
    return Unit{};
  const Result<std::vector<SnapshotTable>> tables =
      read_snapshot_tables(sessions.target, sessions.progress, plan);
  return tables.ok() ? put_tables(tables.value(), 0, *gate) : Status(tables.error());
}

Status CopyRedo::open(const CopyOptions& options, const RunPlan& plan) {
  feed::SourceLogOptions log;
  if (options.state_dir.empty()) {
    Result<std::string> made = temporary_folder();
    if (!made.ok()) return made.error();
    log.log.folder = temporary_ = std::move(made).value();
  } else {
    log.log.folder = options.state_dir + "/log";
  }
  Result<std::unique_ptr<source::Runtime>> runtime = source::Runtime::open(options.source, {});
  if (!runtime.ok()) return runtime.error();
  Result<std::unique_ptr<feed::SourceLog>> opened =
      feed::SourceLog::open(log, std::move(runtime).value(), place_of(plan.low));
  if (!opened.ok()) return opened.error();
  log_ = std::move(opened).value();
  const std::uint64_t known = log_->log().status().last_cseq;
  Result<store::Consumer> consumer = log_->log().consumer(kFeed, std::min(plan.low.cseq, known));
  if (!consumer.ok()) return consumer.error();
  consumer_.emplace(std::move(consumer).value());
  log_->start();
  return Unit{};
}

CopyRedo::~CopyRedo() {
  (void)stop();
  redo_.reset();
  log_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void CopyRedo::tick(std::uint64_t recorded) {
  consumer_->advance(recorded);
  redo_->tick(recorded);
}

Status CopyRedo::stop() {
  Status done = redo_ != nullptr ? redo_->stop() : Status(Unit{});
  Status closed = log_ != nullptr ? log_->stop() : Status(Unit{});
  return done.ok() ? closed : done;
}

}  // namespace wherry::control
