#include "control/redo_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "control/feed_begin.h"
#include "control/redo_removal.h"
#include "redo/cleaner.h"
#include "redo/meta.h"
#include "storage/open.h"
#include "storage/retrying_storage.h"
#include "support/log.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr auto kCleanEvery = 30s;
constexpr unsigned kEncodersMax = 16;
constexpr auto kLate = 5s;  // behind its interval before the status says so

redo::WriterOptions writer_options(const RedoOptions& options) {
  redo::WriterOptions writer;
  writer.uploaders = options.uploads;
  writer.encoders = options.encoders != 0
                        ? options.encoders
                        : std::clamp(std::thread::hardware_concurrency(), 1U, kEncodersMax);
  writer.memory = options.memory;
  writer.cut.bytes_max = options.file_bytes;
  writer.cut.age_max = options.interval;
  writer.cut.age_idle = options.interval / 10;
  writer.collector.seals = feed::holds_statement;
  writer.compress = options.compress;
  return writer;
}

redo::EpochRequest epoch_of(const RedoJob::Request& request) {
  RedoMapping mapping = request.mapping;
  mapping.by_gtid = request.plan.by_gtid;
  mapping.fold_names = request.stream.fold_names;
  redo::EpochRequest epoch;
  epoch.feed = request.name;
  epoch.lease_epoch = request.plan.epoch;
  epoch.dialect = request.stream.dialect;
  epoch.source = request.stream.identity;
  epoch.mapping = to_json(mapping);
  epoch.target = place_of(request.plan.low);
  epoch.snapshot = request.snapshot;
  return epoch;
}

dispatch::Board::Fence fence_of(const redo::Durable& durable) {
  return {durable.place.cseq, durable.snapshot.pieces};
}

double seconds_since(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - time).count();
}

}  // namespace

store::Place place_of(const dispatch::LowWater& low) {
  store::Place place;
  place.cseq = low.cseq;
  place.commit_us = low.commit_us;
  place.generation = 1;
  place.file = low.position.file;
  place.gtid = low.position.gtid;
  return place;
}

struct RedoJob::Impl {
  Impl(const RedoOptions& redo_options, feed::SourceLog& source_log)
      : options(redo_options), log(source_log) {}
  void clean();
  void note_progress(std::uint64_t recorded);

  const RedoOptions options;
  feed::SourceLog& log;
  std::shared_ptr<storage::RetryingStorage> storage;
  redo::Claim claim;
  std::optional<redo::PlaceGate> gate;  // of a redo that holds the snapshot: all of it stays
  std::unique_ptr<redo::Writer> writer;
  Raise raise;
  std::stop_source stop;
  Guarded<bool> stopping{false};
  std::thread cleaner;
  std::atomic<std::uint64_t> removed{0};
  std::atomic<std::uint64_t> cleaning_failed{0};
  std::atomic<std::uint64_t> recorded{0};
  struct Pace {  // of the target, while it has something to do
    std::chrono::steady_clock::time_point at{};
    std::uint64_t recorded = 0;
    double per_second = 0;
  };
  Guarded<Pace> pace;
};

