// The command `wherry check`: opens what the options name (source, target or both) and looks, as a
// copy would before its first write. Reads only; the caller's thread.
#pragma once

#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "support/result.h"

namespace wherry::control {

// An error means that a server could not be reached or asked, never that a rule forbids the copy.
Result<std::vector<Finding>> check_servers(const CopyOptions& options);

}  // namespace wherry::control
