// Everything the log does to its files after it was opened: blocks, syncs, new segments,
// transactions taken back, segments removed. One thread runs it; nobody else writes, so the
// producer never waits for a disk while there is room in the tail.
#pragma once

#include "store/recovery.h"
#include "store/segment_writer.h"
#include "store/state.h"

namespace wherry::store {

class Flusher {
 public:
  // active: null where the next block begins a new segment. All must outlive it.
  Flusher(Shared& shared, const Options& options, PlaceTracker tracker,
          std::optional<SegmentWriter> active);

  // Until the log closes, or the disk fails: then the state holds the error.
  void run();

 private:
  struct Piece {  // of a chunk, to become a block
    std::shared_ptr<Chunk> chunk;
    std::size_t from = 0;
    std::size_t to = 0;
    Point first;
  };
  struct Work {
    std::vector<Piece> pieces;
    std::optional<std::uint64_t> abort;
    bool sync = false;
    bool closing = false;
  };

  Work collect(State& state) const;
  Status perform(const Work& work);
  Status write(const Piece& piece);
  Status define(const BodySummary& summary);
  Status put_definitions(const Definitions& definitions);
  Status begin_segment();
  Status seal_segment();
  Status sync();
  Status take_back(std::uint64_t cseq);
  Status retain();
  Status remove_oldest();
  Status save_state();

  Shared& shared_;
  const Options& options_;
  PlaceTracker tracker_;
  std::optional<SegmentWriter> active_;
  Point end_;                  // behind the last record on disk
  std::uint64_t next_number_;  // of the next segment
};

}  // namespace wherry::store
