// Which privileges a copy needs on either side, per dialect and per feature, and the GRANT that is
// missing. docs/privileges.md shows the same table to people. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "control/finding.h"
#include "control/options.h"
#include "control/server_view.h"
#include "model/schema.h"

namespace wherry::control {

enum class GrantScope { server, database, table };

struct Need {
  GrantScope scope = GrantScope::server;
  // Any of them will do; the first is the one to grant.
  std::vector<std::string> any_of;
  std::string purpose;
  Severity severity = Severity::refusal;  // when it is missing
  std::set<std::string> only = {};        // databases concerned; empty: all of the copy
};

struct SourceTraits {
  std::set<std::string> keyless;  // databases with selected tables that have no usable key
  bool without_gtids = false;     // positions are kept by file
};
std::vector<Need> source_needs(const ServerView& view, const CopyOptions& options,
                               const SourceTraits& traits);
std::vector<Need> target_needs(const ServerView& view, const CopyOptions& options);

// One finding for each scope and severity that lacks something; the remedy is the whole statement.
std::vector<Finding> missing_grants(const ServerView& view, const std::vector<Need>& needs,
                                    const std::vector<TableName>& tables,
                                    const std::string& subject);

}  // namespace wherry::control
