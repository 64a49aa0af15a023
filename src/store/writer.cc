#include "store/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/record.h"

namespace wherry::store {
namespace {

Error stopped() { return {Errc::interrupted, "the log was stopped"}; }

// Old chunks leave the memory once they are on disk, as many as must.
void evict(State& state, std::size_t bytes, std::size_t bytes_max) {
  while (!state.tail.empty() && state.tail_bytes + bytes > bytes_max) {
    const Chunk& oldest = *state.tail.front();
    if (!oldest.closed || oldest.cut < oldest.ready) return;
    state.tail_bytes -= oldest.capacity;
    state.tail.pop_front();
  }
}

// Whether a chunk of so many bytes has room, or would be alone with what cannot leave.
bool has_room(const State& state, std::size_t bytes, std::size_t bytes_max) {
  std::size_t kept = 0;
  for (const auto& chunk : state.tail) {
    if (chunk->cut < chunk->ready) kept += chunk->capacity;
  }
  return kept == 0 || kept + bytes <= bytes_max;
}

}  // namespace

Writer::Writer(Shared& shared, const Options& options, std::uint64_t next,
               std::uint64_t last_commit_us)
    : shared_(shared), options_(options), next_(next), last_commit_us_(last_commit_us) {}

Status Writer::usable() const {
  return shared_.read([](const State& state) -> Status {
    if (state.error) return *state.error;
    if (state.stopping) return stopped();
    return Unit{};
  });
}

Status Writer::define(std::uint64_t id, Bytes content) {
  if (id == 0) return Error{Errc::usage, "a definition has a number that is not 0"};
  shared_.with([&](State& state) {
    KnownDefinition& known = state.definitions[id];
    known.retired = false;
    if (known.content == nullptr)
      known.content = std::make_shared<const std::string>(as_text(content));
  });
  return Unit{};
}

void Writer::retire(std::uint64_t id) {
  shared_.with([&](State& state) {
    const auto known = state.definitions.find(id);
    if (known != state.definitions.end()) known->second.retired = true;
  });
}

Status Writer::wait_for_disk() {
  if (options_.disk_bytes_max == 0) return Unit{};
  const auto full = [&](const State& state) { return state.disk_bytes >= options_.disk_bytes_max; };
  if (!shared_.read(full)) return Unit{};
  Status shown = publish();  // consumers that are to go on must see what there is
  if (!shown.ok()) return shown;
  shared_.with([](State& state) { state.throttled = state.retention_due = true; });
  return shared_.wait(
      [&](const State& state) { return !full(state) || state.error || state.stopping; },
      [](State& state) -> Status {
        state.throttled = false;
        if (state.error) return *state.error;
        if (state.stopping) return stopped();
        return Unit{};
      });
}

Status Writer::begin(std::uint64_t cseq) {
  if (inside_ || cseq != next_) {
    return Error{Errc::usage, fmt::format("transaction {} begins where {} {}", cseq, next_,
                                          inside_ ? "is open" : "is next")};
  }
  Status ready = wait_for_disk();
  if (!ready.ok()) return ready;
  inside_ = true;
  handed_on_ = false;
  begin_ = used_;
  row_ = 0;
  return Unit{};
}

Status Writer::add(const Event& event) {
  if (!inside_) return Error{Errc::usage, "an event outside a transaction"};
  if (event.rows == 0 || event.body.size() > kRecordBodyMax)
    return Error{Errc::unsupported, "an event without rows, or of 4 GiB and more"};
  const Result<std::byte*> at = reserve(size_of(event));
  if (!at.ok()) return at.error();
  encode(event, at.value());
  used_ += size_of(event);
  row_ += event.rows;
  return Unit{};
}

Status Writer::commit(Commit commit) {
  constexpr std::size_t kTextMax = 0xFFFF;
  if (!inside_ || commit.cseq != next_)
    return Error{Errc::usage, fmt::format("commit {} where {} is open", commit.cseq, next_)};
  if (commit.file.size() > kTextMax || commit.gtid_source.size() > kTextMax)
    return Error{Errc::unsupported, "a name of more than 65535 bytes in a commit"};
  commit.commit_us = std::max(commit.commit_us, last_commit_us_);
  const Result<std::byte*> at = reserve(size_of(commit));
  if (!at.ok()) return at.error();
  encode(commit, at.value());
  used_ += size_of(commit);
  committed_ = used_;
  last_commit_us_ = commit.commit_us;
  ++next_;
  inside_ = false;
  return Unit{};
}

Status Writer::publish() {
  return shared_.with([&](State& state) -> Status {
    if (state.error) return *state.error;
    if (state.stopping) return stopped();
    if (chunk_ != nullptr) chunk_->ready = committed_;
    if (state.visible == next_ - 1) return Unit{};
    state.visible = next_ - 1;
    if (!state.unsynced_since) state.unsynced_since = std::chrono::steady_clock::now();
    return Unit{};
  });
}

Status Writer::abort() {
  if (!inside_) return Unit{};
  inside_ = false;
  used_ = begin_;
  if (!handed_on_) return publish();
  chunk_.reset();
  used_ = committed_ = begin_ = 0;
  shared_.with([&](State& state) { state.abort = next_; });
  return shared_.wait([](const State& state) { return !state.abort || state.error; },
                      [](State& state) -> Status {
                        if (state.error) return *state.error;
                        return Unit{};
                      });
}

Result<std::byte*> Writer::reserve(std::size_t bytes) {
  if (chunk_ == nullptr || used_ + bytes > chunk_->capacity) {
    const Status made = next_chunk(bytes);
    if (!made.ok()) return made.error();
  }
  return chunk_->memory.get() + used_;
}

// The open transaction moves to a chunk of its own, so that the old one ends with a commit; where
// it fills the old one from its begin on, it goes on in the next.
Status Writer::next_chunk(std::size_t bytes) {
  const bool fills = chunk_ != nullptr && begin_ == 0 && used_ > 0;
  const std::size_t moved = fills || chunk_ == nullptr ? 0 : used_ - begin_;
  const Point first{next_, fills ? row_ : 0};
  const std::size_t capacity = std::max(options_.block_bytes, moved + bytes);
  const auto chunk = std::make_shared<Chunk>(capacity, first);
  if (moved > 0) std::memcpy(chunk->memory.get(), chunk_->memory.get() + begin_, moved);
  if (chunk_ != nullptr) {
    shared_.with([&](State& state) {
      chunk_->ready = fills ? used_ : committed_;
      chunk_->closed = true;
      if (state.visible < next_ - 1) state.visible = next_ - 1;
      if (!state.unsynced_since) state.unsynced_since = std::chrono::steady_clock::now();
    });
    handed_on_ = handed_on_ || fills;
  }
  Status pushed = push_chunk(chunk);
  if (!pushed.ok()) return pushed;
  chunk_ = chunk;
  used_ = moved;
  committed_ = begin_ = 0;
  return Unit{};
}

Status Writer::push_chunk(std::shared_ptr<Chunk> chunk) {
  const std::size_t bytes = chunk->capacity;
  return shared_.wait(
      [&](const State& state) {
        return state.error || state.stopping || has_room(state, bytes, options_.tail_bytes);
      },
      [&](State& state) -> Status {
        if (state.error) return *state.error;
        if (state.stopping) return stopped();
        evict(state, bytes, options_.tail_bytes);
        state.tail_bytes += bytes;
        state.tail.push_back(std::move(chunk));
        return Unit{};
      });
}

}  // namespace wherry::store
