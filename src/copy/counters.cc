#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "copy/definitions.h"
#include "mysql/setting_scope.h"

namespace wherry::copy {
namespace {

using Counters = std::map<TableName, std::uint64_t>;

// Of all tables of these databases, in one query for each: many tables must not cost as many round
// trips while the application waits.
Result<Counters> read_counters(mysql::Session& session, const std::set<std::string>& databases) {
  mysql::SettingScope scope(session);
  if (!session.facts().is_mariadb()) {
    // MySQL shows counters up to a day old unless told.
    if (Status fresh = scope.set({{"information_schema_stats_expiry", "0"}}); !fresh.ok())
      return fresh.error();
  }
  Counters counters;
  for (const std::string& database : databases) {
    Result<mysql::Rows> rows = session.query(
        "SELECT TABLE_NAME, AUTO_INCREMENT FROM information_schema.TABLES WHERE AUTO_INCREMENT IS "
        "NOT NULL AND TABLE_SCHEMA = " +
        quote_text(database));
    if (!rows.ok()) return rows.error().within("read AUTO_INCREMENT counters");
    for (const auto& row : rows.value().rows) {
      const std::string text = row[1].value_or("");
      std::from_chars(text.data(), text.data() + text.size(),
                      counters[{database, row[0].value_or("")}]);
    }
  }
  return counters;
}

}  // namespace

Status raise_auto_increments(mysql::Session& source, mysql::Session& target,
                             const std::vector<Route>& routes) {
  constexpr unsigned kNoSuchTable = 1146;
  std::set<std::string> from, to;
  for (const Route& route : routes) {
    from.insert(route.source.database);
    to.insert(route.target.database);
  }
  Result<Counters> wanted = read_counters(source, from);
  if (!wanted.ok()) return wanted.error().within("source");
  Result<Counters> there = read_counters(target, to);
  if (!there.ok()) return there.error().within("target");
  Counters highest;  // several tables may go into one
  for (const Route& route : routes) {
    const auto counter = wanted.value().find(route.source);
    if (counter == wanted.value().end()) continue;
    highest[route.target] = std::max(highest[route.target], counter->second);
  }
  for (const auto& [table, counter] : highest) {
    const auto now = there.value().find(table);
    if (now != there.value().end() && counter <= now->second) continue;
    Result<mysql::Outcome> done =
        target.execute(fmt::format("ALTER TABLE {}.{} AUTO_INCREMENT = {}",
                                   quote_name(table.database), quote_name(table.table), counter));
    if (!done.ok() && done.error().server_code != kNoSuchTable)
      return done.error().within("raise the counter of " + table.to_string());
  }
  return Unit{};
}

}  // namespace wherry::copy
