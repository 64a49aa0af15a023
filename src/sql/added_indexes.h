// Statements that do nothing but add plain indexes: they change no row and no row's shape, so they
// can run beside the stream. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/statement.h"

namespace wherry::sql {

// The definitions as ALTER TABLE ... ADD takes them ("KEY `name` (a, b) USING BTREE"), of CREATE
// INDEX and ALTER TABLE ... ADD INDEX. Empty: the statement is something else, or adds what must be
// there before the next row (a unique index), has no name of its own, or stands in a text that
// another session would read otherwise.
std::vector<std::string> added_indexes(const Statement& statement, std::string_view text,
                                       StatementMode mode);

}  // namespace wherry::sql
