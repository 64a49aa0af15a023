// Pieces of a snapshot out of redo, on their way into a replay: each becomes a chunk that stands at
// its place. One thread: the intake's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "dispatch/work.h"
#include "redo/piece.h"
#include "support/result.h"

namespace wherry::control {

class ReplayPieces {
 public:
  // at_target: the number of the last piece of each slice that is there. wanted: false where the
  // target has the whole snapshot.
  ReplayPieces(std::map<std::string, std::uint64_t> at_target, bool wanted)
      : at_target_(std::move(at_target)), wanted_(wanted) {}

  // A piece behind transaction cseq. Errc::unsupported: redo cannot be rebuilt from here on.
  Status take(std::uint64_t cseq, const redo::Piece& piece);
  // The chunk of the piece that was taken last; null: it made none.
  std::shared_ptr<dispatch::Chunk> next() { return std::exchange(chunk_, nullptr); }

 private:
  const std::map<std::string, std::uint64_t> at_target_;
  const bool wanted_;
  std::shared_ptr<dispatch::Chunk> chunk_;
};

}  // namespace wherry::control
