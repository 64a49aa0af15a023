#include "dispatch/tables.h"

#include <algorithm>
#include <set>

namespace wherry::dispatch {

PlanPtr make_plan(std::uint32_t id, Table source, TableName target,
                  std::shared_ptr<TableState> state, ChangeFilterPtr filter) {
  auto plan = std::make_shared<TablePlan>();
  plan->id = plan->space = id;
  plan->source = std::move(source);
  plan->target = std::move(target);
  plan->state = std::move(state);
  plan->filter = std::move(filter);
  const Table& table = plan->source;
  const Index* key = row_key(table);
  const auto add = [&](const Index& index) {
    UniqueKey unique{index.parts, index.functional};
    for (const IndexPart& part : index.parts) unique.opaque |= table.columns[part.column].generated;
    plan->uniques.push_back(std::move(unique));
  };
  if (key != nullptr) {
    for (const IndexPart& part : key->parts) plan->key.push_back(part.column);
    add(*key);
  }
  for (const Index& index : table.indexes) {
    if (index.unique && &index != key) add(index);
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].generated) plan->writable.push_back(i);
  }
  return plan;
}

PlanPtr Catalog::find(const std::string& database, const std::string& table) const {
  return plans_.read([&](const Plans& plans) -> PlanPtr {
    const auto found = plans.by_name.find({database, table});
    return found == plans.by_name.end() ? nullptr : found->second;
  });
}

PlanPtr Catalog::find(std::uint32_t id) const {
  return plans_.read([&](const Plans& plans) -> PlanPtr {
    const auto found = plans.by_id.find(id);
    return found == plans.by_id.end() ? nullptr : found->second;
  });
}

void Catalog::reserve_ids(std::uint32_t through) {
  plans_.with([&](Plans& plans) { plans.next_id = std::max(plans.next_id, through + 1); });
}

std::vector<PlanPtr> Catalog::all() const {
  return plans_.read([](const Plans& plans) {
    std::vector<PlanPtr> all;
    for (const auto& [name, plan] : plans.by_name) all.push_back(plan);
    return all;
  });
}

void Catalog::Plans::leave(const TablePlan& plan) {
  const auto space = spaces.find(plan.target);
  if (space != spaces.end() && --space->second.tables == 0) spaces.erase(space);
}

void Catalog::Plans::enter(PlanPtr plan) {
  const TableName name = plan->source.name;
  Space& space = spaces.try_emplace(plan->target, Space{plan->id, 0}).first->second;
  ++space.tables;
  if (plan->space != space.number) {
    auto shared = std::make_shared<TablePlan>(*plan);
    shared->space = space.number;
    plan = std::move(shared);
  }
  by_id[plan->id] = plan;
  by_name[{name.database, name.table}] = std::move(plan);
}

void Catalog::put(PlanPtr plan) {
  plans_.with([&](Plans& plans) {
    const auto old = plans.by_id.find(plan->id);
    if (old != plans.by_id.end()) plans.leave(*old->second);
    plans.enter(std::move(plan));
  });
  version_.fetch_add(1, std::memory_order_acq_rel);
}

void Catalog::remove(const TableName& source) {
  plans_.with([&](Plans& plans) {
    const auto found = plans.by_name.find({source.database, source.table});
    if (found == plans.by_name.end()) return;
    plans.leave(*found->second);
    plans.by_id.erase(found->second->id);
    plans.by_name.erase(found);
  });
  version_.fetch_add(1, std::memory_order_acq_rel);
}

std::uint32_t Catalog::next_id() {
  return plans_.with([](Plans& plans) { return plans.next_id++; });
}

void add_parents(CascadeParents& parents, const Table& table) {
  for (const ForeignKey& key : table.foreign_keys) {
    if (key.cascades) parents[table.name].insert(key.parent);
  }
}

namespace {

std::set<TableName> ancestors(const CascadeParents& parents, const TableName& table) {
  std::set<TableName> found;
  std::vector<TableName> next{table};
  while (!next.empty()) {
    const auto of = parents.find(next.back());
    next.pop_back();
    if (of == parents.end()) continue;
    for (const TableName& parent : of->second) {
      if (found.insert(parent).second) next.push_back(parent);
    }
  }
  return found;
}

}  // namespace

std::set<TableName> circle_of(const CascadeParents& parents, const TableName& table) {
  std::set<TableName> circle;
  const std::set<TableName> above = ancestors(parents, table);
  if (!above.contains(table)) return circle;
  for (const TableName& one : above) {
    if (ancestors(parents, one).contains(table)) circle.insert(one);
  }
  return circle;
}

std::vector<PlanPtr> with_cascades(const std::vector<PlanPtr>& plans) {
  CascadeParents above;
  for (const PlanPtr& plan : plans) add_parents(above, plan->source);
  std::set<TableName> joined;
  std::map<TableName, std::set<std::string>> parents;  // with the columns that are referred to
  for (const PlanPtr& plan : plans) {
    for (const ForeignKey& key : plan->source.foreign_keys) {
      if (!key.cascades) continue;
      joined.insert(plan->source.name);
      joined.insert(key.parent);
      parents[key.parent].insert(key.parent_columns.begin(), key.parent_columns.end());
    }
  }
  std::vector<PlanPtr> changed;
  for (const PlanPtr& plan : plans) {
    const bool cascades = joined.contains(plan->source.name);
    const bool parent = parents.contains(plan->source.name);
    std::vector<std::size_t> referenced;
    for (std::size_t i = 0; parent && i < plan->source.columns.size(); ++i) {
      if (parents[plan->source.name].contains(plan->source.columns[i].name))
        referenced.push_back(i);
    }
    const bool circular = cascades && !circle_of(above, plan->source.name).empty();
    if (cascades == plan->cascades && circular == plan->circular && referenced == plan->referenced)
      continue;
    auto next = std::make_shared<TablePlan>(*plan);
    next->cascades = cascades;
    next->circular = circular;
    next->cascade_parent = parent;
    next->referenced = std::move(referenced);
    changed.push_back(std::move(next));
  }
  return changed;
}

}  // namespace wherry::dispatch
