// Reads the shape of tables from a server's information_schema. Works for both dialects and for
// source and target alike. Stateless; the session's thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/schema.h"
#include "mysql/session.h"

namespace wherry::mysql {

// Base tables (no views, no sequences) of all user databases that the filter accepts, with columns,
// indexes and foreign keys, in a handful of queries however many tables there are (10 000 tables
// must cost seconds, not minutes). System databases are never returned; the meta database is for
// the filter.
Result<std::vector<Table>> read_tables(Session& session,
                                       const std::function<bool(const TableName&)>& wanted);

// One table; Errc::lost when it does not exist.
Result<Table> read_table(Session& session, const TableName& name);

// SHOW CREATE TABLE.
Result<std::string> read_create_table(Session& session, const TableName& name);
// The same of many tables, in their order, with one round trip for each.
Result<std::vector<std::string>> read_create_tables(Session& session,
                                                    const std::vector<TableName>& names);

}  // namespace wherry::mysql
