// What is scheduled, what may commit, what has committed, and how far everything has: the
// contiguous low-water mark that a resume begins from. Any thread; one lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "decode/batch.h"
#include "dispatch/work.h"
#include "model/position.h"
#include "support/guarded.h"

namespace wherry::dispatch {

// Everything at or before it is at the target. One immutable value.
struct LowWater {
  std::uint64_t cseq = 0;
  Position position;
  std::uint64_t commit_us = 0;
  std::string gtid;  // of the last group itself, to check the count against the stream on resume
};

class Board {
 public:
  static constexpr std::uint64_t kNoFence = UINT64_MAX;
  // What redo has: transactions through here, and pieces of a snapshot through this number.
  struct Fence {
    std::uint64_t cseq = 0;
    std::uint64_t pieces = 0;
  };

  Board(unsigned lanes, Dialect dialect, const LowWater& start, std::uint64_t fence = kNoFence);

  // The scheduler saw the next group (in cseq order). done: it needs no work at the target.
  void scheduled(const decode::Batch& batch, const decode::Group& group, bool done);
  // The stream stands at a place past the last group, with nothing in between.
  void seen(const FilePosition& at);
  // A chunk of redo has its place here: the low-water mark does not pass it before it committed.
  void chunk_placed(std::uint64_t cseq);
  // A lane committed work through seq, and with it these groups, or the chunk of this place.
  void committed(unsigned lane, std::uint64_t seq, const std::vector<std::uint64_t>& cseqs,
                 std::optional<std::uint64_t> chunk = std::nullopt);

  // The fence: nothing past it may become visible at the target, and the low-water mark does not
  // pass it. It never goes back.
  void raise_fence(const Fence& fence);
  std::uint64_t fence() const;
  // Sleeps until the fence has reached it. False: closed.
  bool wait_for_fence(const Fence& wanted);

  LowWater low() const;
  LaneSeqs committed_seqs() const;
  std::uint64_t scheduled_cseq() const;
  struct InFlight {
    std::size_t groups = 0;
    std::uint64_t oldest_us = 0;  // commit time of the first of them; 0: there is none
  };
  InFlight in_flight() const;

  // Sleeps until each lane has committed its seq. False: closed.
  bool wait_idle(const LaneSeqs& given);
  // Sleeps until fewer than groups_max groups are in flight. False: closed.
  bool wait_window(std::size_t groups_max);
  // Something failed or everything ends: wakes all.
  void close();
  bool closed() const;

 private:
  struct Entry {
    std::uint64_t cseq = 0;
    std::uint64_t commit_us = 0;
    std::uint64_t offset = 0;
    decode::GtidRef gtid;
    std::uint32_t file = 0;
    std::uint32_t source = 0;
    bool done = false;
  };
  struct State {
    std::deque<Entry> window;  // from low + 1 on
    std::uint64_t low_cseq = 0;
    std::uint64_t low_commit_us = 0;
    std::uint64_t scheduled = 0;
    Fence fence{kNoFence, 0};
    std::multiset<std::uint64_t> chunks;  // places of those that have not committed
    FilePosition low_file;
    std::string low_gtid;
    MysqlGtidSet mysql_set;
    MariadbGtidPosition mariadb_position;
    std::vector<std::string> files;
    std::vector<std::string> sources;
    LaneSeqs lanes{};
    bool closed = false;
  };
  void advance(State& state);

  const unsigned lanes_;
  const Dialect dialect_;
  Guarded<State> state_;
};

}  // namespace wherry::dispatch
