// The report of a copy: a JSON document and a short text for people, both from the last status.
// docs/report.md explains every key. Pure, but for write_report.
#pragma once

#include <string>

#include "control/options.h"
#include "control/status.h"
#include "support/result.h"

namespace wherry::control {

// Ends with a line end.
std::string report_json(const CopyStatus& status, const CopyOptions& options);
std::string report_text(const CopyStatus& status, const CopyOptions& options);

// Whoever reads the path sees the old file or the whole new one. Errc::io names the path.
Status write_report(const std::string& path, const std::string& text);

}  // namespace wherry::control
