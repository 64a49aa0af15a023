// In which order net rows are sent.

#include "sink/mysql/write_order.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <numeric>

#include "dispatch/plan_for_tests.h"

namespace wherry::sink {
namespace {

using decode::RowKind;

// A table with a row key `id` and a secondary index on `k`.
class WriteOrder : public ::testing::Test {
 protected:
  WriteOrder() {
    Table table;
    table.name = {"shop", "items"};
    table.columns = {dispatch::integer_column("id"), dispatch::integer_column("k")};
    Index by_k;
    by_k.name = "k";
    by_k.parts = {{1, 0}};
    table.indexes = {dispatch::unique_index("PRIMARY", {{0, 0}}), by_k};
    table_.plan = dispatch::plan_of(table);
    table_.map.columns = {{WireType::long_}, {WireType::long_}};
    table_.wire_of = {0, 1};
  }
  decode::Cell number(std::int32_t value) {
    numbers_.push_back(value);
    decode::Cell cell;
    cell.data = reinterpret_cast<const std::byte*>(&numbers_.back());
    cell.size = 4;
    cell.present = true;
    return cell;
  }
  void update(std::int32_t id, std::int32_t k, std::int32_t to_k) {
    ASSERT_TRUE(
        net_.add(RowKind::update, {{number(id), number(k)}, {number(id), number(to_k)}}).ok());
  }
  void insert(std::int32_t id, std::int32_t k) {
    ASSERT_TRUE(net_.add(RowKind::insert, {{}, {number(id), number(k)}}).ok());
  }
  // The row keys in the order in which they would be sent.
  std::vector<std::int32_t> order() const {
    std::vector<std::size_t> entries(net_.entries().size());
    std::iota(entries.begin(), entries.end(), 0);
    std::vector<std::int32_t> ids;
    for (const std::size_t entry : in_write_order(net_, entries)) {
      std::int32_t id = 0;
      std::memcpy(&id, net_.image(net_.entries()[entry].key)[0].data, 4);
      ids.push_back(id);
    }
    return ids;
  }

  dispatch::ResolvedTable table_;
  NetRows net_{table_};
  std::deque<std::int32_t> numbers_;
};

TEST_F(WriteOrder, ByTheRowKeyWhereNoIndexChanges) {
  update(300, 5, 5);
  update(-2, 9, 9);
  update(7, 1, 1);
  EXPECT_EQ(order(), (std::vector<std::int32_t>{-2, 7, 300}));
}

TEST_F(WriteOrder, ByTheIndexThatMostRowsChange) {
  update(1, 0, 70000);
  update(2, 0, -5);
  update(3, 0, 6);
  update(4, 7, 7);
  EXPECT_EQ(order(), (std::vector<std::int32_t>{2, 3, 4, 1}));
}

TEST_F(WriteOrder, NewRowsByTheRowKey) {
  insert(256, 1);
  insert(1, 3);
  insert(255, 2);
  EXPECT_EQ(order(), (std::vector<std::int32_t>{1, 255, 256}));
}

TEST_F(WriteOrder, RowsThatHaveNothingToSortByStayInTheirOrder) {
  insert(30, 1);
  insert(10, 3);
  insert(20, 2);
  table_.wire_of.assign(2, dispatch::ResolvedTable::kNoWire);
  EXPECT_EQ(order(), (std::vector<std::int32_t>{30, 10, 20}));
}

TEST_F(WriteOrder, EverythingStaysWhateverTheOrder) {
  for (std::int32_t id = 0; id < 1000; ++id) insert((id * 7919) % 1000, 0);
  std::vector<std::int32_t> ids = order();
  ASSERT_EQ(ids.size(), 1000u);
  for (std::int32_t id = 0; id < 1000; ++id) EXPECT_EQ(ids[static_cast<std::size_t>(id)], id);
}

}  // namespace
}  // namespace wherry::sink
