// A cell of a row event as a JSON value that loses nothing. docs/format/file-sink.md has the forms.
// Pure.
#pragma once

#include <string>

#include "decode/rows.h"

namespace wherry::sink {

// Whether a text is a number of which every JSON reader keeps each digit: at most 15 of them.
bool is_safe_number(std::string_view text);

// The cell is present. scratch: a buffer that is reused from call to call.
Status append_value(const decode::TableMap& map, std::size_t column, const decode::Cell& cell,
                    std::string& scratch, std::string& out);

}  // namespace wherry::sink
