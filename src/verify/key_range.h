// A part of a table in the order of its key, from just after one key through another, and the SQL
// condition that selects it. Keys are held as the server sent them. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/compare_plan.h"

namespace wherry::verify {

// One value a column; the last columns may be missing: then all rows that share the others count as
// equal to the key.
using KeyValues = std::vector<std::string>;

struct KeyRange {
  std::optional<KeyValues> after;    // none: from the first row
  std::optional<KeyValues> through;  // none: to the last row
};

// A literal that the server compares with the column exactly as it compares two of its values.
std::string literal(const PlanField& field, const std::string& value);

// Condition over `columns` (as SidePlan::columns), empty for the whole table. In the expanded form
// a > x OR (a = x AND b > y): both servers read only the range with it, while a comparison of row
// constructors walks the index from its beginning.
std::string condition(const ComparePlan& plan, const std::vector<std::string>& columns,
                      const KeyRange& range);

}  // namespace wherry::verify
