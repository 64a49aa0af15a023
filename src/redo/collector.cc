#include "redo/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "store/record.h"

namespace wherry::redo {

using Step = store::RecordSource::Step;

Result<Collector> Collector::make(std::unique_ptr<store::RecordSource> records, ByteBudget& ledger,
                                  Dialect dialect, const store::Place& begin,
                                  const CollectorOptions& options) {
  Result<store::PlaceTracker> tracker = store::PlaceTracker::make(dialect, begin);
  if (!tracker.ok()) return tracker.error();
  return Collector(std::move(records), ledger, std::move(tracker).value(), {begin.cseq + 1, 0},
                   options);
}

Collector::Collector(std::unique_ptr<store::RecordSource> records, ByteBudget& ledger,
                     store::PlaceTracker tracker, const store::Point& first,
                     const CollectorOptions& options)
    : records_(std::move(records)),
      ledger_(&ledger),
      tracker_(std::move(tracker)),
      options_(options),
      at_(first) {}

Result<std::optional<Block>> Collector::next(std::chrono::milliseconds wait) {
  for (;;) {
    const auto pause = open_ ? std::chrono::milliseconds(0) : wait;
    const Turn next = turn(pause);
    if (next == Turn::nobody) return finish();
    if (next == Turn::piece) return open_ ? finish() : take_piece();
    if (!std::exchange(record_waits_, false)) {
      const Result<Step> step = records_->next(pause);
      if (!step.ok()) {
        open_.reset();
        return step.error();
      }
      step_ = step.value();
    }
    if (step_ == Step::nothing) return finish();
    const std::size_t bytes = step_ == Step::event ? store::size_of(records_->event())
                                                   : store::size_of(records_->commit());
    if (open_ && used_ + bytes > open_->bytes.size() - store::kBlockTail) {
      record_waits_ = true;
      return finish();
    }
    if (Status taken = take(step_); !taken.ok()) return taken.error();
    if (open_->seals) return finish();
  }
}

void Collector::interrupt() {
  records_->interrupt();
  if (options_.gate != nullptr) options_.gate->interrupt();
}

// Pieces stand between transactions.
Collector::Turn Collector::turn(std::chrono::milliseconds wait) {
  if (options_.gate == nullptr || at_.row != 0 || at_.cseq <= through_) return Turn::record;
  if (!piece_) {
    PlaceGate::Next next = options_.gate->next(
        at_.cseq, options_.fault_run_ahead ? std::chrono::milliseconds(0) : wait);
    piece_ = std::move(next.piece);
    through_ = std::max(through_, next.through);
  }
  if (piece_) return Turn::piece;
  return at_.cseq <= through_ || options_.fault_run_ahead ? Turn::record : Turn::nobody;
}

// The piece as a block of its own.
Result<std::optional<Block>> Collector::take_piece() {
  const PlacedPiece placed = std::move(*std::exchange(piece_, std::nullopt));
  const Result<std::byte*> at = room(size_of(placed.piece));
  if (!at.ok()) return at.error();
  encode(placed.piece, at.value());
  const bool complete = placed.piece.kind == PieceKind::complete;
  open_->header.kind = store::BlockKind::snapshot;
  open_->snapshot = SnapshotMark{placed.piece.number, complete};
  open_->seals = complete;
  return finish();
}

Status Collector::take(Step step) {
  if (step == Step::event) {
    const store::Event& event = records_->event();
    const Result<std::byte*> at = room(store::size_of(event));
    if (!at.ok()) return at.error();
    store::encode(event, at.value());
    at_.row += event.rows;
    if (event.table_version == 0 || open_->definitions.contains(event.table_version)) return Unit{};
    store::Definition content = records_->definition(event.table_version);
    if (content == nullptr) {
      return Error{Errc::malformed, fmt::format("transaction {} needs definition {}, which is gone",
                                                at_.cseq, event.table_version)};
    }
    open_->definitions.emplace(event.table_version, std::move(content));
    return Unit{};
  }
  const store::Commit& commit = records_->commit();
  if (commit.cseq != at_.cseq) {
    return Error{Errc::conflict, fmt::format("the stream goes on with transaction {} where {} is "
                                             "next",
                                             commit.cseq, at_.cseq)};
  }
  const Result<std::byte*> at = room(store::size_of(commit));
  if (!at.ok()) return at.error();
  store::encode(commit, at.value());
  tracker_.add(commit);
  at_ = {commit.cseq + 1, 0};
  open_->seals = options_.seals(commit);
  return Unit{};
}

// Memory in the open block, or in a new one that the ledger has room for.
Result<std::byte*> Collector::room(std::size_t bytes) {
  if (!open_) {
    const std::size_t body = std::max(options_.block_bytes, bytes);
    const std::size_t all = store::kBlockHead + body + store::kBlockTail;
    Block block;
    block.charge = ledger_->charge(all);
    if (!block.charge) return Error{Errc::interrupted, "the writer of redo ends"};
    block.bytes.resize(all);
    block.header.first = at_;
    block.header.continues = at_.row != 0;
    block.first_at = std::chrono::steady_clock::now();
    open_ = std::move(block);
    used_ = store::kBlockHead;
  }
  std::byte* const at = open_->bytes.data() + used_;
  used_ += bytes;
  return at;
}

std::optional<Block> Collector::finish() {
  if (!open_) return std::nullopt;
  std::optional<Block> block = std::exchange(open_, std::nullopt);
  block->ticket = ticket_++;
  block->bytes.resize(used_ + store::kBlockTail);
  block->charge.resize(block->bytes.size());
  block->header.open = at_.row != 0;
  block->header.last_cseq = at_.row != 0 ? at_.cseq : at_.cseq - 1;
  block->header.body_bytes = block->header.stored_bytes =
      static_cast<std::uint32_t>(used_ - store::kBlockHead);
  block->end = at_;
  block->after = tracker_.place();
  return block;
}

}  // namespace wherry::redo
