#include "redo/piece.h"

#include <algorithm>

#include "store/bytes_out.h"

namespace wherry::redo {
namespace {

using store::put_le;

constexpr auto kFirst = static_cast<std::uint64_t>(PieceKind::table);
constexpr auto kLast = static_cast<std::uint64_t>(PieceKind::complete);

// Rows follow each other, begin with the text and none is empty.
bool rows_fit(const Piece& piece) {
  if (piece.kind != PieceKind::chunk) return piece.starts.empty();
  if (piece.rows() == 0) return piece.text.empty();
  if (piece.start(0) != 0 || piece.start(piece.rows() - 1) >= piece.text.size()) return false;
  for (std::size_t row = 1; row < piece.rows(); ++row) {
    if (piece.start(row) <= piece.start(row - 1)) return false;
  }
  return true;
}

}  // namespace

void encode(const Piece& piece, std::byte* at) {
  at = put_le(at, static_cast<std::uint64_t>(piece.kind), 4);
  at = put_le(at, piece.table, 4);
  at = put_le(at, piece.number, 8);
  at = put_le(at, piece.name.size(), 4);
  at = put_le(at, piece.record.size(), 4);
  at = put_le(at, piece.rows(), 4);
  at = put_le(at, piece.text.size(), 4);
  at = std::ranges::copy(as_bytes(piece.name), at).out;
  at = std::ranges::copy(as_bytes(piece.record), at).out;
  at = std::ranges::copy(piece.starts, at).out;
  std::ranges::copy(as_bytes(piece.text), at);
}

std::optional<Piece> decode_piece(Bytes body) {
  wherry::Cursor in(body);
  Piece piece;
  const std::uint64_t kind = in.uint_le(4);
  piece.table = static_cast<std::uint32_t>(in.uint_le(4));
  piece.number = in.uint_le(8);
  const std::size_t name = in.uint_le(4);
  const std::size_t record = in.uint_le(4);
  const std::size_t rows = in.uint_le(4);
  const std::size_t text = in.uint_le(4);
  piece.name = in.text(name);
  piece.record = in.text(record);
  piece.starts = in.bytes(4 * rows);
  piece.text = in.text(text);
  if (in.failed() || in.size() != 0 || kind < kFirst || kind > kLast) return std::nullopt;
  piece.kind = static_cast<PieceKind>(kind);
  if (!rows_fit(piece)) return std::nullopt;
  return piece;
}

}  // namespace wherry::redo
