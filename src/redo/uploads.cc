#include "redo/uploads.h"

#include <utility>

namespace wherry::redo {

Uploads::Uploads(storage::Storage& storage, const Options& options, const Durable& begin,
                 Calls calls)
    : storage_(storage), options_(options), calls_(std::move(calls)) {
  state_.with([&](State& state) { state.durable = std::make_shared<const Durable>(begin); });
}

void Uploads::put(SealedFilePtr file) {
  state_.with([&](State& state) {
    state.ring.push_back(
        {file->number, file->bytes, file->after, file->snapshot, file->first_at, false});
    state.waiting.push_back(std::move(file));
  });
}

Status Uploads::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { state_.with([](State&) {}); });
  for (;;) {
    calls_.freed();
    const SealedFilePtr file = take(stop);
    if (file == nullptr) return Unit{};
    const std::vector<Bytes> parts = file->parts();
    const Instant begun = std::chrono::steady_clock::now();
    storage::Limits limits;
    limits.stop = stop;
    Status put = storage_.put(file->name, parts, limits);
    if (!put.ok()) {
      state_.with([](State& state) { --state.in_flight; });
      return put.error().within("upload " + file->name);
    }
    finish(*file, std::chrono::steady_clock::now() - begun);
  }
}

SealedFilePtr Uploads::take(const std::stop_token& stop) {
  return state_.wait(
      [&](const State& state) {
        return !state.waiting.empty() || state.closed || stop.stop_requested();
      },
      [&](State& state) -> SealedFilePtr {
        if (state.waiting.empty() || stop.stop_requested()) return nullptr;
        SealedFilePtr file = std::move(state.waiting.front());
        state.waiting.pop_front();
        ++state.in_flight;
        return file;
      });
}

// Marks the file, and releases what is done at the front of the ring.
void Uploads::finish(const SealedFile& file, std::chrono::steady_clock::duration took) {
  const DurablePtr moved = state_.with([&](State& state) -> DurablePtr {
    --state.in_flight;
    ++state.uploads;
    state.model.add(file.bytes, took);
    state.ring[file.number - state.ring.front().number].done = true;
    if (!state.ring.front().done) return nullptr;
    Durable next = *state.durable;
    while (!state.ring.empty() && state.ring.front().done) {
      next.place = state.ring.front().after;
      next.snapshot = state.ring.front().snapshot;
      ++next.files;
      next.bytes += state.ring.front().bytes;
      state.ring.pop_front();
    }
    state.durable = std::make_shared<const Durable>(std::move(next));
    return state.durable;
  });
  if (moved != nullptr) calls_.moved(moved);
}

void Uploads::close() {
  state_.with([](State& state) { state.closed = true; });
}

void Uploads::abandon() {
  state_.with([](State& state) {
    state.closed = true;
    state.waiting.clear();
  });
}

UploadLoad Uploads::load() const {
  return state_.read([&](const State& state) {
    UploadLoad load;
    load.idle = options_.uploaders - state.in_flight;
    load.waiting = state.waiting.size();
    load.in_flight = state.in_flight;
    load.target_bytes = state.model.target_bytes();
    return load;
  });
}

bool Uploads::wait_for_room(std::chrono::milliseconds time) {
  return state_.wait_for(
      time, [&](const State& state) { return state.ring.size() < options_.unreleased_max; });
}

UploadCounts Uploads::counts() const {
  return state_.read([](const State& state) {
    UploadCounts counts;
    counts.in_flight = state.in_flight;
    counts.waiting = state.waiting.size();
    counts.unreleased = state.ring.size();
    counts.uploads = state.uploads;
    if (!state.ring.empty()) counts.oldest = state.ring.front().first_at;
    counts.latency_s = state.model.latency_s();
    counts.bytes_per_s = state.model.bytes_per_s();
    counts.target_bytes = state.model.target_bytes();
    return counts;
  });
}

DurablePtr Uploads::durable() const {
  return state_.read([](const State& state) { return state.durable; });
}

}  // namespace wherry::redo
