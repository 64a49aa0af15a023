#include "store/flusher.h"

#include <algorithm>
#include <utility>

#include "store/saved_state.h"

namespace wherry::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kIdle{60'000};

bool sync_due(const State& state, const Options& options) {
  if (state.closing || state.sync_wanted > state.durable) return true;
  if (state.unsynced_bytes >= options.sync_bytes) return true;
  return state.unsynced_since && Clock::now() >= *state.unsynced_since + options.sync_interval;
}

bool write_due(const State& state) { return state.write_wanted > state.written.cseq; }

bool has_closed_piece(const State& state) {
  return std::any_of(state.tail.begin(), state.tail.end(),
                     [](const auto& chunk) { return chunk->closed && chunk->cut < chunk->ready; });
}

}  // namespace

Flusher::Flusher(Shared& shared, const Options& options, PlaceTracker tracker,
                 std::optional<SegmentWriter> active)
    : shared_(shared),
      options_(options),
      tracker_(std::move(tracker)),
      active_(std::move(active)),
      end_{tracker_.newest().cseq + 1, 0},
      next_number_(1) {
  shared_.read([&](const State& state) {
    if (!state.segments.empty()) next_number_ = state.segments.back().header.number + 1;
  });
}

void Flusher::run() {
  while (true) {
    const std::chrono::milliseconds wait = shared_.read([&](const State& state) {
      if (!state.unsynced_since) return kIdle;
      const auto left = *state.unsynced_since + options_.sync_interval - Clock::now();
      return std::max(std::chrono::ceil<std::chrono::milliseconds>(left),
                      std::chrono::milliseconds(0));
    });
    shared_.wait_for(wait, [&](const State& state) {
      return has_closed_piece(state) || write_due(state) || sync_due(state, options_) ||
             state.abort || state.retention_due || state.consumers_changed;
    });
    const Work work = shared_.with([&](State& state) { return collect(state); });
    const Status done = perform(work);
    if (!done.ok()) {
      shared_.with([&](State& state) { state.error = done.error(); });
      return;
    }
    if (work.closing) return;
  }
}

Flusher::Work Flusher::collect(State& state) const {
  Work work;
  work.closing = state.closing;
  work.sync = sync_due(state, options_);
  work.abort = state.abort;
  const bool all = work.sync || write_due(state);
  for (const auto& chunk : state.tail) {
    if (chunk->cut < chunk->ready && (chunk->closed || all))
      work.pieces.push_back({chunk, chunk->cut, chunk->ready, chunk->cut_point});
  }
  return work;
}

Status Flusher::perform(const Work& work) {
  if (work.abort) return take_back(*work.abort);
  for (const Piece& piece : work.pieces) {
    Status done = write(piece);
    if (!done.ok()) return done;
  }
  if (work.closing && active_) {
    Status done = seal_segment();
    if (!done.ok()) return done;
  }
  if (work.sync) {
    Status done = sync();
    if (!done.ok()) return done;
  }
  return retain();
}

Status Flusher::write(const Piece& piece) {
  if (active_ && active_->segment().footer >= options_.segment_bytes) {
    Status done = seal_segment();
    if (!done.ok()) return done;
  }
  Status done = active_ ? Status(Unit{}) : begin_segment();
  if (!done.ok()) return done;
  const Bytes body = piece.chunk->body(piece.from, piece.to);
  const Result<BodySummary> summary = summarize(body, piece.first, tracker_);
  if (!summary.ok()) return summary.error();
  done = define(summary.value());
  if (!done.ok()) return done;

  const Point& end = summary.value().end;
  BlockHeader header;
  header.first = piece.first;
  header.continues = piece.first.row > 0;
  header.open = end.row > 0;
  header.last_cseq = header.open ? end.cseq : end.cseq - 1;
  done = active_->append(header, body, summary.value(), tracker_.newest());
  if (!done.ok()) return done;
  end_ = end;
  shared_.with([&](State& state) {
    Segment& segment = state.segments.back();
    state.disk_bytes += active_->segment().bytes - segment.bytes;
    state.unsynced_bytes += active_->segment().bytes - segment.bytes;
    segment.bytes = segment.footer = active_->segment().bytes;
    segment.content.end = end;
    segment.content.index.push_back(active_->segment().content.index.back());
    piece.chunk->cut = piece.to;
    piece.chunk->cut_point = end;
    state.written = tracker_.place();
    press_slowest(state, options_.disk_bytes_max);
  });
  return Unit{};
}

// Puts the definitions in front of the first rows of the segment that need them.
Status Flusher::define(const BodySummary& summary) {
  Definitions missing;
  for (const std::uint64_t version : summary.table_versions) {
    if (!active_->carries(version)) missing[version] = nullptr;
  }
  if (missing.empty()) return Unit{};
  shared_.read([&](const State& state) {
    for (auto& [id, content] : missing) content = state.definitions.at(id).content;
  });
  return put_definitions(missing);
}

Status Flusher::put_definitions(const Definitions& definitions) {
  Status done = active_->append(definitions, end_.row == 0 ? end_.cseq - 1 : end_.cseq);
  if (!done.ok()) return done;
  shared_.with([&](State& state) {
    Segment& segment = state.segments.back();
    state.disk_bytes += active_->segment().bytes - segment.bytes;
    segment.bytes = segment.footer = active_->segment().bytes;
    for (const auto& [id, content] : definitions) ++state.definitions[id].carriers;
  });
  return Unit{};
}

