// Whether a definition differs from another one only by columns that rows of the old form can do
// without. Pure; any thread.
#pragma once

#include <string>

#include "sql/create_table.h"

namespace wherry::sql {

// Both as SHOW CREATE TABLE prints them on one server. Empty: every column of `before` is in
// `after` as it was and in the same order, keys and options are the same, and each new column has a
// constant default or none but NULL, so that a row without it has the value that the statement gave
// the rows of its table. Otherwise what stands against it, in words.
std::string unlike_added_columns(const CreateTable& before, const CreateTable& after,
                                 Dialect dialect);

}  // namespace wherry::sql
