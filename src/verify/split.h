// Cuts a table into parts for several workers without reading it: between the smallest and the
// largest key, where keys are numbers or bytes. Rows need not lie evenly; parts are handed out as
// workers become free. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verify/key_range.h"

namespace wherry::verify {

// Whether split() can do anything with keys that start with this field.
bool can_split(const PlanField& field);

// At most `parts` ranges that together hold every possible key. lowest and highest are values of
// the key's first column, as the server sent them; anything unusual gives one range.
std::vector<KeyRange> split(const PlanField& field, const std::string& lowest,
                            const std::string& highest, std::size_t parts);

}  // namespace wherry::verify
