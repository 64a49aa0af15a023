// The parts of redo files that are not blocks: header, footer and chain of a file, and the claim of
// an epoch. docs/format/redo.md has the grammar. Blocks are the log's (store/block.h). Values and
// pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "redo/names.h"
#include "redo/piece.h"
#include "store/entry.h"
#include "support/hash.h"

namespace wherry::redo {

struct FileHeader {
  std::string feed;
  EpochId epoch;
  std::uint64_t number = 0;  // in its epoch, from 1
  Dialect dialect = Dialect::mysql;
  store::Point first;   // of its first record
  store::Place before;  // where the stream stood behind all earlier files
  Hash128 previous;     // the chain behind the file before
};

struct FileFooter {
  store::Point end;              // behind its last record
  store::Place after;            // the newest commit up to there
  std::uint64_t durable = 0;     // through this transaction all was durable when it was sealed
  std::uint64_t checkpoint = 0;  // through this one all was at the target then
  std::optional<SnapshotMark> snapshot;  // up to the file's end; none: the redo holds changes only
  Hash128 chain;                         // of everything in the file, and of the file before
};

// Who writes from here on, and what of the epochs before still counts.
struct Claim {
  std::string feed;
  EpochId epoch;
  Dialect dialect = Dialect::mysql;
  std::string source;   // its lasting identity
  store::Place begin;   // the epoch's first record follows it
  std::string mapping;  // JSON: which tables the target has, under which names
  struct Previous {
    EpochId epoch;
    std::uint64_t number = 0;  // the last of its files that counts; 0: none
    Hash128 chain;             // behind it
    bool operator==(const Previous&) const = default;
  };
  std::optional<Previous> previous;
  std::optional<SnapshotMark> snapshot;  // up to its begin; none: the redo holds changes only
};

std::string encode(const FileHeader& header);
// size: of the header in the file, to be set. name: of the file, for messages.
Result<FileHeader> decode_header(Bytes file, const std::string& name, std::size_t& size);

// The footer with what stands behind it to find it; its chain is to be known already.
std::string encode(const FileFooter& footer, std::uint64_t offset);
// file: at least the end of it, `size` bytes long as a whole. offset: of the footer in the whole
// file, to be set. truncated: the file does not end in a footer.
Result<FileFooter> decode_footer(Bytes tail, std::uint64_t size, const std::string& name,
                                 std::uint64_t& offset);
// How much of the end of a file surely holds its footer, unless its GTID set is a large one.
inline constexpr std::size_t kFooterGuess = 64 << 10;

std::string encode(const Claim& claim);
Result<Claim> decode_claim(Bytes object, const std::string& name);

// Takes what the chain is made of, in the order of the file: the header, the frame of each block
// (which holds the checksum of its body), and the footer's fields.
class Chain {
 public:
  explicit Chain(const Hash128& previous);
  void add(Bytes bytes) { input_ += as_text(bytes); }
  void add_frame(Bytes block);
  Hash128 behind(const FileFooter& footer) const;

 private:
  std::string input_;
};

}  // namespace wherry::redo
