// What a replay of redo refuses before it takes its target over, and what one of some tables leaves
// out. Pure functions; each error is Errc::refused unless a record is damaged.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "control/run_plan.h"

namespace wherry::control {

Status require_same_kind(Dialect target, Dialect source);

// run: the body of its record. The progress of a run that was replayed for some of its tables says
// nothing of the others. tables: none for all of them.
Status require_same_tables(const nlohmann::json& run, const std::vector<std::string>& tables);

// That no row of the snapshot was still to be copied, by the copy or out of redo.
Status require_copied(const nlohmann::json& run, const sink::SavedProgress& saved);
// That the target is not one which a replay of redo has begun to make.
Status require_rebuilt(const nlohmann::json& run);

// Where redo brings the rows that are missing: which are at the target, and which tables still lack
// some.
Status take_up_snapshot(const nlohmann::json& run, const sink::SavedProgress& saved, RunPlan& plan);

// Leaves out the tables that are not selected. What writes two tables at once, a merge or an action
// of a foreign key, has both or none.
Status narrow(const Selection& selection, RunPlan& plan);

}  // namespace wherry::control
