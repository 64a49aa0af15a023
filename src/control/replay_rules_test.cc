#include "control/replay_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wherry::control {
namespace {

// A plan of tables of the database shop, each under its own name at the target.
class Narrow : public testing::Test {
 protected:
  dispatch::TablePlan& add(const std::string& name, const std::string& target = "") {
    auto plan = std::make_shared<dispatch::TablePlan>();
    plan->source.name = {"shop", name};
    plan->target = {"store", target.empty() ? name : target};
    plan_.plans.push_back(plan);
    return *plan;
  }
  // What stays, or why nothing is done.
  std::string narrowed(const std::vector<std::string>& patterns) {
    std::vector<Pattern> within;
    within.reserve(patterns.size());
    for (const std::string& pattern : patterns) within.push_back(Pattern::parse(pattern).value());
    Selection selection;
    selection.narrow(std::move(within));
    RunPlan plan = plan_;
    if (const Status done = narrow(selection, plan); !done.ok()) return done.error().what;
    std::string names;
    for (const dispatch::PlanPtr& table : plan.plans) names += table->source.name.table + " ";
    return names;
  }

  RunPlan plan_;
};

TEST_F(Narrow, LeavesOutWhatIsNotNamed) {
  for (const char* const name : {"a", "b", "c"}) add(name);
  EXPECT_EQ(narrowed({"shop.a", "shop.c"}), "a c ");
  EXPECT_EQ(narrowed({"!shop.b"}), "a c ");
  EXPECT_EQ(narrowed({"store.a"}), "") << "names are the source's";
}

TEST_F(Narrow, TablesThatActTogetherAreNamedTogether) {
  add("a");
  ForeignKey key;
  key.name = "of";
  key.parent = {"shop", "a"};
  add("plain").source.foreign_keys = {key};
  key.cascades = true;
  add("child").source.foreign_keys = {key};
  EXPECT_EQ(narrowed({"shop.a", "shop.child"}), "a child ");
  EXPECT_EQ(narrowed({"shop.plain"}), "plain ");
  for (const char* const one : {"shop.a", "shop.child"})
    EXPECT_NE(narrowed({one}).find("the foreign key of of"), std::string::npos) << one;
}

TEST_F(Narrow, TablesThatAreMergedAreNamedTogether) {
  add("one", "all");
  add("two", "all");
  add("other");
  EXPECT_EQ(narrowed({"shop.one", "shop.two"}), "one two ");
  EXPECT_EQ(narrowed({"shop.other"}), "other ");
  EXPECT_NE(narrowed({"shop.two"}).find("are merged into"), std::string::npos);
}

TEST(ReplayRules, ANarrowedRunGoesOnWithItsOwnTablesAlone) {
  using Names = std::vector<std::string>;
  const nlohmann::json whole = {{"state", "running"}};
  EXPECT_TRUE(require_same_tables(whole, {}).ok());
  EXPECT_TRUE(require_same_tables(whole, Names{"shop.a"}).ok());
  const nlohmann::json some = {{"tables", {"shop.a", "shop.b"}}, {"others_at", 17}};
  EXPECT_TRUE(require_same_tables(some, Names{"shop.a", "shop.b"}).ok());
  for (const Names& other : {Names{}, Names{"shop.a"}, Names{"shop.a", "shop.b", "shop.c"}}) {
    const Status refused = require_same_tables(some, other);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Errc::refused);
    EXPECT_NE(refused.error().what.find("shop.a,shop.b alone"), std::string::npos);
    EXPECT_NE(refused.error().what.find("transaction 17"), std::string::npos);
  }
}

}  // namespace
}  // namespace wherry::control
