#include <malloc.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/commands.h"

int main(int count, char** words) {
  // Each arena keeps what its threads freed; many of them would not fit beside --memory.
  mallopt(M_ARENA_MAX, 2);
  // A reader that goes away (a pipe, a browser, a server) is an error of that write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(words + 1, words + count);
  return wherry::cli::run_program(arguments);
}
