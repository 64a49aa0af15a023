// Removes what no target needs any more: files wholly below the checkpoint that stands in a durable
// file, and what dead writers left. Keeps nothing in memory but the names of one look. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redo/archive.h"

namespace wherry::redo {

class Cleaner {
 public:
  // The storage outlives it.
  Cleaner(storage::Storage& storage, std::string feed)
      : storage_(storage), feed_(std::move(feed)) {}

  // How many objects it removed. Errors harm nothing: what is left is looked at the next time.
  Result<std::size_t> run(const storage::Limits& limits);

 private:
  storage::Storage& storage_;
  const std::string feed_;
};

}  // namespace wherry::redo
