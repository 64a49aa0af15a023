// The report of a copy: a JSON document and a short text for people, both from the last status.
// docs/report.md explains every key. Pure, but for the two that take a path.
#pragma once

#include <string>

#include "control/options.h"
#include "control/status.h"
#include "support/result.h"

namespace wherry::control {

// Ends with a line end.
std::string report_json(const CopyStatus& status, const CopyOptions& options);
std::string report_text(const CopyStatus& status, const CopyOptions& options);

// Whether the report can be written later; asked before the copy starts. Errc::usage.
Status check_report_path(const std::string& path);

// Whoever reads the path sees the old file or the whole new one. Errc::io names the path.
Status write_report(const std::string& path, const std::string& text);

}  // namespace wherry::control
