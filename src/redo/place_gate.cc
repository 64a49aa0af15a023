#include "redo/place_gate.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace wherry::redo {

PlaceGate::PlaceGate(std::uint64_t begin, const SnapshotMark& before) {
  state_.with([&](State& state) {
    state.mark = before.complete ? kOpen : begin;
    state.pieces = before.pieces;
  });
}

void PlaceGate::raise(std::uint64_t cseq) {
  state_.with([&](State& state) { state.mark = std::max(state.mark, cseq); });
}

std::uint64_t PlaceGate::mark() const {
  return state_.read([](const State& state) { return state.mark; });
}

Result<std::uint64_t> PlaceGate::put(PlacedPiece piece) {
  return state_.with([&](State& state) -> Result<std::uint64_t> {
    if (piece.cseq < state.mark) {
      return Error{Errc::conflict,
                   fmt::format("a piece of the snapshot is placed behind transaction {}, and redo "
                               "was let through {}",
                               piece.cseq, state.mark)};
    }
    const bool complete = piece.piece.kind == PieceKind::complete;
    state.mark = complete ? kOpen : piece.cseq;
    piece.piece.number = ++state.pieces;
    if (!state.interrupted) state.waiting.push_back(std::move(piece));
    return state.pieces;
  });
}

// A transaction is behind the pieces of all places before it.
std::uint64_t PlaceGate::through(const State& state) {
  return state.waiting.empty() ? state.mark : std::min(state.mark, state.waiting.front().cseq);
}

PlaceGate::Next PlaceGate::next(std::uint64_t cseq, std::chrono::milliseconds wait) {
  (void)state_.wait_for(wait, [&](const State& state) {
    const bool piece = !state.waiting.empty() && state.waiting.front().cseq < cseq;
    return piece || through(state) >= cseq || state.interrupted;
  });
  return state_.with([&](State& state) {
    Next next;
    if (!state.waiting.empty() && state.waiting.front().cseq < cseq) {
      next.piece = std::move(state.waiting.front());
      state.waiting.pop_front();
    } else {
      next.through = through(state);
    }
    return next;
  });
}

void PlaceGate::interrupt() {
  state_.with([](State& state) {
    state.interrupted = true;
    state.waiting.clear();
  });
}

}  // namespace wherry::redo
