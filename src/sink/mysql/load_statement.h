// The statement that loads rows in bulk. Pure.
#pragma once

#include <string>

#include "dispatch/tables.h"

namespace wherry::sink {

// LOAD DATA LOCAL for the plan's writable columns, in their order. replace: REPLACE INTO semantics.
std::string load_statement(const dispatch::TablePlan& plan, bool replace);

// `db`.`table`
std::string target_name(const dispatch::TablePlan& plan);

}  // namespace wherry::sink
