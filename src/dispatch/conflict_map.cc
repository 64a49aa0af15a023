#include "dispatch/conflict_map.h"

#include <algorithm>

namespace wherry::dispatch {

void ConflictMap::collect(const std::vector<std::uint64_t>& values, const LaneSeqs& committed,
                          LaneSeqs& needs) const {
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t value : values) {
    for (std::size_t at = start_of(value);; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.seq == 0) break;
      if (slot.value != value) continue;
      if (slot.seq > committed[slot.lane]) needs[slot.lane] = std::max(needs[slot.lane], slot.seq);
      break;
    }
  }
}

void ConflictMap::note(const std::vector<std::uint64_t>& values, unsigned lane, std::uint64_t seq,
                       const LaneSeqs& committed) {
  if ((used_ + values.size()) * 2 > slots_.size()) {
    grow(committed);
    while ((used_ + values.size()) * 2 > slots_.size()) {
      const std::vector<Slot> old = std::move(slots_);
      slots_.assign(old.size() * 2, Slot{});
      --shift_;
      const std::size_t wide = slots_.size() - 1;
      for (const Slot& slot : old) {
        if (slot.seq == 0) continue;
        std::size_t at = start_of(slot.value);
        while (slots_[at].seq != 0) at = (at + 1) & wide;
        slots_[at] = slot;
      }
    }
  }
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t value : values) {
    std::size_t at = start_of(value);
    while (slots_[at].seq != 0 && slots_[at].value != value) at = (at + 1) & mask;
    if (slots_[at].seq == 0) ++used_;
    slots_[at] = {value, seq, lane};
  }
}

// Drops what has committed; the size stays.
void ConflictMap::grow(const LaneSeqs& committed) {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.size(), Slot{});
  used_ = 0;
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.seq == 0 || slot.seq <= committed[slot.lane]) continue;
    std::size_t at = start_of(slot.value);
    while (slots_[at].seq != 0) at = (at + 1) & mask;
    slots_[at] = slot;
    ++used_;
  }
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
