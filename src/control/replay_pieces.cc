#include "control/replay_pieces.h"

#include <fmt/format.h>

#include <utility>

#include "copy/slice.h"

namespace wherry::control {

Status ReplayPieces::take(std::uint64_t cseq, const redo::Piece& piece) {
  if (!wanted_) return Unit{};
  if (piece.kind == redo::PieceKind::anew) {
    return Error{Errc::unsupported,
                 fmt::format("piece {} of the snapshot, behind transaction {}: a table was copied "
                             "anew in a way that redo does not hold",
                             piece.number, cseq)};
  }
  if (piece.kind != redo::PieceKind::chunk) return Unit{};
  const auto there = at_target_.find(std::string(piece.name));
  if (there != at_target_.end() && piece.number <= there->second) return Unit{};
  const auto id = copy::parse_record_name(piece.name);
  if (!id) {
    return Error{Errc::malformed, fmt::format("piece {} of the snapshot is of a slice {}",
                                              piece.number, piece.name)};
  }
  Result<copy::Slice> slice = copy::slice_from_json(*id, piece.record);
  if (!slice.ok()) return slice.error();
  slice.value().piece = piece.number;
  auto chunk = std::make_shared<dispatch::Chunk>();
  chunk->replayed = true;
  chunk->opaque = true;
  chunk->slice = *id;
  chunk->piece = piece.number;
  chunk->placed_at = cseq;
  chunk->last = slice.value().done;
  chunk->completes = slice.value().completes;
  chunk->lines = piece.text;
  for (std::size_t row = 0; row < piece.rows(); ++row) chunk->starts.push_back(piece.start(row));
  chunk->rows = piece.rows();
  chunk->record = copy::to_json(slice.value());
  chunk_ = std::move(chunk);
  return Unit{};
}

}  // namespace wherry::control
