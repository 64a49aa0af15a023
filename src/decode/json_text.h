// Scalars of JSON as the server prints them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "support/cursor.h"
#include "support/result.h"

namespace wherry::decode {

void append_json_string(std::string_view text, std::string& out);

// A whole number keeps its point, so that reading the text back gives a double again.
Status append_json_double(double value, std::string& out);

// What JSON has no notion of: decimals, dates, times, and anything else as "base64:typeNNN:...".
Status append_json_opaque(unsigned field_type, Bytes value, std::string& out);

}  // namespace wherry::decode
