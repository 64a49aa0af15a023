// What the preflight found, and how it is shown. Values; no threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wherry::control {

enum class Severity {
  refusal,  // the run may not start
  warning,  // it may, with this consequence
  note      // a fact worth knowing
};
std::string_view to_string(Severity severity);

struct Finding {
  Severity severity = Severity::note;
  std::string subject;  // "source", "target", "table shop.orders"
  std::string message;
  std::string remedy;  // what to do; a statement where one helps
};

// Refusals first, otherwise the order they have.
void sort_findings(std::vector<Finding>& findings);

// Errc::refused with all refusals in its text, or Unit where there are none.
Status verdict(const std::vector<Finding>& findings);

// The warnings as one text each, for CopyStatus::warnings.
std::vector<std::string> warning_texts(const std::vector<Finding>& findings);

std::string findings_table(const std::vector<Finding>& findings);
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace wherry::control
