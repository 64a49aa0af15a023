// The rules of --rename, and the name that a table has at the target. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "control/options.h"
#include "model/schema.h"
#include "support/result.h"

namespace wherry::control {

// "db.table=db2.table2" or "db=db2"; a name with a dot, an equals sign or a backtick stands in
// backticks (doubled inside). On the left * and ? outside backticks make it a pattern.
Result<RenameRule> parse_rename(std::string_view text);

// Rules that contradict each other: one name twice on the left.
Status check_renames(const std::vector<RenameRule>& rules);

// A rule for the table goes before one for its database, one without wildcards before one with, and
// among those the first that matches.
TableName renamed(const std::vector<RenameRule>& rules, const TableName& name);

// Whether tables of several names may go where the rules send this one: a pattern renames it, or
// another rule leads to the same name. Asked of a database by an empty table name: whether this is
// so of any table in it, known or not.
bool may_merge(const std::vector<RenameRule>& rules, const TableName& name);

}  // namespace wherry::control
