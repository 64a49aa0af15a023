// Where pieces of a snapshot come into the stream of transactions that the collector writes. The
// scheduler gives pieces their place and says before what nothing more can be placed; the collector
// takes no transaction before that, and so meets each piece at its place. Neither waits for the
// other's I/O, and the scheduler for nothing at all. Two threads, and any for mark() and
// interrupt(); it outlives the writer.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "redo/piece.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::redo {

// A piece behind this transaction. Its bytes are the owner's, and do not change any more.
struct PlacedPiece {
  std::uint64_t cseq = 0;
  Piece piece;
  std::shared_ptr<const void> owner;
};

class PlaceGate {
 public:
  static constexpr std::uint64_t kOpen = UINT64_MAX;

  // The redo goes on behind `begin`, with so much of the snapshot before it.
  PlaceGate(std::uint64_t begin, const SnapshotMark& before);

  // The scheduler's. Nothing more is placed before `cseq`; a smaller one than before does nothing.
  void raise(std::uint64_t cseq);
  // All pieces to come have this place or a later one. kOpen: none will come.
  std::uint64_t mark() const;
  // Gives the piece its number, and raises the mark to its place: places ascend. After a piece
  // `complete` the gate is open. Errc::conflict: the place is before the mark.
  Result<std::uint64_t> put(PlacedPiece piece);

  // The collector's, between two transactions.
  struct Next {
    std::optional<PlacedPiece> piece;  // stands here
    std::uint64_t through = 0;         // else: transactions through here may be taken unasked
  };
  // What comes before transaction `cseq`. Waits a while for a piece, or to be let through.
  Next next(std::uint64_t cseq, std::chrono::milliseconds wait);
  // Nobody takes pieces any more: next() does not wait, and no owner is kept.
  void interrupt();

 private:
  struct State {
    std::deque<PlacedPiece> waiting;  // places ascend
    std::uint64_t mark = 0;
    std::uint64_t pieces = 0;  // numbers given out
    bool interrupted = false;
  };
  static std::uint64_t through(const State& state);
  Guarded<State> state_;
};

}  // namespace wherry::redo
