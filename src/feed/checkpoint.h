// How far everything is durable, kept up to date step by step: what is on its way is a floor at the
// first transaction that it belongs to, and the checkpoint is what lies before all floors. Idle
// tables have none and cost nothing. A value; whoever owns it guards it.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

namespace wherry::feed {

class Checkpoint {
 public:
  // Everything through `done` is durable.
  explicit Checkpoint(std::uint64_t done) : road_(done) {}

  // owner: who it belongs to, for those who ask who holds the checkpoint.
  void add(std::uint64_t cseq, std::uint64_t owner) { floors_.insert({cseq, owner}); }
  void remove(std::uint64_t cseq, std::uint64_t owner) {
    const auto found = floors_.find({cseq, owner});
    if (found != floors_.end()) floors_.erase(found);
  }
  // All that stands in the log through cseq was handed over, or has a floor.
  void road(std::uint64_t cseq) { road_ = cseq; }

  std::uint64_t value() const {
    if (floors_.empty() || floors_.begin()->first > road_) return road_;
    return floors_.begin()->first - 1;
  }
  // 0: nobody, the road itself is there.
  std::uint64_t holder() const {
    if (floors_.empty() || floors_.begin()->first > road_) return 0;
    return floors_.begin()->second;
  }
  bool idle() const { return floors_.empty(); }

 private:
  std::uint64_t road_;
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> floors_;
};

}  // namespace wherry::feed
