// The exit codes of the program. Pure.
#pragma once

#include "control/status.h"
#include "support/result.h"

namespace wherry::control {

enum class ExitCode { done = 0, failed = 1, usage = 2, differs = 3, interrupted = 4 };

// What an error alone means.
ExitCode exit_code(const Error& error);
// What a run that ended means: differences count even where the run itself went well.
ExitCode exit_code(const Status& outcome, const CopyStatus& status);

}  // namespace wherry::control
