// How names and texts stand in SQL statements of both servers. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace wherry {

// `name` with backticks doubled.
std::string quote_name(std::string_view name);
// 'text' with quotes, backslashes and control bytes escaped; for sessions without
// NO_BACKSLASH_ESCAPES.
std::string quote_text(std::string_view text);
void append_quoted(std::string& out, std::string_view text);

}  // namespace wherry
