// Builds redo files out of blocks: header, definitions before the blocks that need them, chain and
// footer. Copies no block. One thread, the assembler's.
#pragma once

#include <memory>

#include "redo/sealed_file.h"

namespace wherry::redo {

class FileBuilder {
 public:
  // The first file follows the claim's begin and its predecessor's chain.
  explicit FileBuilder(const Claim& claim);

  void add(Block block);
  std::size_t bytes() const { return bytes_; }  // of the open file, 0: there is none
  Instant first_at() const { return first_at_; }
  bool seals() const { return seals_; }

  // Ends the open file. durable, checkpoint: for its footer.
  SealedFilePtr seal(std::uint64_t durable, std::uint64_t checkpoint);

 private:
  void begin(const Block& first);
  void add_definitions(const store::Definitions& definitions, const store::BlockHeader& before);

  const Claim claim_;
  std::uint64_t number_ = 0;              // of the open file, or of the last one
  Hash128 chain_behind_;                  // the last sealed file
  store::Place after_;                    // the newest commit so far
  store::Point end_;                      // behind the last record so far
  std::optional<SnapshotMark> snapshot_;  // so far
  std::unique_ptr<SealedFile> file_;
  std::unique_ptr<Chain> chain_;
  store::Definitions definitions_;  // that the open file holds
  std::size_t bytes_ = 0;
  Instant first_at_{};
  bool seals_ = false;
};

}  // namespace wherry::redo
