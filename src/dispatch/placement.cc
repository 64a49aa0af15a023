#include "dispatch/placement.h"

#include <algorithm>

namespace wherry::dispatch {

void Placement::take(Inbox::Taken& taken) {
  for (auto& chunk : taken.chunks) waiting_.push_back(std::move(chunk));
  for (auto& request : taken.holds) requests_.push_back(std::move(request));
  taken.chunks.clear();
  taken.holds.clear();
}

Status Placement::run(const FilePosition& seen, std::uint64_t cseq, std::uint64_t generation) {
  std::vector<std::shared_ptr<Chunk>> later;
  // What stands in redo before that is not to be placed again there.
  const bool early = calls_.snapshot != nullptr && cseq < calls_.snapshot->begin();
  for (const std::shared_ptr<Chunk>& chunk : std::exchange(waiting_, {})) {
    if (chunk->replayed) {
      if (cseq < chunk->placed_at) {
        later.push_back(chunk);
      } else if (Status placed = place_replayed(chunk); !placed.ok()) {
        return placed;
      }
    } else if (chunk->generation != generation) {
      // P and Q are places in one server's binlog.
      refuse(*chunk, "the source changed");
    } else if (chunk->epoch != chunk->plan->state->epoch.load(std::memory_order_acquire)) {
      refuse(*chunk, "the table changed under the snapshot");
    } else if (early || (!chunk->whole && compare(seen, chunk->point.high) < 0)) {
      later.push_back(chunk);
    } else if (Status placed = place(chunk, cseq); !placed.ok()) {
      return placed;
    }
  }
  for (auto& chunk : later) waiting_.push_back(std::move(chunk));
  std::erase_if(requests_, [&](const std::shared_ptr<HoldRequest>& request) {
    if (early || compare(seen, request->point.high) < 0) return false;
    answer(*request);
    return true;
  });
  forget_complete();
  return Unit{};
}

// The ring keeps nothing of tables that are copied whole.
void Placement::forget_complete() {
  std::erase_if(ending_, [&](const PlanPtr& plan) {
    if (plan->state->open()) return false;
    ring_.forget(plan->id);
    return true;
  });
}

Status Placement::place(const std::shared_ptr<Chunk>& chunk, std::uint64_t cseq) {
  if (!chunk->whole) {
    Result<IdentitySet> changed = ring_.changed_since(chunk->point, chunk->plan->id);
    if (!changed.ok()) {
      if (changed.error().code != Errc::lost) return changed.error();
      refuse(*chunk, changed.error().what);
      return Unit{};
    }
    if (!changed.value().empty() && !fault_keep_changed_) {
      if (Status again = read_partial_again(*chunk); !again.ok()) return again;
      drop_changed(*chunk, changed.value());
    }
  }
  return send(chunk, cseq);
}

// It was placed when the redo was written, without the rows that had changed.
Status Placement::place_replayed(const std::shared_ptr<Chunk>& chunk) {
  chunk->plan = calls_.find(chunk->slice.table);
  if (chunk->plan == nullptr) return Unit{};  // a statement before it dropped the table
  // Its last chunk stands here: from here on the source's changes find their rows.
  if (chunk->completes) chunk->plan->state->strict_after.store(chunk->placed_at);
  return send(chunk, chunk->placed_at);
}

Status Placement::send(const std::shared_ptr<Chunk>& chunk, std::uint64_t cseq) {
  Touched touched;
  touched.tables.insert(chunk->plan->space);
  if (chunk->opaque || chunk->plan->one_by_one()) {
    touched.opaque_tables.insert(chunk->plan->space);
  } else {
    touched.conflicts.values = std::move(chunk->conflicts);
  }
  Work work;
  work.chunk = chunk;
  work.bytes = chunk->byte_size();
  // Chunks of a slice commit in their order: they share a lane.
  const unsigned lane = (chunk->slice.table * 7 + chunk->slice.number) % router_.lanes();
  chunk->placed_at = cseq;
  ++counters_.placed;
  if (!chunk->replayed) calls_.placed(*chunk);
  if (calls_.snapshot != nullptr) {
    if (Status noted = calls_.snapshot->placed(chunk); !noted.ok()) return noted;
  }
  if (chunk->last) ending_.push_back(chunk->plan);
  if (chunk->whole && chunk->last) held_.erase(chunk->plan->id);
  chunk->plan->state->placed_through.store(cseq, std::memory_order_release);
  router_.send(std::move(work), touched, lane);
  return Unit{};
}

// Rows that are dropped though the stream did not carry them whole.
Status Placement::read_partial_again(const Chunk& chunk) {
  Result<ChangeRing::PartialKeys> partial = ring_.partial_since(chunk.point, chunk.plan->id);
  if (!partial.ok()) return partial.error();
  std::vector<RowKey> keys;
  const auto take = [&](const std::vector<Hash128>& identities) {
    for (const Hash128& identity : identities) {
      const auto found = partial.value().find(identity);
      if (found == partial.value().end()) continue;
      keys.push_back(std::move(found->second));
      partial.value().erase(found);
    }
  };
  take(chunk.identities);
  take(chunk.wanted);
  return keys.empty() ? Status(Unit{}) : calls_.reread(*chunk.plan, std::move(keys));
}

void Placement::drop_changed(Chunk& chunk, const IdentitySet& changed) {
  std::string kept;
  std::vector<std::size_t> starts;
  for (std::size_t row = 0; row < chunk.starts.size(); ++row) {
    if (changed.contains(chunk.identities[row])) continue;
    const std::size_t begin = chunk.starts[row];
    const std::size_t end =
        row + 1 < chunk.starts.size() ? chunk.starts[row + 1] : chunk.lines.size();
    starts.push_back(kept.size());
    kept.append(chunk.lines, begin, end - begin);
  }
  counters_.rows_dropped += chunk.starts.size() - starts.size();
  chunk.lines = std::move(kept);
  chunk.starts = std::move(starts);
}

void Placement::refuse(const Chunk& chunk, const std::string& why) {
  ++counters_.refused;
  if (chunk.whole) held_.erase(chunk.plan->id);
  calls_.refused(chunk, why);
}

void Placement::answer(HoldRequest& request) {
  Result<bool> touched = ring_.touched_since(request.point, request.plan->id);
  const bool granted = touched.ok() && !touched.value();
  if (granted) held_.insert(request.plan->id);
  request.answer.with([&](HoldRequest::Answer& answer) {
    answer = granted ? HoldRequest::Answer::granted : HoldRequest::Answer::refused;
  });
}

}  // namespace wherry::dispatch
