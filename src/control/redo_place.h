// Places in a redo as people write them: a GTID set, file:offset, or a time. One thread; reads the
// storage.
#pragma once

#include <string>

#include "redo/archive.h"

namespace wherry::control {

// The last transaction at or before what the text names. Errc::usage: it is none of these, or lies
// outside of what the redo holds.
Result<store::Place> find_redo_place(storage::Storage& storage, const redo::Archive& archive,
                                     const std::string& text, const storage::Limits& limits);

// Microseconds since 1970 of "2026-11-30T08:15:00Z", with or without fractions.
Result<std::uint64_t> parse_time_us(std::string_view text);

}  // namespace wherry::control