RedoJob::RedoJob(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RedoJob::~RedoJob() { (void)stop(); }

Result<std::unique_ptr<RedoJob>> RedoJob::begin(const RedoOptions& options, const Request& request,
                                                feed::SourceLog& log,
                                                const std::function<bool()>& stopping) {
  Result<std::unique_ptr<storage::Storage>> place = storage::open_storage(options.storage_uri);
  if (!place.ok()) return place.error().within("redo");
  auto impl = std::make_unique<Impl>(options, log);
  storage::RetryPolicy policy = storage::endless_policy();
  policy.requests_per_minute = options.requests;
  impl->storage = std::make_shared<storage::RetryingStorage>(std::move(place).value(), policy);
  storage::Limits limits;
  limits.stop = impl->stop.get_token();
  Result<redo::Claim> claim = redo::begin_epoch(*impl->storage, epoch_of(request), limits);
  if (!claim.ok()) return claim.error().within("redo");
  impl->claim = std::move(claim).value();
  if (impl->claim.snapshot) impl->gate.emplace(impl->claim.begin.cseq, *impl->claim.snapshot);
  if (Status marked = mark_redo(options.mark, {impl->claim.source, impl->claim.epoch});
      !marked.ok())
    return marked.error().within("redo");
  const store::Place& begin = impl->claim.begin;
  if (Status there = wait_for_count(log, begin.cseq, stopping); !there.ok())
    return there.error().within("redo");
  if (Status same = require_same_count(log, begin.cseq, begin.gtid); !same.ok())
    return same.error().within("redo");
  return std::unique_ptr<RedoJob>(new RedoJob(std::move(impl)));
}

std::uint64_t RedoJob::durable_cseq() const { return impl_->claim.begin.cseq; }

redo::PlaceGate* RedoJob::gate() { return impl_->gate ? &*impl_->gate : nullptr; }

redo::SnapshotMark RedoJob::snapshot_before() const {
  return impl_->claim.snapshot.value_or(redo::SnapshotMark{});
}

void RedoJob::start(Raise raise) {
  impl_->raise = std::move(raise);
  redo::WriterOptions writing = writer_options(impl_->options);
  writing.collector.gate = gate();
  Result<std::unique_ptr<redo::Writer>> made = redo::Writer::make(
      *impl_->storage, impl_->claim, impl_->log.log().cursor({impl_->claim.begin.cseq + 1, 0}),
      writing, [this](const redo::DurablePtr& durable) { impl_->raise(fence_of(*durable)); });
  impl_->writer = std::move(made).value();
  impl_->writer->start();
  impl_->cleaner = std::thread([this] { impl_->clean(); });
}

void RedoJob::Impl::clean() {
  redo::Cleaner removal(*storage, claim.feed);
  storage::Limits limits;
  limits.stop = stop.get_token();
  while (!stopping.wait_for(kCleanEvery, [](bool now) { return now; })) {
    const std::uint64_t checkpoint = gate ? 0 : recorded.load();
    const redo::Meta meta{claim.epoch, checkpoint, writer->durable()->place.cseq};
    (void)redo::write_meta(*storage, claim.feed, meta, limits);
    if (gate) continue;
    const Result<std::size_t> done = removal.run(limits);
    if (done.ok()) {
      removed += done.value();
    } else if (done.error().code != Errc::interrupted) {
      ++cleaning_failed;
      log::warning("redo", "old files are not removed: {}", done.error().what);
    }
  }
}

// How fast the target takes transactions, from the times when it was behind.
void RedoJob::Impl::note_progress(std::uint64_t now_recorded) {
  recorded = now_recorded;
  const auto now = std::chrono::steady_clock::now();
  pace.with([&](Pace& was) {
    const double took = std::chrono::duration<double>(now - was.at).count();
    if (took < 1) return;
    if (was.recorded != 0 && now_recorded > was.recorded) {
      const double rate = static_cast<double>(now_recorded - was.recorded) / took;
      was.per_second = was.per_second == 0 ? rate : std::max(rate, was.per_second * 0.9);
    }
    was.at = now;
    was.recorded = now_recorded;
  });
}

void RedoJob::tick(std::uint64_t recorded) {
  impl_->note_progress(recorded);
  // A target is made from all of it.
  if (!impl_->gate) impl_->writer->set_checkpoint(recorded);
  impl_->raise(fence_of(*impl_->writer->durable()));
}

Status RedoJob::stop() {
  if (impl_->writer == nullptr) return Unit{};
  impl_->stopping.with([](bool& now) { now = true; });
  Status done = impl_->writer->stop();
  impl_->stop.request_stop();
  if (impl_->cleaner.joinable()) impl_->cleaner.join();
  return done;
}

std::optional<Error> RedoJob::failure() const {
  const std::optional<Error> failure = impl_->writer->status().failure;
  return failure ? std::optional<Error>(failure->within("redo")) : std::nullopt;
}

std::map<std::string, double> RedoJob::gauges() const {
  const redo::WriterStatus status = impl_->writer->status();
  const store::LogStatus log = impl_->log.log().status();
  std::map<std::string, double> gauges;
  gauges["redo_durable_cseq"] = static_cast<double>(status.durable->place.cseq);
  gauges["redo_behind_transactions"] =
      static_cast<double>(log.last_cseq - std::min(log.last_cseq, status.durable->place.cseq));
  gauges["redo_at_risk_seconds"] = status.oldest ? seconds_since(*status.oldest) : 0;
  const std::uint64_t unapplied =
      status.durable->place.cseq -
      std::min<std::uint64_t>(status.durable->place.cseq, impl_->recorded);
  const double rate = impl_->pace.read([](const Impl::Pace& pace) { return pace.per_second; });
  gauges["redo_unapplied_transactions"] = static_cast<double>(unapplied);
  gauges["redo_apply_seconds"] = rate > 0 ? static_cast<double>(unapplied) / rate : 0;
  gauges["redo_files_in_flight"] = status.uploads.in_flight;
  gauges["redo_files_waiting"] = static_cast<double>(status.uploads.waiting);
  gauges["redo_files_unreleased"] = static_cast<double>(status.uploads.unreleased);
  gauges["redo_files_total"] = static_cast<double>(status.durable->files);
  gauges["redo_bytes_total"] = static_cast<double>(status.durable->bytes);
  gauges["redo_puts_total"] = static_cast<double>(impl_->storage->counts().tries);
  gauges["redo_held_bytes"] = static_cast<double>(status.held_bytes);
  gauges["redo_target_file_bytes"] = static_cast<double>(status.uploads.target_bytes);
  gauges["redo_upload_latency_seconds"] = status.uploads.latency_s;
  gauges["redo_removed_total"] = static_cast<double>(impl_->removed);
  gauges["redo_removal_failures_total"] = static_cast<double>(impl_->cleaning_failed);
  return gauges;
}

std::string RedoJob::waiting_for() const {
  const redo::WriterStatus status = impl_->writer->status();
  if (!status.oldest) return "";
  const double age = seconds_since(*status.oldest);
  const std::chrono::duration<double> usual = impl_->options.interval + kLate;
  if (age < usual.count()) return "";
  return fmt::format("the redo storage ({:.0f} s)", age);
}

}  // namespace wherry::control
