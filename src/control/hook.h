// Calls out to the operator's own means of stopping and releasing writes: a command for the shell,
// or a URL that is POSTed to. The caller's thread.
#pragma once

#include <chrono>
#include <string>

#include "support/result.h"

namespace wherry::control {

// what: for messages, "--cutover-lock". Success is exit code 0, or a 2xx answer, within the time.
Status call_hook(const std::string& what, const std::string& command_or_url,
                 std::chrono::seconds timeout);

}  // namespace wherry::control
