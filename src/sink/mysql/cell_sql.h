// Pieces of SQL made of the cells of row events. Pure; any thread. scratch is a buffer that the
// caller keeps so that none is allocated for each value.
#pragma once

#include <string>

#include "dispatch/resolve.h"

namespace wherry::sink {

// A literal of the column's value, NULL too.
Status append_cell(std::string& out, const dispatch::ResolvedTable& table,
                   const decode::Cell* image, std::size_t column, std::string& scratch);
// A field of LOAD DATA.
Status append_cell_field(std::string& out, const dispatch::ResolvedTable& table,
                         const decode::Cell* image, std::size_t column, std::string& scratch);
// "1,'a'": the literals of the row key.
Status append_key_values(std::string& out, const dispatch::ResolvedTable& table,
                         const decode::Cell* image, std::string& scratch);
// "`a`=1 AND `b`='x'": finds exactly the row of the key, by its index.
Status append_key_condition(std::string& out, const dispatch::ResolvedTable& table,
                            const decode::Cell* image, std::string& scratch);
// Every column equal, null-safe and byte-exact: for tables without a key.
Status append_row_condition(std::string& out, const dispatch::ResolvedTable& table,
                            const decode::Cell* image, std::string& scratch);

// ENUM index 0, what an invalid value left behind: a server takes it back only with a warning.
bool is_enum_zero(const dispatch::ResolvedTable& table, const decode::Cell* image,
                  std::size_t column);

// "`a`,`b`": all writable columns.
std::string column_list(const dispatch::TablePlan& plan);

}  // namespace wherry::sink
