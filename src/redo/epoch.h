// How a writer takes over a feed's redo, and how all of it is removed. The caller holds the
// target's lease: its number of epochs fences the target, the claim fences the readers. One thread;
// waits for the storage.
#pragma once

#include <string>

#include "redo/archive.h"

namespace wherry::redo {

struct EpochRequest {
  std::string feed;
  std::uint64_t lease_epoch = 0;  // the target's: raised before this is asked for
  Dialect dialect = Dialect::mysql;
  std::string source;   // its lasting identity
  std::string mapping;  // see Claim
  store::Place target;  // everything through here is at the target
  // Whether a redo that begins now holds the snapshot too; one that goes on stays as it is.
  bool snapshot = false;
};

// Claims the next epoch: it goes on behind what is durable, or where the target stands if there is
// no redo yet. A removal that was begun is finished first. Errc::lost: the target is ahead of the
// redo; Errc::refused: it is another source's; Errc::conflict: another writer claims it now.
Result<Claim> begin_epoch(storage::Storage& storage, const EpochRequest& request,
                          const storage::Limits& limits);

// Who wrote what is to be removed: the source, and the writer's last epoch.
struct FeedOwner {
  std::string source;
  EpochId epoch;
};

// Removes the feed's objects, through the owner's epoch: what a writer that came later puts there
// stays. Whoever is interrupted leaves a mark, so that the next call, or the next epoch, goes on.
// Errc::refused: the redo of this name is another writer's by now, and stays.
Status remove_feed(storage::Storage& storage, const std::string& feed, const FeedOwner& owner,
                   const storage::Limits& limits);

}  // namespace wherry::redo
