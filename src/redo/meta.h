// A hint beside the files of a feed: how far its target was, when the writer last looked. Files
// carry that mark too, but an idle source makes no files. Nothing depends on it: one that is lost,
// damaged or of another epoch is as good as none. One thread a call.
#pragma once

#include <optional>
#include <string>

#include "redo/names.h"
#include "storage/storage.h"

namespace wherry::redo {

struct Meta {
  EpochId epoch;
  std::uint64_t checkpoint = 0;  // everything through it was at the target
  std::uint64_t resolved = 0;    // and through this one durable; never below the checkpoint
};

Status write_meta(storage::Storage& storage, const std::string& feed, const Meta& meta,
                  const storage::Limits& limits);
// Nothing: there is none that can be read.
std::optional<Meta> read_meta(storage::Storage& storage, const std::string& feed,
                              const storage::Limits& limits);

}  // namespace wherry::redo
