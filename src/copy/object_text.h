// Changes the text of SHOW CREATE for views, routines, triggers and events, so that it can be run
// at the target. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "copy/target_names.h"
#include "sql/statement.h"

namespace wherry::copy {

// The object's own name becomes database.name; nullopt where the text is not a CREATE of an object.
std::optional<std::string> with_database(std::string_view text, std::string_view database,
                                         sql::StatementMode mode);

// Without its DEFINER clause: the account that runs it becomes the definer.
std::string without_definer(std::string_view text, sql::StatementMode mode);

// The trigger's own name and that of its table become names of the database; the table's name
// changes where one is given.
std::optional<std::string> route_trigger(std::string_view text, std::string_view database,
                                         const std::optional<std::string>& table,
                                         sql::StatementMode mode);

// An event that does not run until somebody enables it.
std::string disabled_event(std::string_view text, sql::StatementMode mode);

// Names of the form database.table that the routes move. Only for views, whose text the server
// wrote with every table qualified.
std::string route_view(std::string_view text, const TargetNames& names, sql::StatementMode mode);

}  // namespace wherry::copy
