#include "control/replay_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

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

Status require_rebuilt(const nlohmann::json& run) {
  if (!run.contains("rebuilding")) return Unit{};
  return Error{Errc::refused,
               "the target is being made from redo, and is not whole: wherry redo apply goes on "
               "with it"};
}

Status require_copied(const nlohmann::json& run, const sink::SavedProgress& saved) {
  if (Status whole = require_rebuilt(run); !whole.ok()) return whole;
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

Status take_up_snapshot(const nlohmann::json& run, const sink::SavedProgress& saved,
                        RunPlan& plan) {
  plan.rebuilding = run.contains("rebuilding");
  const std::uint64_t begun = run.value("rebuilding", std::uint64_t{0});  // ids of its tables
  std::set<std::uint32_t> whole;
  std::set<std::uint32_t> open;
  std::map<std::uint32_t, std::uint64_t> places;
  for (const sink::NamedRecord& record : saved.records) {
    if (record.kind != "slice") continue;
    const auto id = copy::parse_record_name(record.name);
    if (!id) return Error{Errc::malformed, "a saved slice has the name " + record.name, 0};
    Result<copy::Slice> slice = copy::slice_from_json(*id, record.body);
    if (!slice.ok()) return slice.error();
    plan.pieces[record.name] = slice.value().piece;
    places[id->table] = std::max(places[id->table], slice.value().placed_at);
    if (!slice.value().done) open.insert(id->table);
    if (slice.value().completes) whole.insert(id->table);
  }
  for (const PlanPtr& table : plan.plans) {
    dispatch::TableState& state = *table->state;
    state.placed_through = places[table->id];
    const bool lacks = plan.rebuilding ? table->id < begun && !whole.contains(table->id)
                                       : open.contains(table->id);
    if (lacks) state.strict_after = dispatch::kNotYet;
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
