// From a URI to the storage that it names. docs/storage.md has the URIs. Does no I/O: whether the
// place can be reached is seen by the first call.
#pragma once

#include <memory>
#include <string_view>

#include "storage/storage.h"
#include "support/clock.h"

namespace wherry::storage {

// Errc::usage: an unknown scheme or option, with the nearest right one; the message holds no
// secret. The clock outlives the storage.
Result<std::unique_ptr<Storage>> open_storage(std::string_view uri, Clock& clock = machine_clock());

}  // namespace wherry::storage
