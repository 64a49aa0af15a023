// The part of a table map that a server writes only when asked to (binlog_row_metadata), apart from
// signs and character sets, which come always. Pure; any thread.
// Format: fields of {type, length, value}; unknown types are skipped by their length.
#pragma once

#include "decode/rows.h"

namespace wherry::decode {

// The map already has its columns.
Status read_optional_metadata(Bytes fields, Dialect dialect, TableMap& map);

}  // namespace wherry::decode
