// What a replay must know beside the stream: which tables the target follows, under which names,
// and how statements are judged. Stored as JSON in the claim of each epoch (docs/format/redo.md). A
// value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/options.h"
#include "sql/statement.h"

namespace wherry::control {

struct RedoMapping {
  std::string job;  // whose progress at the target it is
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<RenameRule> rename;
  std::vector<EventFilter> skip;
  std::vector<RowFilter> where;
  std::map<sql::Kind, sql::Policy> policies;
  bool by_gtid = true;
  bool fold_names = false;  // the source keeps names of tables in lower case only
};

std::string to_json(const RedoMapping& mapping);
Result<RedoMapping> parse_redo_mapping(std::string_view json);

}  // namespace wherry::control
