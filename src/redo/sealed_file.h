// A redo file that is complete and not in the storage yet. Its blocks hold their bytes and their
// charges until it is let go of, so whoever sends it keeps it until the sending has ended.
// Immutable once sealed; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "redo/block.h"
#include "redo/format.h"

namespace wherry::redo {

struct SealedFile {
  std::string name;
  std::uint64_t number = 0;
  std::string header;
  std::vector<Block> blocks;
  std::string footer;
  std::size_t bytes = 0;
  store::Place after;
  SnapshotMark snapshot;  // up to its end
  Instant first_at{};
  Instant sealed_at{};

  std::vector<Bytes> parts() const {
    std::vector<Bytes> parts{as_bytes(header)};
    for (const Block& block : blocks) parts.emplace_back(block.bytes);
    parts.push_back(as_bytes(footer));
    return parts;
  }
};

using SealedFilePtr = std::shared_ptr<const SealedFile>;

}  // namespace wherry::redo
