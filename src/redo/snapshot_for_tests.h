// Pieces of a snapshot whose every byte follows from their numbers, and blocks of them. For tests
// only.
#pragma once

#include <string>
#include <vector>

#include "redo/file_builder.h"
#include "redo/redo_for_tests.h"
#include "store/bytes_out.h"

namespace wherry::redo {

// A piece with its own bytes: rows of some length, and the record that goes with them.
class TestPiece {
 public:
  explicit TestPiece(std::uint64_t number, PieceKind kind = PieceKind::chunk) {
    piece_.kind = kind;
    piece_.number = number;
    piece_.table = kind == PieceKind::complete ? 0 : 3;
    if (kind == PieceKind::chunk || kind == PieceKind::table) name_ = "3.0";
    if (kind == PieceKind::chunk || kind == PieceKind::table) record_ = R"({"reached":"31"})";
    if (kind == PieceKind::table) text_ = "CREATE TABLE t (id INT PRIMARY KEY)";
    for (std::uint64_t row = 0; kind == PieceKind::chunk && row < number % 4; ++row) {
      starts_.uint(text_.size(), 4);
      text_ += fmt::format("{}\trow {} of {}\n", row, row, number);
    }
  }
  Piece get() const {
    Piece piece = piece_;
    piece.name = name_;
    piece.record = record_;
    piece.starts = starts_.bytes();
    piece.text = text_;
    return piece;
  }
  std::string bytes() const {
    std::string bytes(size_of(get()), '\0');
    encode(get(), reinterpret_cast<std::byte*>(bytes.data()));
    return bytes;
  }

 private:
  Piece piece_;
  std::string name_;
  std::string record_;
  store::BytesOut starts_;
  std::string text_;
};

// A framed block that holds these bytes as a piece, behind transaction `cseq`.
inline Block piece_block(const std::string& body, std::uint64_t cseq, const SnapshotMark& mark) {
  Block block;
  block.header.kind = store::BlockKind::snapshot;
  block.header.first = block.end = {cseq + 1, 0};
  block.header.last_cseq = cseq;
  block.header.body_bytes = block.header.stored_bytes = static_cast<std::uint32_t>(body.size());
  block.after = place_at(cseq);
  block.snapshot = mark;
  block.bytes.resize(store::framed_bytes(block.header));
  std::memcpy(block.bytes.data() + store::kBlockHead, body.data(), body.size());
  store::frame(block.header, block.bytes);
  return block;
}

inline std::vector<std::byte> bytes_of(const SealedFile& file) {
  std::vector<std::byte> all;
  for (const Bytes part : file.parts()) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline Claim snapshot_claim(std::uint64_t after = 0) {
  Claim claim = first_claim("shop", after);
  claim.snapshot = SnapshotMark{};
  return claim;
}

}  // namespace wherry::redo
