// The rules of --shard: one value of one column, as a condition over the rows of some tables. Pure.
#pragma once

#include <string_view>

#include "control/options.h"
#include "support/result.h"

namespace wherry::control {

// "table.column=value" of a table in any database, or "db.table.column=value"; * and ? in the names
// of tables, other signs in backticks. The value is a number, or else a string with or without
// quotes.
Result<RowFilter> parse_shard(std::string_view text);

}  // namespace wherry::control
