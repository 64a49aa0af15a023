// What arrives at the scheduler: batches of the stream and chunks of the snapshot. Any thread puts,
// the scheduler takes.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dispatch/work.h"
#include "support/guarded.h"

namespace wherry::dispatch {

// A table without a key asks to be held: from its snapshot point on, the stream's changes of it
// wait until its rows are placed. granted: the point of the stream is fixed and nothing changed
// since the snapshot; refused: something did, read again.
struct HoldRequest {
  enum class Answer { none, granted, refused };
  PlanPtr plan;
  SnapshotPoint point;
  Guarded<Answer> answer{Answer::none};
};

// Asks for the last work on these tables that lanes have been given: what the asker changed before
// holds for all later work.
struct TurnRequest {
  std::vector<std::uint32_t> tables;
  Guarded<std::optional<LaneSeqs>> given{std::nullopt};
};

class Inbox {
 public:
  // False: closed.
  bool put(decode::BatchPtr batch) {
    return put_into([&](Items& items) { items.batches.push_back(std::move(batch)); });
  }
  bool put(std::shared_ptr<Chunk> chunk) {
    return put_into([&](Items& items) { items.chunks.push_back(std::move(chunk)); });
  }
  bool put(std::shared_ptr<HoldRequest> request) {
    return put_into([&](Items& items) { items.holds.push_back(std::move(request)); });
  }
  bool put(std::shared_ptr<TurnRequest> request) {
    return put_into([&](Items& items) { items.turns.push_back(std::move(request)); });
  }

  struct Taken {
    decode::BatchPtr batch;  // the next one, where wanted and there
    std::vector<std::shared_ptr<Chunk>> chunks;
    std::vector<std::shared_ptr<HoldRequest>> holds;
    std::vector<std::shared_ptr<TurnRequest>> turns;
    bool closed = false;
  };
  // Waits a while for anything. with_batch: false leaves batches where they are.
  Taken take(std::chrono::milliseconds wait, bool with_batch) {
    items_.wait_for(wait, [&](const Items& items) {
      return items.closed || (with_batch && !items.paused && !items.batches.empty()) ||
             !items.chunks.empty() || !items.holds.empty() || !items.turns.empty();
    });
    return items_.with([&](Items& items) {
      Taken taken;
      if (with_batch && !items.paused && !items.batches.empty()) {
        taken.batch = std::move(items.batches.front());
        items.batches.pop_front();
      }
      taken.chunks.swap(items.chunks);
      taken.holds.swap(items.holds);
      taken.turns.swap(items.turns);
      taken.closed = items.closed;
      return taken;
    });
  }

  // Commit time of the first group that waits here, in microseconds since the epoch; 0: none.
  std::uint64_t oldest_us() const {
    return items_.read([](const Items& items) -> std::uint64_t {
      for (const decode::BatchPtr& batch : items.batches) {
        if (!batch->groups.empty()) return batch->groups.front().commit_us;
      }
      return 0;
    });
  }

  // While paused, batches stay where they are.
  void pause(bool paused) {
    items_.with([&](Items& items) { items.paused = paused; });
  }

  void close() {
    items_.with([](Items& items) { items.closed = true; });
  }

 private:
  struct Items {
    std::deque<decode::BatchPtr> batches;
    std::vector<std::shared_ptr<Chunk>> chunks;
    std::vector<std::shared_ptr<HoldRequest>> holds;
    std::vector<std::shared_ptr<TurnRequest>> turns;
    bool paused = false;
    bool closed = false;
  };
  template <typename F>
  bool put_into(F&& add) {
    return items_.with([&](Items& items) {
      if (!items.closed) add(items);
      return !items.closed;
    });
  }
  Guarded<Items> items_;
};

}  // namespace wherry::dispatch