Status Flusher::begin_segment() {
  SegmentHeader header;
  header.number = next_number_++;
  header.dialect = options_.dialect;
  header.identity = options_.identity;
  header.first = end_;
  header.before = tracker_.place();
  Result<SegmentWriter> made = SegmentWriter::create(options_, header);
  if (!made.ok()) return made.error();
  active_.emplace(std::move(made).value());
  shared_.with([&](State& state) {
    state.segments.push_back(active_->segment());
    state.disk_bytes += active_->segment().bytes;
  });
  return Unit{};
}

Status Flusher::seal_segment() {
  Status done = active_->seal(tracker_.place());
  if (!done.ok()) return done;
  shared_.with([&](State& state) {
    Segment& segment = state.segments.back();
    state.disk_bytes += active_->segment().bytes - segment.bytes;
    segment = active_->segment();
    segment.content.index.clear();
    segment.content.index.shrink_to_fit();
    state.retention_due = true;
  });
  active_.reset();
  return Unit{};
}

Status Flusher::sync() {
  Status done = active_ ? active_->sync() : Status(Unit{});
  if (!done.ok()) return done;
  shared_.with([&](State& state) {
    state.durable = tracker_.newest().cseq;
    state.unsynced_bytes = 0;
    state.unsynced_since.reset();
    if (state.visible > state.durable) state.unsynced_since = Clock::now();
  });
  return Unit{};
}

// The pieces of an unfinished transaction leave the tail and the files. No cursor has seen any.
Status Flusher::take_back(std::uint64_t cseq) {
  if (end_.cseq == cseq && end_.row > 0) {
    active_.reset();
    std::vector<Segment> segments = shared_.read([](const State& state) {
      return std::vector<Segment>(state.segments.begin(), state.segments.end());
    });
    Result<CutBack> back = cut_back(options_, segments, cseq);
    if (!back.ok()) return back.error();
    Result<SegmentWriter> active = SegmentWriter::resume(options_, std::move(back.value().active));
    if (!active.ok()) return active.error();
    active_.emplace(std::move(active).value());
    tracker_ = std::move(back.value().tracker);
    end_ = active_->segment().content.end;
    next_number_ = active_->segment().header.number + 1;
    segments.push_back(active_->segment());
    shared_.with([&](State& state) {
      state.segments.assign(segments.begin(), segments.end());
      state.written = tracker_.place();
      state.disk_bytes = 0;
      for (auto& [id, known] : state.definitions) known.carriers = 0;
      for (const Segment& segment : segments) {
        state.disk_bytes += segment.bytes;
        for (const auto& [id, content] : segment.content.definitions)
          ++state.definitions[id].carriers;
      }
    });
  }
  shared_.with([&](State& state) {
    while (!state.tail.empty() && state.tail.back()->first.cseq == cseq) {
      state.tail_bytes -= state.tail.back()->capacity;
      state.tail.pop_back();
    }
    state.abort.reset();
  });
  return Unit{};
}

Status Flusher::retain() {
  const bool changed = shared_.with([](State& state) {
    state.retention_due = false;
    return std::exchange(state.consumers_changed, false);
  });
  // The disk is full of what nobody needs any more, but it is all in the segment being written.
  const bool renew = shared_.read([&](const State& state) {
    const std::optional<std::uint64_t> free = released(state);
    return options_.disk_bytes_max > 0 && state.disk_bytes >= options_.disk_bytes_max && active_ &&
           !active_->segment().content.index.empty() && end_.row == 0 && free &&
           last_cseq(active_->segment()) <= *free;
  });
  Status done = renew ? seal_segment() : Status(Unit{});
  const auto expired = [](const State& state) {
    const std::optional<std::uint64_t> free = released(state);
    return free && !state.segments.empty() && state.segments.front().sealed &&
           last_cseq(state.segments.front()) <= *free;
  };
  bool saved = false;
  while (done.ok() && shared_.read(expired)) {
    if (!saved) done = save_state();
    saved = true;
    if (done.ok()) done = remove_oldest();
  }
  if (done.ok() && !saved && (changed || shared_.read([](const State& s) { return s.closing; })))
    done = save_state();
  return done;
}

// Definitions that rows may still use and that only this segment holds are written anew first.
Status Flusher::remove_oldest() {
  Definitions kept;
  const Segment oldest = shared_.read([&](const State& state) {
    const Segment& front = state.segments.front();
    for (const auto& [id, content] : front.content.definitions) {
      const KnownDefinition& known = state.definitions.at(id);
      if (known.carriers == 1 && !known.retired) kept[id] = content;
    }
    return front;
  });
  if (!active_) {
    Status begun = begin_segment();
    if (!begun.ok()) return begun;
  }
  if (!kept.empty()) {
    Status done = put_definitions(kept);
    if (done.ok()) done = active_->sync();
    if (!done.ok()) return done;
  }
  Status removed = remove_file(oldest.path);
  if (removed.ok()) removed = sync_folder(options_.folder);
  if (!removed.ok()) return removed;
  shared_.with([&](State& state) {
    state.segments.pop_front();
    state.disk_bytes -= oldest.bytes;
    for (const auto& [id, content] : oldest.content.definitions)
      --state.definitions.at(id).carriers;
    // Rows in the tail that are not on disk yet may still need one.
    const bool written = std::all_of(state.tail.begin(), state.tail.end(),
                                     [](const auto& chunk) { return chunk->cut == chunk->ready; });
    if (written) {
      std::erase_if(state.definitions, [](const auto& known) {
        return known.second.retired && known.second.carriers == 0;
      });
    }
    press_slowest(state, options_.disk_bytes_max);
  });
  return Unit{};
}

Status Flusher::save_state() {
  const SavedState saved = shared_.read([](const State& state) {
    SavedState copy{state.durable, {}};
    for (const auto& [name, consumer] : state.consumers) copy.consumers[name] = consumer.done;
    return copy;
  });
  return write_state(options_, saved);
}

}  // namespace wherry::store
