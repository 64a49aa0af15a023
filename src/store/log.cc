#include "store/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/saved_state.h"

namespace wherry::store {
namespace {

// Where what was opened stands, as its threads will share it.
void fill(State& state, Recovered& recovered, const std::optional<SegmentWriter>& active) {
  for (Segment& segment : recovered.sealed) state.segments.push_back(std::move(segment));
  if (active) state.segments.push_back(active->segment());
  for (const Segment& segment : state.segments) {
    state.disk_bytes += segment.bytes;
    for (const auto& [id, content] : segment.content.definitions) {
      KnownDefinition& known = state.definitions[id];
      known.content = content;
      ++known.carriers;
    }
  }
  state.written = recovered.tracker.place();
  state.visible = state.durable = state.written.cseq;
}

Status check_against(const SavedState& saved, std::uint64_t end, const std::string& folder) {
  if (saved.durable_cseq <= end) return Unit{};
  return Error{Errc::lost, fmt::format("{}: the log ends at cseq {}, but was durable to cseq {}: "
                                       "the end of its last segment is missing",
                                       folder, end, saved.durable_cseq)};
}

}  // namespace

Result<std::unique_ptr<Log>> Log::open(const Options& options) {
  Result<Recovered> recovered = recover(options);
  if (!recovered.ok()) return recovered.error().within("opening the log");
  const Result<SavedState> saved = read_state(options.folder);
  if (!saved.ok()) return saved.error().within("opening the log");
  const Status whole =
      check_against(saved.value(), recovered.value().tracker.newest().cseq, options.folder);
  if (!whole.ok()) return whole.error().within("opening the log");
  std::optional<SegmentWriter> active;
  if (recovered.value().active) {
    Result<SegmentWriter> resumed =
        SegmentWriter::resume(options, *std::move(recovered.value().active));
    if (!resumed.ok()) return resumed.error().within("opening the log");
    active.emplace(std::move(resumed).value());
  } else if (recovered.value().sealed.empty()) {
    // A new log has a segment from the start: its header says where the log begins.
    SegmentHeader header{
        1, options.dialect, options.identity, {options.begin.cseq + 1, 0}, options.begin};
    Result<SegmentWriter> made = SegmentWriter::create(options, header);
    if (!made.ok()) return made.error().within("opening the log");
    active.emplace(std::move(made).value());
  }
  std::vector<Segment> to_scrub = recovered.value().sealed;
  // Without an unfinished one the newest sealed segment was read just now.
  if (!active && !to_scrub.empty()) to_scrub.pop_back();
  std::unique_ptr<Log> log(new Log(options, std::move(recovered).value(), std::move(active)));
  log->shared_.with([&](State& state) {
    for (const auto& [name, done] : saved.value().consumers) state.consumers[name].done = done;
    press_slowest(state, options.disk_bytes_max);
  });
  log->start(std::move(to_scrub));
  return log;
}

Log::Log(const Options& options, Recovered recovered, std::optional<SegmentWriter> active)
    : options_(options), cuts_(std::move(recovered.cuts)) {
  const Place newest = recovered.tracker.newest();
  shared_.with([&](State& state) { fill(state, recovered, active); });
  writer_ = std::make_unique<Writer>(shared_, options_, newest.cseq + 1, newest.commit_us);
  flusher_ =
      std::make_unique<Flusher>(shared_, options_, std::move(recovered.tracker), std::move(active));
}

void Log::start(std::vector<Segment> to_scrub) {
  shared_.with([&](State& state) { state.scrub_left = to_scrub.size(); });
  scrubber_ = std::make_unique<Scrubber>(shared_, std::move(to_scrub));
  flushing_ = std::thread([this] { flusher_->run(); });
  scrubbing_ = std::thread([this] { scrubber_->run(); });
}

Log::~Log() { (void)close(); }

Result<Consumer> Log::consumer(const std::string& name, std::uint64_t done) {
  Status fits = shared_.with([&](State& state) -> Status {
    const std::uint64_t first =
        state.segments.empty() ? state.visible + 1 : state.segments.front().header.first.cseq;
    const std::uint64_t begin =
        state.tail.empty() ? first : std::min(first, state.tail.front()->first.cseq);
    if (done + 1 < begin) {
      return Error{Errc::lost, fmt::format("{} needs transaction {}, but the log begins with {}",
                                           name, done + 1, begin)};
    }
    if (done > state.visible) {
      return Error{Errc::conflict, fmt::format("{} is done with transaction {}, but the log ends "
                                               "with {}",
                                               name, done, state.visible)};
    }
    state.consumers[name].done = done;
    state.consumers_changed = true;
    press_slowest(state, options_.disk_bytes_max);
    return Unit{};
  });
  if (!fits.ok()) return fits.error();
  return Consumer(shared_, name, options_.disk_bytes_max);
}

std::vector<std::string> Log::consumers() const {
  return shared_.read([](const State& state) {
    std::vector<std::string> names;
    for (const auto& [name, consumer] : state.consumers) names.push_back(name);
    return names;
  });
}

Definition Log::definition(std::uint64_t id) const {
  return shared_.read([&](const State& state) { return find_definition(state, id); });
}

LogStatus Log::status() const {
  return shared_.read([](const State& state) {
    LogStatus status;
    status.last_cseq = state.visible;
    status.first_cseq = state.visible + 1;
    if (!state.tail.empty()) status.first_cseq = state.tail.front()->first.cseq;
    if (!state.segments.empty()) status.first_cseq = state.segments.front().header.first.cseq;
    status.durable_cseq = state.durable;
    status.disk_bytes = state.disk_bytes;
    status.tail_bytes = state.tail_bytes;
    status.segments = state.segments.size();
    status.throttled = state.throttled;
    const std::optional<std::uint64_t> slowest = released(state);
    for (const auto& [name, consumer] : state.consumers) {
      if (slowest && consumer.done == *slowest) status.slowest = name;
    }
    status.scrub_left = state.scrub_left;
    status.error = state.error;
    status.damage = state.damage;
    return status;
  });
}

std::uint64_t Log::durable_cseq() const {
  return shared_.read([](const State& state) { return state.durable; });
}

Status Log::sync_to(std::uint64_t cseq) {
  const bool known = shared_.with([&](State& state) {
    if (cseq > state.visible) return false;
    state.sync_wanted = std::max(state.sync_wanted, cseq);
    return true;
  });
  if (!known) return Error{Errc::usage, fmt::format("transaction {} was not published", cseq)};
  return shared_.wait(
      [&](const State& state) { return state.durable >= cseq || state.error || state.stopping; },
      [&](State& state) -> Status {
        if (state.durable >= cseq) return Unit{};
        if (state.error) return *state.error;
        return Error{Errc::interrupted, "the log was stopped"};
      });
}

void Log::stop() {
  shared_.with([](State& state) { state.stopping = true; });
}

Status Log::close() {
  if (!flushing_.joinable()) return Unit{};
  const Status aborted = writer_->abort();
  const Status published = aborted.ok() ? writer_->publish() : aborted;
  shared_.with([](State& state) { state.closing = state.stopping = true; });
  flushing_.join();
  scrubbing_.join();
  return shared_.read([&](const State& state) -> Status {
    if (state.error) return *state.error;
    return Unit{};
  });
}

}  // namespace wherry::store
