// Takes records out of the stream and cuts them into blocks, each ready to be framed: the bytes of
// a row are copied here once. Pieces of a snapshot come in between, at their place. Waits for the
// gate of those, and for the ledger before it takes memory. One thread, but for interrupt().
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "redo/block.h"
#include "redo/place_gate.h"
#include "store/place_tracker.h"
#include "store/record_source.h"

namespace wherry::redo {

struct CollectorOptions {
  std::size_t block_bytes = 128 << 10;  // a block is full at this size
  // Whether the file is to end behind this transaction, so that it is durable soon.
  std::function<bool(const store::Commit&)> seals = [](const store::Commit&) { return false; };
  PlaceGate* gate = nullptr;     // none: the stream holds transactions only
  bool fault_run_ahead = false;  // for tests only: does not wait for the gate
};

class Collector {
 public:
  // records: what follows `begin`. The ledger outlives every block.
  static Result<Collector> make(std::unique_ptr<store::RecordSource> records, ByteBudget& ledger,
                                Dialect dialect, const store::Place& begin,
                                const CollectorOptions& options);

  // A block, full or not: what there is goes at once. Nothing: no record came in this time.
  // Errors: those of RecordSource::next(); interrupted: the ledger was closed.
  Result<std::optional<Block>> next(std::chrono::milliseconds wait);
  void interrupt();
  // After the last next(): lets go of a piece that it did not come to.
  void end() { piece_.reset(); }
  std::uint64_t tickets() const { return ticket_; }  // given out so far

 private:
  Collector(std::unique_ptr<store::RecordSource> records, ByteBudget& ledger,
            store::PlaceTracker tracker, const store::Point& first,
            const CollectorOptions& options);

  enum class Turn { record, piece, nobody };
  Turn turn(std::chrono::milliseconds wait);
  Result<std::optional<Block>> take_piece();
  Status take(store::RecordSource::Step step);
  Result<std::byte*> room(std::size_t bytes);
  std::optional<Block> finish();

  std::unique_ptr<store::RecordSource> records_;
  ByteBudget* ledger_;
  store::PlaceTracker tracker_;
  CollectorOptions options_;
  std::uint64_t ticket_ = 0;
  store::Point at_;                   // behind the last record taken
  std::uint64_t through_ = 0;         // the gate need not be asked about these transactions
  std::optional<PlacedPiece> piece_;  // is next
  std::optional<Block> open_;         // under construction
  std::size_t used_ = 0;              // of its bytes
  bool record_waits_ = false;  // the source stands on a record that belongs to the next block
  store::RecordSource::Step step_ = store::RecordSource::Step::nothing;
};

}  // namespace wherry::redo
