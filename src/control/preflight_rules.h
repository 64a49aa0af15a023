// The rules of the preflight, each over values already read. Pure.
#pragma once

#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "control/server_view.h"
#include "model/schema.h"

namespace wherry::control {

// Everything that concerns one side. The target may be judged without a source: tables is then
// empty.
std::vector<Finding> judge_source(const ServerView& view, const SourceObjects& objects,
                                  const std::vector<Table>& tables, const CopyOptions& options);
std::vector<Finding> judge_target(const ServerView& view, const TargetObjects& objects,
                                  const std::vector<Table>& tables, const CopyOptions& options);
// What only both together show.
std::vector<Finding> judge_pair(const ServerView& source, const ServerView& target,
                                const std::vector<Table>& tables, const CopyOptions& options);

// The collation at the other server that orders and equals text exactly alike, as its name there;
// empty where there is none.
std::string collation_twin(const std::string& collation, const ServerView& from,
                           const ServerView& to);

}  // namespace wherry::control
