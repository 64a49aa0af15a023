// Lists the objects below a folder in the order of their names, without reading folders that hold
// none of those asked for. One thread a walk.
#pragma once

#include <string>
#include <vector>

#include "storage/storage.h"

namespace wherry::storage {

struct WalkRange {
  std::string prefix;
  std::string after;
  std::size_t count = 0;
};

// A folder that is missing holds nothing. What is no object by its name is left out.
Result<std::vector<Entry>> walk_folder(const std::string& folder, const WalkRange& range,
                                       const Limits& limits);

// What the last call to the system said, as an error of a storage. refused: no right to do it.
Error disk_error(std::string_view what, const std::string& path);

}  // namespace wherry::storage
