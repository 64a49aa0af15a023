// Goes through one redo file that is in memory and checks all of it: that it is the file it should
// be, every checksum, that records follow each other without a gap, and the chain. The reader of
// every redo file. One thread; the bytes outlive it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "redo/format.h"
#include "store/block.h"
#include "store/segment.h"

namespace wherry::redo {

// What a file must be. Errc::refused: it is somebody else's ("foreign").
struct Expected {
  std::string feed;
  EpochId epoch;
  std::uint64_t number = 0;
  std::optional<Hash128> previous;    // the chain before it, where the file before was read
  std::optional<store::Point> first;  // where it must begin
};

class FileWalk {
 public:
  // truncated, malformed, unsupported, refused: with the file's name, byte and cseqs.
  static Result<FileWalk> open(Bytes file, const std::string& name, const Expected& expected);

  // The next block of records, or piece of a snapshot, as its kind says; nothing: the file is
  // through, and all of it was right. The body lives until the next call.
  Result<std::optional<store::BlockView>> next();

  const FileHeader& header() const { return header_; }
  const FileFooter& footer() const { return footer_; }
  // Of the block that next() returned, where it is of that kind.
  const Piece& piece() const { return piece_; }
  const store::Definitions& definitions() const { return definitions_; }  // met so far

 private:
  FileWalk(Bytes file, std::string name, FileHeader header, FileFooter footer);
  Result<store::Point> end_of(const store::BlockView& view) const;
  Status take_piece(const store::BlockView& view);
  Status check_end() const;

  Bytes file_;
  std::string name_;
  FileHeader header_;
  FileFooter footer_;
  Chain chain_;
  std::uint64_t offset_ = 0;  // of the next block
  std::uint64_t limit_ = 0;   // of the blocks
  store::Point at_;           // where the next block must begin
  Piece piece_;
  std::optional<SnapshotMark> snapshot_;  // of the pieces in the file so far
  std::vector<std::byte> unpacked_;
  store::Definitions definitions_;
};

}  // namespace wherry::redo
