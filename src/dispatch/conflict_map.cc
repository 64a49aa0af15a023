#include "dispatch/conflict_map.h"

#include <algorithm>

namespace wherry::dispatch {

void ConflictMap::collect(const std::vector<std::uint64_t>& values, const LaneSeqs& committed,
                          LaneSeqs& needs) const {
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t value : values) {
    for (std::size_t at = start_of(value);; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.work == 0) break;
      if (slot.value != value) continue;
      const unsigned lane = slot.lane();
      if (slot.seq() > committed[lane]) needs[lane] = std::max(needs[lane], slot.seq());
      break;
    }
  }
}

void ConflictMap::note(const std::vector<std::uint64_t>& values, unsigned lane, std::uint64_t seq,
                       const LaneSeqs& committed) {
  if ((used_ + values.size()) * 2 > slots_.size()) make_room(values.size(), committed);
  for (const std::uint64_t value : values) {
    Slot& slot = slot_of(value);
    if (slot.work == 0) ++used_;
    slot = {value, seq * kLanesMax + lane};
  }
}

ConflictMap::Slot& ConflictMap::slot_of(std::uint64_t value) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = start_of(value);
  while (slots_[at].work != 0 && slots_[at].value != value) at = (at + 1) & mask;
  return slots_[at];
}

// At most a quarter is in use then, so that the next time is far. The memory is used again: it is
// large, and new pages cost more than the work on them.
void ConflictMap::make_room(std::size_t more, const LaneSeqs& committed) {
  live_.clear();
  for (const Slot& slot : slots_) {
    if (slot.work != 0 && slot.seq() > committed[slot.lane()]) live_.push_back(slot);
  }
  used_ = live_.size();
  std::size_t size = slots_.size();
  for (; (used_ + more) * 4 > size; size *= 2) --shift_;
  slots_.assign(size, Slot{});
  for (const Slot& slot : live_) slot_of(slot.value) = slot;
}

void ConflictMap::collect_table(std::uint32_t table, bool opaque, const LaneSeqs& committed,
                                LaneSeqs& needs) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  const LaneSeqs& seqs = opaque ? found->second.touched : found->second.opaque;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (seqs[lane] > committed[lane]) needs[lane] = std::max(needs[lane], seqs[lane]);
  }
}

void ConflictMap::note_table(std::uint32_t table, bool opaque, unsigned lane, std::uint64_t seq) {
  TableUse& use = tables_[table];
  use.touched[lane] = seq;
  if (opaque) use.opaque[lane] = seq;
}

}  // namespace wherry::dispatch
