// Where databases and tables of the source stand at the target, from the routes of a run. Values;
// any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "copy/definitions.h"

namespace wherry::copy {

class TargetNames {
 public:
  explicit TargetNames(const std::vector<Route>& routes);

  // A table without a route goes where its database goes, and stays where it is if that is unclear.
  TableName of(const TableName& source) const;
  bool is_routed(const TableName& source) const { return tables_.contains(source); }

  // Databases of the source in order, each with the one database its tables go to; null where they
  // go to several.
  const std::map<std::string, std::optional<std::string>>& databases() const { return databases_; }

 private:
  std::map<TableName, TableName> tables_;
  std::map<std::string, std::optional<std::string>> databases_;
};

}  // namespace wherry::copy
