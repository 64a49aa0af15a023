// Gives work to lanes so that pieces which touch a common value run in the order they were given:
// in one lane where they meet only there, else with a wish to wait for the others. One thread: the
// scheduler's.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "dispatch/board.h"
#include "dispatch/conflict_map.h"
#include "dispatch/keys.h"
#include "dispatch/lane_queue.h"

namespace wherry::dispatch {

using LaneQueues = std::vector<std::unique_ptr<LaneQueue>>;

// What a piece of work touches.
struct Touched {
  Conflicts conflicts;
  std::set<std::uint32_t> tables;         // by TablePlan::space, as all here
  std::set<std::uint32_t> opaque_tables;  // it conflicts with everything of these
  bool one_by_one = false;
  bool followed = false;  // touches any followed table at all
  std::uint64_t rows = 0;
  std::uint64_t filtered = 0;  // changes that are left out
  // Keys to which rows came that the stream did not carry whole: they may be missing at the target.
  std::vector<std::pair<PlanPtr, RowKey>> moved;
};

class LaneRouter {
 public:
  LaneRouter(LaneQueues& lanes, Board& board)
      : lanes_(lanes), board_(board), conflicts_(static_cast<unsigned>(lanes.size())) {}

  // lane: a fixed one, or kAnyLane.
  void send(Work work, const Touched& touched, unsigned lane);
  // Waits until everything given out has committed. False: the run ends.
  bool drain() { return board_.wait_idle(given_); }
  // The last work on any of the tables, by lane.
  LaneSeqs touched(const std::vector<std::uint32_t>& tables) const;

  unsigned lanes() const { return static_cast<unsigned>(lanes_.size()); }

  static constexpr unsigned kAnyLane = ~0U;

 private:
  unsigned choose(const LaneSeqs& needs);

  LaneQueues& lanes_;
  Board& board_;
  ConflictMap conflicts_;
  LaneSeqs given_{};
  LaneSeqs committed_{};
  unsigned refresh_in_ = 0;  // pieces until what has committed is looked up again
  unsigned lane_ = 0;
  unsigned in_row_ = 0;
};

}  // namespace wherry::dispatch
