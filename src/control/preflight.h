// What is looked at before anything is written: settings, privileges, keys, types, sizes and
// retention of both servers. Reads only. The caller's thread; borrows the sessions for the call.
// The rules are in docs/copy.md and docs/privileges.md.
#pragma once

#include <string>
#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "model/schema.h"
#include "mysql/session.h"
#include "support/pattern.h"
#include "support/result.h"

namespace wherry::control {

// All findings, also those that only inform; refusals first. An error means that a server could not
// be asked, never that a rule forbids the run.
Result<std::vector<Finding>> preflight(mysql::Session& source, mysql::Session& target,
                                       const std::vector<Table>& tables,
                                       const CopyOptions& options);

// What --include and --exclude select, under the source's rule for the case of names.
Result<Selection> parse_selection(const std::vector<std::string>& include,
                                  const std::vector<std::string>& exclude, NameCase name_case);
Result<Selection> make_selection(mysql::Session& source, const CopyOptions& options);

// The tables of the source that the options select.
Result<std::vector<Table>> selected_tables(mysql::Session& source, const CopyOptions& options);

}  // namespace wherry::control
