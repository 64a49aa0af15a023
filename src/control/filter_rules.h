// From the keys `skip` and `where` to the rules that every stage asks. The caller's thread.
#pragma once

#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "dispatch/change_filter.h"
#include "feed/map_columns.h"
#include "mysql/session.h"
#include "support/pattern.h"

namespace wherry::control {

Result<dispatch::FilterRules> to_filter_rules(const std::vector<EventFilter>& skip,
                                              const std::vector<RowFilter>& where,
                                              NameCase name_case);
// Of a run into a MySQL server; names are compared as the source does.
Result<dispatch::FilterRules> make_filters(mysql::Session& source, const CopyOptions& options);

// Refusals of what filters cannot do with the tables, naming table and column.
std::vector<Finding> filter_findings(const dispatch::FilterRules& rules,
                                     const std::vector<Table>& tables);
// The same for tables whose rows are copied first.
Status require_copyable(const dispatch::FilterRules& rules, const std::vector<Table>& tables);

// Errc::refused, naming table and column: a condition does not fit a table that is there now.
Status require_fitting(const dispatch::FilterRules& rules, const std::vector<Table>& tables);

// The server's numbers of collations.
Result<feed::CollationNames> read_collations(mysql::Session& session);

}  // namespace wherry::control
