// Plans of tables: keys, what is written, ids that stay their own, and foreign key actions.

#include "dispatch/tables.h"

#include <gtest/gtest.h>

#include "dispatch/keys.h"
#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

Table named(std::string name) {
  Table table = items_table();
  table.name.table = std::move(name);
  return table;
}

TEST(PlanTest, RowKeyComesFirstAmongTheUniqueKeys) {
  Table table = items_table();
  std::swap(table.indexes[0], table.indexes[1]);
  const PlanPtr plan = plan_of(table);
  EXPECT_EQ(plan->key, std::vector<std::size_t>{0});
  ASSERT_EQ(plan->uniques.size(), 2u);
  EXPECT_EQ(plan->uniques[0].parts[0].column, 0u);
  EXPECT_EQ(plan->uniques[1].parts[0].column, 1u);
  EXPECT_FALSE(plan->one_by_one());
}

TEST(PlanTest, TableWithoutAKeyGoesRowByRow) {
  Table table = items_table();
  table.indexes.erase(table.indexes.begin());  // what is left is over a column that may be NULL
  const PlanPtr plan = plan_of(table);
  EXPECT_TRUE(plan->keyless());
  EXPECT_TRUE(plan->one_by_one());
  EXPECT_EQ(plan->uniques.size(), 1u);
}

TEST(PlanTest, GeneratedColumnIsNotWrittenAndMakesItsKeyOpaque) {
  Table table = items_table();
  table.columns[1].generated = true;
  const PlanPtr plan = plan_of(table);
  EXPECT_EQ(plan->writable, std::vector<std::size_t>{0});
  EXPECT_FALSE(plan->uniques[0].opaque);
  EXPECT_TRUE(plan->uniques[1].opaque);
}

TEST(PlanTest, FunctionalKeyIsOpaque) {
  Table table = items_table();
  table.indexes[1].functional = true;
  EXPECT_TRUE(plan_of(table)->uniques[1].opaque);
}

TEST(CatalogTest, FindsByNameAndId) {
  Catalog catalog;
  const PlanPtr plan = plan_of(named("a"), 4);
  catalog.put(plan);
  EXPECT_EQ(catalog.find("shop", "a"), plan);
  EXPECT_EQ(catalog.find(4), plan);
  EXPECT_EQ(catalog.find("shop", "b"), nullptr);
  EXPECT_EQ(catalog.find(5), nullptr);
}

TEST(CatalogTest, DroppedTableTakesItsIdAlong) {
  Catalog catalog;
  catalog.put(plan_of(named("a"), catalog.next_id()));
  catalog.put(plan_of(named("b"), catalog.next_id()));
  catalog.remove({"shop", "a"});
  EXPECT_EQ(catalog.find(0), nullptr);
  EXPECT_EQ(catalog.find("shop", "a"), nullptr);
  ASSERT_NE(catalog.find(1), nullptr);
  EXPECT_EQ(catalog.next_id(), 2u);  // an id is never given twice
  EXPECT_EQ(catalog.all().size(), 1u);
}

TEST(CatalogTest, ReservedIdsAreNotGivenOut) {
  Catalog catalog;
  catalog.reserve_ids(6);
  EXPECT_EQ(catalog.next_id(), 7u);
  catalog.reserve_ids(2);
  EXPECT_EQ(catalog.next_id(), 8u);
}

TEST(CatalogTest, VersionChangesWithEveryPlan) {
  Catalog catalog;
  const auto first = catalog.version();
  catalog.put(plan_of(named("a")));
  const auto second = catalog.version();
  EXPECT_NE(second, first);
  catalog.remove({"shop", "a"});
  EXPECT_NE(catalog.version(), second);
}

TEST(CascadesTest, ParentAndChildOfAnActionAreMarked) {
  Table child = named("child");
  ForeignKey key;
  key.columns = {1};
  key.parent = {"shop", "parent"};
  key.cascades = true;
  child.foreign_keys = {key};
  const std::vector<PlanPtr> plans = {plan_of(child, 1), plan_of(named("parent"), 2),
                                      plan_of(named("other"), 3)};
  const auto changed = with_cascades(plans);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_TRUE(changed[0]->cascades);
  EXPECT_FALSE(changed[0]->cascade_parent);
  EXPECT_TRUE(changed[0]->one_by_one());
  EXPECT_TRUE(changed[1]->cascades);
  EXPECT_TRUE(changed[1]->cascade_parent);
  EXPECT_EQ(changed[1]->state, plans[1]->state);
  EXPECT_TRUE(with_cascades(changed).empty());
}

