// Pieces of a snapshot: what a copy brings into the stream beside the transactions, each in a block
// of its own that stands at the piece's place. docs/format/redo.md has the grammar. Nothing here
// knows what the texts mean. Values that borrow their bytes; no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "support/cursor.h"

namespace wherry::redo {

enum class PieceKind : std::uint8_t {
  table = 1,     // a table as it is made: name, its record, the statement that makes it
  chunk = 2,     // rows of a table, with the record that goes with them
  anew = 3,      // the copy leaves out rows of the table from here on: no target is made of it
  complete = 4,  // every row of the snapshot has its place before this
};

struct Piece {
  PieceKind kind = PieceKind::chunk;
  std::uint32_t table = 0;
  std::uint64_t number = 0;  // of the pieces of a redo, from 1, +1 each
  std::string_view name;     // of the record
  std::string_view record;
  Bytes starts;  // u32 each: where a row begins in the text
  std::string_view text;

  std::size_t rows() const { return starts.size() / 4; }
  std::size_t start(std::size_t row) const { return load_le(starts.data() + 4 * row, 4); }
};

inline constexpr std::size_t kPieceHead = 32;
inline std::size_t size_of(const Piece& piece) {
  return kPieceHead + piece.name.size() + piece.record.size() + piece.starts.size() +
         piece.text.size();
}
// at: room for size_of(piece).
void encode(const Piece& piece, std::byte* at);
// Nothing: the bytes are no piece.
std::optional<Piece> decode_piece(Bytes body);

// How much of a snapshot stands before a place of a redo.
struct SnapshotMark {
  std::uint64_t pieces = 0;  // the number of the last one; 0: none
  bool complete = false;
  bool operator==(const SnapshotMark&) const = default;
};

}  // namespace wherry::redo
