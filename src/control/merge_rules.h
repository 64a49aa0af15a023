// What tables that go into one table of the target must have in common. Pure.
#pragma once

#include <map>
#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "model/schema.h"

namespace wherry::control {

// Refusals of tables that --rename sends into one and that cannot be merged.
std::vector<Finding> merge_findings(const std::vector<Table>& tables, const CopyOptions& options);

}  // namespace wherry::control