TEST(CascadesTest, MarkGoesWithTheKey) {
  Table child = named("child");
  ForeignKey key;
  key.parent = {"shop", "parent"};
  child.foreign_keys = {key};
  EXPECT_TRUE(with_cascades({plan_of(child, 1), plan_of(named("parent"), 2)}).empty());
  auto marked = std::make_shared<TablePlan>(*plan_of(named("parent"), 2));
  marked->cascades = marked->cascade_parent = true;
  const auto changed = with_cascades({plan_of(child, 1), marked});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_FALSE(changed[0]->cascades);
}

TEST(CascadesTest, TableOfACircleIsReadWhole) {
  const auto child_of = [](const std::string& name, const std::string& parent) {
    Table child = named(name);
    ForeignKey key;
    key.parent = {"shop", parent};
    key.cascades = true;
    child.foreign_keys = {key};
    return child;
  };
  const auto changed =
      with_cascades({plan_of(child_of("self", "self"), 1), plan_of(child_of("child", "self"), 2),
                     plan_of(child_of("a", "b"), 3), plan_of(child_of("b", "a"), 4)});
  ASSERT_EQ(changed.size(), 4u);
  EXPECT_TRUE(changed[0]->circular);
  EXPECT_TRUE(changed[0]->whole());
  EXPECT_FALSE(changed[1]->whole());
  EXPECT_TRUE(changed[2]->whole());
  EXPECT_TRUE(changed[3]->whole());
  CascadeParents parents;
  for (const PlanPtr& plan : changed) add_parents(parents, plan->source);
  EXPECT_EQ(circle_of(parents, {"shop", "self"}).size(), 1u);
  EXPECT_TRUE(circle_of(parents, {"shop", "child"}).empty());
  EXPECT_EQ(circle_of(parents, {"shop", "a"}).size(), 2u);
}

TEST(TableStateTest, StrictOnlyAfterItsPlace) {
  TableState state;
  EXPECT_FALSE(state.open());
  state.strict_after = kNotYet;
  EXPECT_TRUE(state.open());
  EXPECT_TRUE(state.tolerant(1000000));
  state.strict_after = 50;
  EXPECT_TRUE(state.tolerant(50));
  EXPECT_FALSE(state.tolerant(51));
}

PlanPtr going_to(std::uint32_t id, const char* source, const char* target) {
  Table table = items_table();
  table.name = {"shop", source};
  return make_plan(id, std::move(table), {"all", target}, std::make_shared<TableState>());
}

TEST(CatalogTest, TablesThatGoIntoOneShareASpace) {
  Catalog catalog;
  const PlanPtr first = going_to(1, "a", "t");
  catalog.put(first);
  catalog.put(going_to(2, "b", "t"));
  catalog.put(going_to(3, "c", "u"));
  EXPECT_EQ(catalog.find(1), first);
  EXPECT_EQ(catalog.find(2)->space, 1u);
  EXPECT_EQ(catalog.find(3)->space, 3u);
  // It stays while one of them does, and ends with the last.
  catalog.remove({"shop", "a"});
  catalog.put(going_to(4, "d", "t"));
  EXPECT_EQ(catalog.find(4)->space, 1u);
  catalog.put(going_to(4, "d", "t"));
  catalog.remove({"shop", "b"});
  catalog.remove({"shop", "d"});
  catalog.put(going_to(5, "e", "t"));
  EXPECT_EQ(catalog.find(5)->space, 5u);
}

TEST(CatalogTest, RowsClashBySpace) {
  Catalog catalog;
  catalog.put(going_to(1, "a", "t"));
  catalog.put(going_to(2, "b", "t"));
  const std::vector<KeyValue> values{{"7", false, false}, {"x", false, false}};
  Conflicts one, two;
  KeyReader::add_conflicts(*catalog.find(1), values, one);
  KeyReader::add_conflicts(*catalog.find(2), values, two);
  EXPECT_EQ(one.values, two.values);
  EXPECT_NE(KeyReader::identity(*catalog.find(1), values),
            KeyReader::identity(*catalog.find(2), values));
}

}  // namespace
}  // namespace wherry::dispatch
