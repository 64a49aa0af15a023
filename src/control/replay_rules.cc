#include "control/replay_rules.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace wherry::control {

using dispatch::PlanPtr;

Status require_same_kind(Dialect target, Dialect source) {
  if (target == source) return Unit{};
  return Error{
      Errc::refused,
      "redo of a MySQL source is replayed into MySQL, and of a MariaDB source into MariaDB"};
}

Status require_same_tables(const nlohmann::json& run, const std::vector<std::string>& tables) {
  std::vector<std::string> before;
  if (const auto found = run.find("tables"); found != run.end() && found->is_array())
    before = found->get<std::vector<std::string>>();
  if (before == tables || before.empty()) return Unit{};
  return Error{
      Errc::refused,
      fmt::format("redo was replayed at the target for the tables {} alone: the others are "
                  "where they were at transaction {}. Only a replay of the same --tables "
                  "goes on there",
                  fmt::join(before, ","), run.value("others_at", std::uint64_t{0}))};
}

Status require_copied(const sink::SavedProgress& saved) {
  for (const sink::NamedRecord& record : saved.records) {
    if (record.kind != "slice") continue;
    const auto id = copy::parse_record_name(record.name);
    const Result<copy::Slice> slice =
        id ? copy::slice_from_json(*id, record.body)
           : Result<copy::Slice>(Error{Errc::malformed, "a saved slice has a wrong name"});
    if (!slice.ok()) return slice.error();
    if (slice.value().done) continue;
    return Error{Errc::refused,
                 "the snapshot at the target was not complete: redo holds what changed since it "
                 "was begun, and not the rows that were never copied"};
  }
  return Unit{};
}

Status narrow(const Selection& selection, RunPlan& plan) {
  const auto held = [&](const TableName& name) {
    return selection.holds(name.database, name.table);
  };
  std::map<TableName, TableName> writers;  // by target
  for (const PlanPtr& table : plan.plans) {
    const TableName& name = table->source.name;
    const TableName& other = writers.try_emplace(table->target, name).first->second;
    if (held(name) != held(other)) {
      return Error{Errc::refused,
                   fmt::format("--tables: {} and {} are merged into {}; name both "
                               "or none",
                               other.to_string(), name.to_string(), table->target.to_string())};
    }
    for (const ForeignKey& key : table->source.foreign_keys) {
      if (!key.cascades || held(name) == held(key.parent)) continue;
      return Error{Errc::refused, fmt::format("--tables: the foreign key {} of {} changes its rows "
                                              "along with those of {}; name both or none",
                                              key.name, name.to_string(), key.parent.to_string())};
    }
  }
  std::erase_if(plan.plans, [&](const PlanPtr& table) { return !held(table->source.name); });
  return Unit{};
}

}  // namespace wherry::control
