// What is left of many changes of the same rows.

#include "sink/mysql/net_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "dispatch/plan_for_tests.h"

namespace wherry::sink {
namespace {

using decode::RowKind;
using Entry = NetRows::Entry;

class NetRowsTest : public ::testing::Test {
 protected:
  NetRowsTest() {
    table_.plan = dispatch::plan_of(dispatch::items_table());
    table_.map.columns = {{WireType::long_}, {WireType::varchar, 80}};
    table_.wire_of = {0, 1};
  }
  std::vector<decode::Cell> image(std::int32_t id, const char* name) {
    numbers_.push_back(std::make_unique<std::int32_t>(id));
    decode::Cell number;
    number.data = reinterpret_cast<const std::byte*>(numbers_.back().get());
    number.size = 4;
    number.present = true;
    decode::Cell text;
    text.present = true;
    text.null = name == nullptr;
    if (name != nullptr) {
      text.data = reinterpret_cast<const std::byte*>(name);
      text.size = static_cast<std::uint32_t>(std::strlen(name));
    }
    return {number, text};
  }
  void insert(std::int32_t id, const char* name) {
    ASSERT_TRUE(net_.add(RowKind::insert, {{}, image(id, name)}).ok());
  }
  void update(std::int32_t id, const char* name, std::int32_t to, const char* to_name) {
    ASSERT_TRUE(net_.add(RowKind::update, {image(id, name), image(to, to_name)}).ok());
  }
  void erase(std::int32_t id, const char* name) {
    ASSERT_TRUE(net_.add(RowKind::erase, {image(id, name), {}}).ok());
  }
  std::string row(std::size_t at) const {
    if (at == Entry::kNone) return "-";
    const decode::Cell* cells = net_.image(at);
    std::int32_t id = 0;
    std::memcpy(&id, cells[0].data, 4);
    std::string text = std::to_string(id) + ":";
    if (cells[1].null) return text + "NULL";
    return text.append(reinterpret_cast<const char*>(cells[1].data), cells[1].size);
  }
  // "before>after" of each key, in the order in which they came.
  std::vector<std::string> effects() const {
    std::vector<std::string> out;
    for (const Entry& entry : net_.entries())
      out.push_back(row(entry.first) + ">" + row(entry.last));
    return out;
  }

  dispatch::ResolvedTable table_;
  NetRows net_{table_};
  std::vector<std::unique_ptr<std::int32_t>> numbers_;
};

using Effects = std::vector<std::string>;

TEST_F(NetRowsTest, UpdatesOfARowBecomeOne) {
  update(1, "a", 1, "b");
  update(1, "b", 1, "c");
  EXPECT_EQ(effects(), (Effects{"1:a>1:c"}));
}

TEST_F(NetRowsTest, InsertedAndErasedLeavesNothing) {
  insert(1, "a");
  update(1, "a", 1, "b");
  erase(1, "b");
  EXPECT_EQ(effects(), (Effects{"->-"}));
  EXPECT_EQ(row(net_.entries()[0].key), "1:a");
}

TEST_F(NetRowsTest, ErasedAndInsertedIsAnUpdate) {
  erase(1, "a");
  insert(1, "b");
  EXPECT_EQ(effects(), (Effects{"1:a>1:b"}));
}

TEST_F(NetRowsTest, ChangedAndErasedIsAnEraseOfTheFirstImage) {
  update(1, "a", 1, "b");
  erase(1, "b");
  EXPECT_EQ(effects(), (Effects{"1:a>-"}));
}

TEST_F(NetRowsTest, KeyThatChangesIsTwoRows) {
  update(1, "a", 2, "a");
  EXPECT_EQ(effects(), (Effects{"1:a>-", "->2:a"}));
}

TEST_F(NetRowsTest, KeysThatAreSwappedAreTwoUpdates) {
  update(1, "a", 3, "a");
  update(2, "b", 1, "b");
  update(3, "a", 2, "a");
  EXPECT_EQ(effects(), (Effects{"1:a>1:b", "->-", "2:b>2:a"}));
}

TEST_F(NetRowsTest, BackToTheStartIsUnchanged) {
  update(1, "a", 1, "b");
  EXPECT_FALSE(net_.unchanged(net_.entries()[0]));
  update(1, "b", 1, "a");
  EXPECT_TRUE(net_.unchanged(net_.entries()[0]));
}

TEST_F(NetRowsTest, NullIsNotTheEmptyText) {
  update(1, nullptr, 1, "");
  EXPECT_FALSE(net_.unchanged(net_.entries()[0]));
  update(1, "", 1, nullptr);
  EXPECT_TRUE(net_.unchanged(net_.entries()[0]));
}

TEST_F(NetRowsTest, InsertsAndErasesAreNeverUnchanged) {
  insert(1, "a");
  erase(2, "b");
  for (const Entry& entry : net_.entries()) EXPECT_FALSE(net_.unchanged(entry));
}

TEST_F(NetRowsTest, RowWithoutItsKeyIsAnError) {
  auto before = image(1, "a");
  before[0].present = false;
  EXPECT_FALSE(net_.add(RowKind::erase, {before, {}}).ok());
}

}  // namespace
}  // namespace wherry::sink
