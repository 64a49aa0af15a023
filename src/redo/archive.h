// What a storage holds of one feed: which files count, through which place they reach, and what is
// missing. Built from the names and the ends of files alone: it needs no meta object. One look, one
// thread; borrows the storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redo/file_walk.h"
#include "storage/storage.h"

namespace wherry::redo {

struct ArchiveFile {
  EpochId epoch;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::string name;
};

class Archive {
 public:
  // lost: there is no redo of this feed, or a file that was durable is gone; malformed, truncated:
  // a claim or a footer is damaged; refused: it is foreign.
  static Result<Archive> open(storage::Storage& storage, const std::string& feed,
                              const storage::Limits& limits);

  const Claim& claim() const { return claims_.back(); }  // the newest
  // Those that count, in the order of the stream, without a gap.
  const std::vector<ArchiveFile>& files() const { return files_; }
  // Transactions through here are not in the files that are left. Where the first file begins
  // inside one, the number counts it and the rest of the place does not.
  const store::Place& begin() const { return begin_; }
  // Everything through here is durable.
  const store::Place& resolved() const { return resolved_; }
  // How much of the snapshot is in it; nothing: it holds changes only.
  const std::optional<SnapshotMark>& snapshot() const { return snapshot_; }
  // Through here the target had it, as far as is known.
  std::uint64_t checkpoint() const { return checkpoint_; }
  // What the next file's header must name as the chain before it.
  const Hash128& chain() const { return chain_; }
  // What the files of an epoch are good for: transactions behind it are in the next epoch.
  std::uint64_t complete_through(const EpochId& epoch) const;
  // What older writers put after a newer epoch had begun: it counts for nothing, ever.
  const std::vector<std::string>& strays() const { return strays_; }
  // Files of the newest epoch behind its first gap: they count once that is filled.
  const std::vector<std::string>& pending() const { return pending_; }
  // Older than the first file that is left.
  std::vector<std::string> old_claims() const;
  std::uint64_t bytes() const;

 private:
  friend class ArchiveScan;
  std::vector<Claim> claims_;  // ascending, each the next one's previous
  std::vector<ArchiveFile> files_;
  std::vector<std::string> strays_;
  std::vector<std::string> pending_;
  store::Place begin_;
  store::Place resolved_;
  std::optional<SnapshotMark> snapshot_;
  std::uint64_t checkpoint_ = 0;
  Hash128 chain_;
};

// The feeds that have redo in the storage.
Result<std::vector<std::string>> list_feeds(storage::Storage& storage,
                                            const storage::Limits& limits);
// The footer of one file.
Result<FileFooter> read_footer(storage::Storage& storage, const ArchiveFile& file,
                               const storage::Limits& limits);
Result<FileHeader> read_header(storage::Storage& storage, const ArchiveFile& file,
                               const storage::Limits& limits);

}  // namespace wherry::redo
