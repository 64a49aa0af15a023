#include "control/snapshot_writer.h"

#include <string>
#include <utility>
#include <vector>

#include "store/bytes_out.h"

namespace wherry::control {
namespace {

constexpr std::uint64_t kOpenEnd = UINT64_MAX;

// A piece's bytes: the rows are the chunk's own.
struct Kept {
  std::shared_ptr<const dispatch::Chunk> chunk;
  std::string name;
  std::string record;
  std::vector<std::byte> starts;
};

std::vector<std::byte> starts_of(const dispatch::Chunk& chunk) {
  std::vector<std::byte> bytes(4 * chunk.starts.size());
  std::byte* at = bytes.data();
  for (const std::size_t start : chunk.starts) at = store::put_le(at, start, 4);
  return bytes;
}

}  // namespace

SnapshotWriter::SnapshotWriter(const SnapshotRedo& redo, const copy::SliceQueue& slices)
    : redo_(redo),
      slices_(slices),
      writes_(!redo.before.complete),
      last_(redo.before.complete ? 0 : kOpenEnd) {}

Status SnapshotWriter::placed(const std::shared_ptr<dispatch::Chunk>& chunk) {
  if (!writes_) return Unit{};
  const std::uint32_t table = chunk->slice.table;
  auto kept = std::make_shared<Kept>();
  copy::Slice slice = slices_.after_commit(*chunk);
  slice.completes = chunk->last && slices_.all_placed(table);
  kept->record = copy::to_json(slice);
  kept->name = copy::record_name(chunk->slice);
  kept->starts = starts_of(*chunk);
  kept->chunk = chunk;
  redo::PlacedPiece placed;
  placed.cseq = chunk->placed_at;
  placed.piece.table = table;
  placed.piece.name = kept->name;
  placed.piece.record = kept->record;
  placed.piece.starts = kept->starts;
  placed.piece.text = chunk->lines;
  placed.owner = std::move(kept);
  const Result<std::uint64_t> number = redo_.gate->put(std::move(placed));
  if (!number.ok()) return number.error().within("redo");
  chunk->piece = number.value();
  return Unit{};
}

Result<std::uint64_t> SnapshotWriter::put(redo::PieceKind kind, std::uint64_t cseq,
                                          std::uint32_t table) {
  redo::PlacedPiece placed;
  placed.cseq = cseq;
  placed.piece.kind = kind;
  placed.piece.table = table;
  Result<std::uint64_t> number = redo_.gate->put(std::move(placed));
  writes_ = false;
  if (number.ok()) last_ = number.value();
  return number;
}

Status SnapshotWriter::stands(std::uint64_t cseq) {
  if (!writes_ || cseq < redo_.begin || !slices_.all_committed()) return Unit{};
  const Result<std::uint64_t> number = put(redo::PieceKind::complete, cseq, 0);
  return number.ok() ? Status(Unit{}) : Status(number.error().within("redo"));
}

Status SnapshotWriter::give_up(std::uint32_t table) {
  if (!writes_) return Unit{};
  const Result<std::uint64_t> number = put(redo::PieceKind::anew, redo_.gate->mark(), table);
  redo_.gate->raise(redo::PlaceGate::kOpen);
  return number.ok() ? Status(Unit{}) : Status(number.error().within("redo"));
}

bool SnapshotWriter::settled(std::uint64_t durable) const { return durable >= last_; }

}  // namespace wherry::control
