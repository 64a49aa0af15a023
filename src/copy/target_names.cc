#include "copy/target_names.h"

namespace wherry::copy {

TargetNames::TargetNames(const std::vector<Route>& routes) {
  for (const Route& route : routes) {
    tables_[route.source] = route.target;
    const auto [at, fresh] = databases_.try_emplace(route.source.database, route.target.database);
    if (!fresh && at->second != route.target.database) at->second.reset();
  }
}

TableName TargetNames::of(const TableName& source) const {
  if (const auto table = tables_.find(source); table != tables_.end()) return table->second;
  const auto database = databases_.find(source.database);
  if (database == databases_.end() || !database->second) return source;
  return {*database->second, source.table};
}

}  // namespace wherry::copy
