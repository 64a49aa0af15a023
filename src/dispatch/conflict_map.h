// Which lane last touched a value that others may clash with. Entries whose work is committed are
// dead and are dropped when the map grows. One thread: the scheduler's.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dispatch/work.h"

namespace wherry::dispatch {

class ConflictMap {
 public:
  explicit ConflictMap(unsigned lanes) : lanes_(lanes) { slots_.resize(kSlotsMin); }

  // Adds to needs what work on these values must wait for. committed: per lane, what has committed.
  void collect(const std::vector<std::uint64_t>& values, const LaneSeqs& committed,
               LaneSeqs& needs) const;
  // Notes that this work touches the values.
  void note(const std::vector<std::uint64_t>& values, unsigned lane, std::uint64_t seq,
            const LaneSeqs& committed);

  // The same for a table as a whole.
  void collect_table(std::uint32_t table, bool opaque, const LaneSeqs& committed,
                     LaneSeqs& needs) const;
  void note_table(std::uint32_t table, bool opaque, unsigned lane, std::uint64_t seq);

  std::size_t byte_size() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::uint64_t work = 0;  // number and lane; 0: free

    std::uint64_t seq() const { return work / kLanesMax; }
    unsigned lane() const { return work % kLanesMax; }
  };
  struct TableUse {
    LaneSeqs touched{};  // last work of each lane on the table
    LaneSeqs opaque{};   // last work of each lane that conflicts with the whole table
  };
  static constexpr std::size_t kSlotsMin = 1 << 14;

  std::size_t start_of(std::uint64_t value) const {
    return (value * 0x9E3779B97F4A7C15ULL) >> shift_;
  }
  // The slot of the value, or the free one where it belongs.
  Slot& slot_of(std::uint64_t value);
  // Drops what has committed, and grows where that does not leave room for so many more.
  void make_room(std::size_t more, const LaneSeqs& committed);

  unsigned lanes_;
  std::vector<Slot> slots_;  // open addressing, linear probing
  std::vector<Slot> live_;   // of make_room(), kept for its memory
  unsigned shift_ = 64 - 14;
  std::size_t used_ = 0;
  std::unordered_map<std::uint32_t, TableUse> tables_;
};

}  // namespace wherry::dispatch
