// The rules of --rename, and the name that a table has at the target. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "control/options.h"
#include "model/schema.h"
#include "support/result.h"

namespace wherry::control {

// "db.table=db2.table2" or "db=db2"; a name with a dot, an equals sign or a backtick stands in
// backticks (doubled inside).
Result<RenameRule> parse_rename(std::string_view text);

// Rules that contradict each other: one name twice on the left.
Status check_renames(const std::vector<RenameRule>& rules);

// A rule for the table goes before one for its database.
TableName renamed(const std::vector<RenameRule>& rules, const TableName& name);

}  // namespace wherry::control
