// Table maps join the definition of their table, or say where they contradict it.

#include "dispatch/resolve.h"

#include <gtest/gtest.h>

#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

decode::TableMap items_map() {
  decode::TableMap map;
  map.database = "shop";
  map.table = "items";
  map.columns = {{WireType::long_}, {WireType::varchar, 80}};
  map.nullable = {false, true};
  return map;
}

void expect_contradiction(decode::TableMap map, const Table& table, std::string_view part) {
  const auto resolved = resolve(std::move(map), plan_of(table));
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().code, Errc::conflict);
  EXPECT_NE(resolved.error().what.find("shop.items"), std::string::npos) << resolved.error().what;
  EXPECT_NE(resolved.error().what.find(part), std::string::npos) << resolved.error().what;
}

TEST(ResolveTest, WithoutNamesByOrder) {
  const auto resolved = resolve(items_map(), plan_of(items_table()));
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved.value()->wire_of, (std::vector<std::size_t>{0, 1}));
}

TEST(ResolveTest, WithNamesByName) {
  auto map = items_map();
  map.names = {"name", "id"};
  std::swap(map.columns[0], map.columns[1]);
  const auto resolved = resolve(map, plan_of(items_table()));
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved.value()->wire_of, (std::vector<std::size_t>{1, 0}));
}

TEST(ResolveTest, VirtualColumnIsNotInTheEvent) {
  Table table = items_table();
  Column virtual_column = integer_column("twice");
  virtual_column.generated = true;
  table.columns.insert(table.columns.begin(), virtual_column);
  table.indexes = {unique_index("PRIMARY", {{1, 0}})};
  const auto resolved = resolve(items_map(), plan_of(table));
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved.value()->wire_of, (std::vector<std::size_t>{ResolvedTable::kNoWire, 0, 1}));
}

TEST(ResolveTest, CountTypeAndNameMustFit) {
  auto map = items_map();
  map.columns.push_back({WireType::long_});
  expect_contradiction(map, items_table(), "3 columns in the event, 2 in the definition");
  map = items_map();
  map.columns[0].type = WireType::double_;
  expect_contradiction(map, items_table(), "`id`");
  map = items_map();
  map.columns[1].type = WireType::long_;
  expect_contradiction(map, items_table(), "`name`");
  map = items_map();
  map.names = {"id", "title"};
  expect_contradiction(map, items_table(), "`title`");
}

TEST(ResolveTest, DefinitionFillsInWhatTheMapLacks) {
  Table table = items_table();
  table.columns[0].is_unsigned = true;
  table.columns[1].kind = ColumnClass::binary;
  table.columns[1].data_type = "binary";
  auto map = items_map();
  map.columns[1] = {WireType::string, 8};
  const auto filled = resolve(map, plan_of(table));
  ASSERT_TRUE(filled.ok());
  EXPECT_TRUE(filled.value()->map.columns[0].is_unsigned);
  EXPECT_TRUE(filled.value()->map.columns[1].fixed_binary);
  map.has_signedness = true;  // the event itself knows
  const auto told = resolve(map, plan_of(table));
  ASSERT_TRUE(told.ok());
  EXPECT_FALSE(told.value()->map.columns[0].is_unsigned);
}

TEST(ResolveTest, OldTemporalColumnTakesItsDigitsFromTheDefinition) {
  Table table = items_table();
  table.columns[1].kind = ColumnClass::datetime;
  table.columns[1].fraction = 3;
  auto map = items_map();
  map.columns[1] = {WireType::datetime};
  const auto resolved = resolve(map, plan_of(table));
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved.value()->map.columns[1].meta, 3u);
}

// The body of a table map event of a table (id INT NOT NULL, name VARCHAR(20)).
std::vector<std::byte> map_body(std::uint8_t table_id, std::string_view table) {
  std::string body(8, '\0');
  body[0] = static_cast<char>(table_id);
  for (const std::string_view name : {std::string_view("shop"), table}) {
    body += static_cast<char>(name.size());
    body += name;
    body += '\0';
  }
  body += "\x02\x03\x0f\x02\x50";
  body += std::string_view("\0\x02", 2);
  const auto* const data = reinterpret_cast<const std::byte*>(body.data());
  return {data, data + body.size()};
}

class ResolverTest : public ::testing::Test {
 protected:
  ResolverTest() {
    format_.post_header_sizes.assign(42, 8);
    catalog_.put(plan_of(items_table()));
  }
  ResolvedPtr table_of(const std::vector<std::byte>& body) {
    const auto resolved = resolver_.table_map(body, format_);
    EXPECT_TRUE(resolved.ok()) << resolved.error().what;
    return resolved.ok() ? resolved.value() : nullptr;
  }

  decode::FormatDescription format_;
  Catalog catalog_;
  Resolver resolver_{catalog_};
};

TEST_F(ResolverTest, SameBytesAreResolvedOnce) {
  const ResolvedPtr first = table_of(map_body(9, "items"));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->map.table, "items");
  EXPECT_EQ(table_of(map_body(9, "items")), first);
}

TEST_F(ResolverTest, TableIdThatIsUsedAgainIsAnotherTable) {
  ASSERT_NE(table_of(map_body(9, "items")), nullptr);
  EXPECT_EQ(table_of(map_body(9, "other")), nullptr);
  EXPECT_NE(table_of(map_body(9, "items")), nullptr);
}

TEST_F(ResolverTest, DroppedTableIsNotFollowedAnyMore) {
  ASSERT_NE(table_of(map_body(9, "items")), nullptr);
  catalog_.remove({"shop", "items"});
  EXPECT_EQ(table_of(map_body(9, "items")), nullptr);
}

TEST_F(ResolverTest, NewPlanIsSeenAtOnce) {
  ASSERT_NE(table_of(map_body(9, "items")), nullptr);
  const PlanPtr next = plan_of(items_table());
  catalog_.put(next);
  EXPECT_EQ(table_of(map_body(9, "items"))->plan, next);
}

TEST_F(ResolverTest, CutOffBodyIsAnError) {
  const auto body = map_body(9, "items");
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(resolver_.table_map(Bytes(body).first(size), format_).ok()) << size;
  }
}

}  // namespace
}  // namespace wherry::dispatch
