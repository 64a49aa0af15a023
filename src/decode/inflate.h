// Unpacks what MariaDB packs with zlib: compressed events and compressed columns. Pure; any thread.
// Format: one byte {1, algorithm, size of the length}, the length big endian, a zlib stream.
#pragma once

#include <string>

#include "support/cursor.h"
#include "support/result.h"

namespace wherry::decode {

enum class Wrapping { zlib, none };

// Appends exactly `size` bytes. Nothing is allocated for a size that `packed` could not hold.
Status inflate_exactly(Bytes packed, std::size_t size, Wrapping wrapping, std::string& out);

// A compressed event's part with its own header.
Status unpack_event_part(Bytes packed, std::string& out);

}  // namespace wherry::decode
