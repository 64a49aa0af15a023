// Finds the place in an archive up to which a replay is to go: by halving over the files, then
// through one of them. One thread; reads the storage.
#pragma once

#include <functional>

#include "redo/archive.h"

namespace wherry::redo {

// The last transaction whose place is within; places ascend, so all before it are as well. The
// archive's begin where none is. The place has its GTID set.
using Within = std::function<Result<bool>(const store::Place&)>;
Result<store::Place> last_within(storage::Storage& storage, const Archive& archive,
                                 const Within& within, const storage::Limits& limits);

}  // namespace wherry::redo
