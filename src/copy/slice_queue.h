// The slices of a run and what each is doing. At any time one chunk of a slice is read or on its
// way into the stream; the next is read once it has its place there, so a chunk that has to be read
// again never leaves a gap behind it. Any thread.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "copy/slice.h"
#include "support/guarded.h"

namespace wherry::copy {

class SliceQueue {
 public:
  // Tables are copied in the order in which their slices are added. Done slices only count.
  void add(std::vector<Slice> slices);

  // Tables that wait until others are copied whole: children of foreign keys whose actions the
  // source does not log, since an action at the target needs the parent there. By table id; no
  // circles.
  void set_order(std::map<std::uint32_t, std::set<std::uint32_t>> parents);

  // The next slice to read a chunk of; waits a while. Empty: none is ready now.
  std::optional<Slice> take(std::chrono::milliseconds wait);
  // The chunk that was read has its place: the slice goes on behind last_key.
  void placed(const dispatch::Chunk& chunk);
  // The chunk is worthless, or reading failed: the slice is ready again where it was.
  void again(dispatch::SliceId id);
  // The chunk is committed at the target. True: with it the whole table is.
  bool committed(const dispatch::Chunk& chunk);

  // The table begins anew with one slice; chunks of its old ones find no place any more.
  Slice restart_table(std::uint32_t table, bool whole);

  // Rows under these keys are read once more. Empty: every chunk of the table has its place, so
  // they are at the target or on their way.
  std::vector<Slice> read_again(std::uint32_t table, std::vector<Key> keys);

  // The table is gone.
  void drop_table(std::uint32_t table);

  // The slice as it is once the chunk has committed: what is recorded with it.
  Slice after_commit(const dispatch::Chunk& chunk) const;

  // Every chunk of the table has its place.
  bool all_placed(std::uint32_t table) const;
  bool all_committed() const;
  bool table_committed(std::uint32_t table) const;

 private:
  enum class Stage { ready, reading, read_out, committed };
  struct Entry {
    Slice slice;  // reached: through the last chunk that has its place
    Stage stage = Stage::ready;
    std::uint64_t rows = 0;  // committed
    std::uint64_t bytes = 0;
  };
  struct State {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Entry> slices;
    std::deque<std::pair<std::uint32_t, std::uint32_t>>
        order;                                  // ready ones, first to read in front
    std::map<std::uint32_t, std::size_t> open;  // slices not committed, by table
    std::size_t open_slices = 0;                // of all tables
    std::map<std::uint32_t, std::set<std::uint32_t>> parents;
    bool whole_busy = false;  // one table without a key is read at a time
  };
  static bool available(const State& state, const std::pair<std::uint32_t, std::uint32_t>& key);
  static bool ready(const State& state);

  Guarded<State> state_;
};

}  // namespace wherry::copy
