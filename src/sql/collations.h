// Which collation of one dialect is the same as which of the other. Pure.
// By name, checked against information_schema.collations of MySQL 9.7 and MariaDB 10.11.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/schema.h"

namespace wherry::sql {

// The collation that orders and compares exactly alike on the other server; null: there is none.
std::optional<std::string> collation_twin(std::string_view collation, Dialect from, Dialect to);

// The nearest one to propose where there is no twin.
std::string collation_proposal(std::string_view collation, Dialect to);

bool charset_exists(std::string_view charset, Dialect dialect);

// What a character set means where no collation is named, as long as it is the same on all servers;
// for utf8mb4 what servers meant that printed no collation.
std::string default_collation(std::string_view charset);

// Lower case, utf8 spelled utf8mb3.
std::string collation_key(std::string_view collation);

}  // namespace wherry::sql
