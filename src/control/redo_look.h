// What a redo storage holds, told as JSON and text, and its files read whole and checked. Nothing
// is changed. One thread; reads the storage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "redo/archive.h"

namespace wherry::control {

// Opened for reading: calls that fail are made again for a while.
Result<std::unique_ptr<storage::Storage>> open_redo_storage(const std::string& uri);

// The feed that is meant: the only one there, or that of this name. Errc::usage.
Result<std::string> choose_feed(storage::Storage& storage, const std::string& name,
                                const storage::Limits& limits);

// What `redo meta` prints: where the redo begins and ends, checkpoint, epoch, files.
Result<std::string> redo_meta(const std::string& uri, const std::string& feed, bool json);

struct RedoFinding {
  std::string kind;  // "missing", "truncated", "corrupt", "foreign", "unreadable"
  std::string what;  // with file, byte and transactions
};
struct RedoVerdict {
  std::string feed;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t transactions = 0;
  std::vector<RedoFinding> findings;  // empty: all is right
};
// Reads every file that counts. Errors are those of the storage itself. The feed may be at work:
// what it removes meanwhile is not missing.
Result<RedoVerdict> verify_redo(const std::string& uri, const std::string& feed);
Result<RedoVerdict> verify_redo(storage::Storage& storage, const std::string& feed);
std::string verdict_json(const RedoVerdict& verdict);
std::string verdict_text(const RedoVerdict& verdict);

}  // namespace wherry::control
