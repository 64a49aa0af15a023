// The statements of a feed in table mode: which are the sink's business, which are counted, and
// which end the feed.
#include <fmt/core.h>

#include <algorithm>

#include "feed/table_feed.h"
#include "support/ascii.h"

namespace wherry::feed {
namespace {

bool drops(sql::Kind kind) {
  return kind == sql::Kind::drop_table || kind == sql::Kind::drop_database;
}

Error refused(const StreamStep& step, std::string_view why) {
  return {
      Errc::unsupported,
      fmt::format("{}, at {}: {}", why, step.position, sql::printable(step.statement, step.text)),
      0};
}

}  // namespace

// Whom it concerns. Names in it are the source's.
BlockOrder TableFeed::order_of(const StreamStep& step) const {
  BlockOrder order;
  const TableRules& rules = options_.rules;
  for (const sql::NameSpan& object : step.statement.objects) {
    if (object.role == sql::NameRole::referenced) continue;
    TableName source = object.name;
    if (options_.fold_names) source = {ascii::lower(source.database), ascii::lower(source.table)};
    if (!rules.follows(source)) continue;
    const TableName target = rules.target_of(source);
    if (object.role == sql::NameRole::model) {
      order.read.push_back(target);
      continue;
    }
    const auto known = std::find(order.event.targets.begin(), order.event.targets.end(), target);
    if (known == order.event.targets.end()) order.event.targets.push_back(target);
    order.tables.push_back({source, target});
  }
  if (step.statement.objects.empty() && !step.statement.database.empty() &&
      rules.selection.touches(step.statement.database))
    order.whole_database = step.statement.database;
  order.drops = drops(step.statement.kind);
  order.event.origin = step.origin;
  order.event.kind = sql::to_string(step.statement.kind);
  order.event.statement = step.text;
  order.event.database = step.database;
  order.event.position = step.position;
  return order;
}

Status TableFeed::on_statement(const StreamStep& step) {
  const std::string kind(sql::to_string(step.statement.kind));
  const auto count = [&](const std::string& what) {
    told_.with([&](Told& told) { ++told.ignored[what]; });
    return Unit{};
  };
  if (step.statement.policy == sql::Policy::ignore) return count(kind);
  BlockOrder order = order_of(step);
  const bool concerns = !order.tables.empty() || !order.whole_database.empty();
  // What names nothing at all may concern anything.
  const bool names_others = !step.statement.objects.empty() || !step.statement.database.empty();
  if (!concerns && names_others) return count(kind + " of other tables");
  if (step.statement.policy == sql::Policy::stop)
    return refused(step, "the source's binlog holds a statement that cannot be followed");
  switch (options_.rules.policy_of(step.statement.kind)) {
    case StatementPolicy::skip:
      return count(kind + " by policy");
    case StatementPolicy::stop:
      return refused(step, fmt::format("{} is set to stop the feed", kind));
    case StatementPolicy::apply:
      break;
  }
  router_.block(step.at, std::move(order));
  return Unit{};
}

}  // namespace wherry::feed
