// Calls out to the operator's own means of stopping and releasing writes: a command for the shell,
// or a URL that is POSTed to. The caller's thread.
#pragma once

#include <chrono>
#include <string>

#include "support/result.h"

namespace wherry::control {

struct Hook {
  std::string option;  // for messages: "--cutover-lock"
  std::string command_or_url;
  std::string outcome;  // WHERRY_OUTCOME of a command, "outcome" of a POST's JSON body
};

// Success is exit code 0, or a 2xx answer, within the time.
Status call_hook(const Hook& hook, std::chrono::seconds timeout);

}  // namespace wherry::control
