// The places behind the transactions between the checkpoint and the road, so that the checkpoint is
// told in the source's own terms at no cost. What does not fit in memory is looked up in the log.
// One thread adds, another begins and advances.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "decode/batch.h"
#include "store/log.h"
#include "store/place_tracker.h"
#include "support/guarded.h"

namespace wherry::feed {

class PlaceTrail {
 public:
  // The log must outlive it. steps_max: how many places are kept in memory.
  PlaceTrail(store::Log& log, Dialect dialect, std::size_t steps_max = 1 << 18)
      : log_(log), dialect_(dialect), steps_max_(steps_max) {}

  // The trail begins behind cseq.
  Result<store::Place> begin(std::uint64_t cseq);
  // The groups of a batch that close in it; batches come in the order of the log.
  void add(const decode::Batch& batch);
  // The place behind cseq, which never goes back and was added or begun with.
  Result<store::Place> advance(std::uint64_t cseq);

 private:
  struct Step {
    std::uint64_t cseq = 0;
    std::uint64_t end_offset = 0;
    std::uint64_t commit_us = 0;
    std::uint64_t generation = 0;
    decode::GtidRef gtid;    // its source is an index into names
    std::uint32_t file = 0;  // an index into names
  };
  struct Trail {
    std::deque<Step> steps;
    std::vector<std::string> names;
    std::uint64_t gap_through = 0;  // steps up to there did not fit
  };
  static std::uint32_t index_of(std::vector<std::string>& names, const std::string& name);

  store::Log& log_;
  const Dialect dialect_;
  const std::size_t steps_max_;
  Guarded<Trail> trail_;
  std::optional<store::PlaceTracker> tracker_;  // of the thread that advances
};

}  // namespace wherry::feed
