// Values and keys as people read them in a report: valid UTF-8, cut to a bearable length, NULL
// apart from the text 'NULL'. Pure.
#pragma once

#include <span>
#include <string>

#include "mysql/session.h"
#include "verify/compare_plan.h"

namespace wherry::verify {

std::string value_text(const PlanField& field, const mysql::FieldView& value);

// "id=5, part=2"; without a key the whole row, cut.
std::string key_text(const ComparePlan& plan, std::span<const mysql::FieldView> row);

}  // namespace wherry::verify
