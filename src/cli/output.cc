#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace wherry::cli {

bool give(std::string_view result) {
  const bool whole = std::fwrite(result.data(), 1, result.size(), stdout) == result.size();
  if (whole && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;  // who stops reading has seen enough
  say(std::string("wherry: cannot write the result: ") + std::strerror(errno) + "\n");
  return false;
}

void say(std::string_view words) {
  std::fwrite(words.data(), 1, words.size(), stderr);
  std::fflush(stderr);
}

}  // namespace wherry::cli
