// The status of a copy as JSON and as Prometheus text: one spelling for the API, the report,
// SIGUSR1 and --progress json. Pure.
#pragma once

#include <string>

#include "control/json.h"
#include "control/status.h"

namespace wherry::control {

// Without the tables and differences: what changes every second.
Json progress_json(const CopyStatus& status);
// All of it.
Json status_json(const CopyStatus& status);

Json to_json(const TableStatus& table);
Json to_json(const Difference& difference);

// Prometheus, prefix wherry_.
std::string metrics_text(const CopyStatus& status);

}  // namespace wherry::control
