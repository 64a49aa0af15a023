// Records in the order of the stream, framed as a block, on their way into a file. A value that
// moves through the writer's stages.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "redo/piece.h"
#include "store/block.h"
#include "store/segment.h"
#include "support/byte_budget.h"

namespace wherry::redo {

using Instant = std::chrono::steady_clock::time_point;

struct Block {
  std::uint64_t ticket = 0;
  store::BlockHeader header;
  std::vector<std::byte> bytes;    // head, body, tail; the encoder fills in what is not the body
  store::Point end;                // behind its last record
  store::Place after;              // the newest commit up to there
  store::Definitions definitions;  // that its records need
  Instant first_at{};              // when its first record came
  std::optional<SnapshotMark> snapshot;  // behind it, where it is a piece of one
  bool seals = false;                    // the file that it is in ends behind it
  ByteBudget::Charge charge;             // of the writer's ledger, until its file is durable
};

inline std::size_t byte_size(const Block& block) { return block.bytes.size(); }

}  // namespace wherry::redo
