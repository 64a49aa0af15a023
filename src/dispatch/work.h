// What the scheduler hands to the lanes: transactions of a batch, or a chunk of a snapshot, each
// with what it must wait for. Values that move from the scheduler's thread to a lane's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/resolve.h"
#include "model/position.h"
#include "support/byte_budget.h"
#include "support/hash.h"

namespace wherry::dispatch {

inline constexpr unsigned kLanesMax = 32;
// A number for each lane: of work given to it, or committed by it. Lane numbers count from 1.
using LaneSeqs = std::array<std::uint64_t, kLanesMax>;

// Which group this is, whoever counts: its GTID, or else where it ends in the log.
// "uuid:5", "0-1-33", "000004:1574".
std::string identity_of(const decode::Batch& batch, const decode::Group& group);

// A batch with its table maps resolved. Immutable once the scheduler has handed out its last group.
struct WorkBatch {
  decode::BatchPtr batch;
  std::vector<const ResolvedTable*> tables;  // by event: of its rows; null: none, or not followed
  std::vector<ResolvedPtr> held;
};

// Canonical texts of the columns of a row key.
using RowKey = std::vector<std::string>;

// A slice is a run of key ranges of one table that is copied from front to back.
struct SliceId {
  std::uint32_t table = 0;
  std::uint32_t number = 0;
};

// Where a snapshot was taken. Exact: all and only what is at or before `exact` shows. Else
// everything in the set `low` shows, nothing past `high` does, and between them it is unknown.
struct SnapshotPoint {
  bool exact = false;
  FilePosition high;     // the exact point, or the upper bound
  std::string low;       // MySQL's executed set before the snapshot opened
  bool settled = false;  // nothing that had been logged of the table was still to be seen
};

// Rows of a key range, read at one point, as lines ready to load.
struct Chunk {
  PlanPtr plan;
  SliceId slice;
  std::uint64_t generation = 0;
  std::uint64_t epoch = 0;  // of the table when the snapshot opened
  SnapshotPoint point;
  std::string lines;                     // canonical texts in LOAD DATA form, one row a line
  std::vector<std::size_t> starts;       // where each line begins
  std::vector<Hash128> identities;       // by row; empty for a table without a key
  std::vector<Hash128> wanted;           // of a slice of single keys: all of them, rows or not
  std::vector<std::uint64_t> conflicts;  // all rows'; meaningless where opaque
  bool opaque = false;
  bool whole = false;  // part of a table held at one point: nothing can have changed since
  // The last key read, as slices keep it: where the slice goes on. A key may be the empty text.
  std::optional<std::string> last_key;
  bool last = false;  // the slice is done with it
  std::uint64_t rows = 0;
  std::uint64_t filtered = 0;   // rows that were read and are not kept
  std::uint64_t placed_at = 0;  // Q: the group after which it takes its place
  // With redo: its number among the pieces of the snapshot, which is durable before the rows are
  // seen. 0: none.
  std::uint64_t piece = 0;
  // Out of redo: it stands at placed_at and nowhere else, and brings the record of its slice. Its
  // plan is the table's at that place.
  bool replayed = false;
  std::string record;
  bool completes = false;  // a table out of redo: with it every row has its place
  ByteBudget::Charge charge;
  ByteBudget::Charge large;  // of a chunk with a large row: one is in memory at a time

  std::size_t byte_size() const {
    return lines.size() + starts.size() * sizeof(std::size_t) +
           identities.size() * sizeof(Hash128) + conflicts.size() * 8;
  }
};

// One piece of work for one lane.
struct Work {
  std::shared_ptr<const WorkBatch> batch;  // with group: a transaction
  std::uint32_t group = 0;
  bool one_by_one = false;       // row by row, in a target transaction of its own
  std::shared_ptr<Chunk> chunk;  // else a chunk
  std::uint64_t seq = 0;         // in its lane
  std::uint64_t also_cseq =
      0;  // the XA COMMIT that lets a prepared transaction run; recorded with it
  std::uint64_t bytes = 0;
  std::vector<std::pair<unsigned, std::uint64_t>>
      needs;  // other lanes' work that must commit first

  const decode::Group& transaction() const { return batch->batch->groups[group]; }
  // Where in the stream its rows take effect: of an XA transaction where it was committed.
  std::uint64_t placed_cseq() const { return also_cseq != 0 ? also_cseq : transaction().cseq; }
};

}  // namespace wherry::dispatch
