// What the program writes: results to stdout, words for people to stderr. Any thread. Neither
// throws when the reader has gone.
#pragma once

#include <string_view>

namespace wherry::cli {

// False: not all of it could be written; said on stderr unless the reader just stopped reading.
bool give(std::string_view result);
void say(std::string_view words);

}  // namespace wherry::cli
