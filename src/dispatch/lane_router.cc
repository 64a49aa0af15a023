#include "dispatch/lane_router.h"

#include <algorithm>

namespace wherry::dispatch {
namespace {

constexpr unsigned kInRow = 512;   // independent pieces that one lane gets before the next one's
                                   // turn: neighbours merge into one target transaction
constexpr unsigned kRefresh = 64;  // how stale the view of what has committed may be

}  // namespace

unsigned LaneRouter::choose(const LaneSeqs& needs) {
  unsigned wanted = kAnyLane;
  for (unsigned lane = 0; lane < lanes_.size(); ++lane) {
    if (needs[lane] != 0 && (wanted == kAnyLane || needs[lane] > needs[wanted])) wanted = lane;
  }
  if (wanted != kAnyLane) return wanted;
  if (++in_row_ >= kInRow) {
    in_row_ = 0;
    lane_ = static_cast<unsigned>(std::min_element(lanes_.begin(), lanes_.end(),
                                                   [](const auto& a, const auto& b) {
                                                     return a->waiting_bytes() < b->waiting_bytes();
                                                   }) -
                                  lanes_.begin());
  }
  return lane_;
}

LaneSeqs LaneRouter::touched(const std::vector<std::uint32_t>& tables) const {
  LaneSeqs last{};
  // As for work that conflicts with all of a table, whatever has committed.
  for (const std::uint32_t table : tables) conflicts_.collect_table(table, true, {}, last);
  return last;
}

void LaneRouter::send(Work work, const Touched& touched, unsigned lane) {
  if (refresh_in_-- == 0) {
    committed_ = board_.committed_seqs();
    refresh_in_ = kRefresh;
  }
  LaneSeqs needs{};
  conflicts_.collect(touched.conflicts.values, committed_, needs);
  for (const std::uint32_t table : touched.tables) {
    conflicts_.collect_table(table, touched.opaque_tables.contains(table), committed_, needs);
  }
  if (lane == kAnyLane) lane = choose(needs);
  work.seq = ++given_[lane];
  for (unsigned other = 0; other < lanes_.size(); ++other) {
    if (other != lane && needs[other] != 0) work.needs.emplace_back(other, needs[other]);
  }
  conflicts_.note(touched.conflicts.values, lane, work.seq, committed_);
  for (const std::uint32_t table : touched.tables) {
    conflicts_.note_table(table, touched.opaque_tables.contains(table), lane, work.seq);
  }
  if (work.chunk != nullptr && work.chunk->piece != 0) board_.chunk_placed(work.chunk->placed_at);
  lanes_[lane]->push(std::move(work));
}

}  // namespace wherry::dispatch
