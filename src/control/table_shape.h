// A table's columns and keys as JSON, for the record of a table in wherry.progress. What is left
// out has its default. Pure; docs/format/progress.md has the format.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/schema.h"
#include "support/result.h"

namespace wherry::control {

// Without the table's name and the server's estimates.
nlohmann::json shape_json(const Table& table);
// Errc::malformed: it is none, or an index or a foreign key names a column that it does not have.
Result<Table> shape_from_json(const nlohmann::json& json);

}  // namespace wherry::control
