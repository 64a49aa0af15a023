// One chunk of a slice at a time, so that one which is read again leaves no gap.

#include "copy/slice_queue.h"

#include <gtest/gtest.h>

namespace wherry::copy {
namespace {

using namespace std::chrono_literals;

Slice slice_of(std::uint32_t table, std::uint32_t number = 0, bool whole = false) {
  Slice slice;
  slice.id = {table, number};
  slice.whole = whole;
  return slice;
}

dispatch::Chunk chunk_of(const Slice& slice, const std::optional<std::string>& last_key,
                         bool last = false) {
  dispatch::Chunk chunk;
  chunk.slice = slice.id;
  chunk.whole = slice.whole;
  if (last_key) chunk.last_key = key_to_text({*last_key});
  chunk.last = last;
  chunk.rows = 10;
  chunk.lines = std::string(100, 'x');
  chunk.placed_at = 42;
  return chunk;
}

class SliceQueueTest : public ::testing::Test {
 protected:
  std::optional<Slice> take() { return queue_.take(0ms); }
  SliceQueue queue_;
};

TEST_F(SliceQueueTest, TablesAreTakenInTheirOrder) {
  queue_.add({slice_of(5, 0), slice_of(5, 1)});
  queue_.add({slice_of(2)});
  EXPECT_EQ(take()->id.number, 0u);
  EXPECT_EQ(take()->id.number, 1u);
  EXPECT_EQ(take()->id.table, 2u);
  EXPECT_FALSE(take());
}

TEST_F(SliceQueueTest, ASliceGoesOnBehindTheEmptyKey) {
  queue_.add({slice_of(1)});
  const auto first = take();
  ASSERT_TRUE(first);
  auto chunk = chunk_of(*first, "");
  queue_.placed(chunk);
  const auto next = take();
  ASSERT_TRUE(next && next->reached);
  EXPECT_EQ(*next->reached, Key{""});
  EXPECT_EQ(queue_.after_commit(chunk).reached, Key{""});
  const Result<Slice> resumed = slice_from_json(next->id, to_json(*next));
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed.value().reached, Key{""});
}

TEST_F(SliceQueueTest, TableBeginsAnewUnderANewNumber) {
  queue_.add({slice_of(1, 0), slice_of(1, 1, true), slice_of(2)});
  const auto old = take();
  const auto whole = take();
  ASSERT_TRUE(old && whole);
  const Slice fresh = queue_.restart_table(1, true);
  EXPECT_EQ(fresh.id.number, 2u);
  EXPECT_TRUE(fresh.whole);
  queue_.again(old->id);  // refused: its chunk was on its way
  EXPECT_EQ(take()->id.table, 2u);
  EXPECT_EQ(take()->id.number, 2u);
  EXPECT_FALSE(take());
  auto chunk = chunk_of(fresh, std::nullopt, true);
  queue_.placed(chunk);
  EXPECT_TRUE(queue_.committed(chunk));
  queue_.drop_table(2);
  EXPECT_TRUE(queue_.all_committed());
}

TEST_F(SliceQueueTest, RowsAreReadAgainWhileTheTableIsRead) {
  queue_.add({slice_of(1)});
  const auto first = take();
  ASSERT_TRUE(first);
  const auto added = queue_.read_again(1, std::vector<Key>(201, Key{"7"}));
  ASSERT_EQ(added.size(), 2u);
  EXPECT_EQ(added[0].only.size(), 200u);
  EXPECT_EQ(added[1].only.size(), 1u);
  auto last = chunk_of(*first, "9", true);
  queue_.placed(last);
  EXPECT_FALSE(queue_.committed(last));  // two slices more
  for (int i = 0; i < 2; ++i) {
    const auto slice = take();
    ASSERT_TRUE(slice);
    auto chunk = chunk_of(*slice, "7", true);
    EXPECT_EQ(queue_.read_again(1, {{"8"}}).size(), 1u);
    queue_.placed(chunk);
    EXPECT_FALSE(queue_.committed(chunk));
  }
  for (int i = 0; i < 2; ++i) {
    const auto slice = take();
    ASSERT_TRUE(slice);
    auto chunk = chunk_of(*slice, "8", true);
    queue_.placed(chunk);
    EXPECT_EQ(queue_.committed(chunk), i == 1);
  }
  EXPECT_TRUE(queue_.read_again(1, {{"9"}}).empty());
  EXPECT_TRUE(queue_.all_committed());
}

TEST_F(SliceQueueTest, NextChunkIsReadOnceTheLastHasItsPlace) {
  queue_.add({slice_of(1)});
  const auto first = take();
  ASSERT_TRUE(first);
  EXPECT_FALSE(take());
  queue_.placed(chunk_of(*first, "10"));
  const auto second = take();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->reached, Key{"10"});
}

TEST_F(SliceQueueTest, ChunkThatIsReadAgainLeavesNoGap) {
  queue_.add({slice_of(1)});
  queue_.placed(chunk_of(*take(), "10"));
  ASSERT_TRUE(take());  // read through 20, then refused
  queue_.again({1, 0});
  const auto again = take();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->reached, Key{"10"});
  EXPECT_FALSE(take());
}

TEST_F(SliceQueueTest, AgainOfASliceThatIsReadyChangesNothing) {
  queue_.add({slice_of(1)});
  queue_.again({1, 0});
  ASSERT_TRUE(take());
  EXPECT_FALSE(take());
  queue_.again({1, 0});
  queue_.again({1, 0});
  ASSERT_TRUE(take());
  EXPECT_FALSE(take());
}

TEST_F(SliceQueueTest, TableIsCommittedWithItsLastSlice) {
  queue_.add({slice_of(1, 0), slice_of(1, 1)});
  const auto a = chunk_of(*take(), "10", true);
  const auto b = chunk_of(*take(), "20", true);
  queue_.placed(a);
  queue_.placed(b);
  EXPECT_FALSE(take());
  EXPECT_FALSE(queue_.committed(b));
  EXPECT_FALSE(queue_.table_committed(1));
  EXPECT_TRUE(queue_.committed(a));
  EXPECT_TRUE(queue_.table_committed(1));
  EXPECT_TRUE(queue_.all_committed());
  EXPECT_FALSE(queue_.committed(a));  // said once
}

TEST_F(SliceQueueTest, ChunkBeforeTheLastCommitsNothingWhole) {
  queue_.add({slice_of(1)});
  const auto chunk = chunk_of(*take(), "10");
  queue_.placed(chunk);
  EXPECT_FALSE(queue_.committed(chunk));
  EXPECT_FALSE(queue_.all_committed());
}

TEST_F(SliceQueueTest, RecordSaysWhatIsAtTheTarget) {
  queue_.add({slice_of(1)});
  const auto first = chunk_of(*take(), "10");
  queue_.placed(first);
  const auto second = chunk_of(*take(), "20", true);
  queue_.placed(second);
  // The second has its place, but what the first records is its own end.
  EXPECT_EQ(queue_.after_commit(first).reached, Key{"10"});
  EXPECT_FALSE(queue_.after_commit(first).done);
  EXPECT_EQ(queue_.after_commit(first).rows, 10u);
  queue_.committed(first);
  const Slice done = queue_.after_commit(second);
  EXPECT_EQ(done.reached, Key{"20"});
  EXPECT_TRUE(done.done);
  EXPECT_EQ(done.rows, 20u);
  EXPECT_EQ(done.bytes, 200u);
  EXPECT_EQ(done.placed_at, 42u);
}

TEST_F(SliceQueueTest, EmptyLastChunkKeepsTheKey) {
  queue_.add({slice_of(1)});
  const auto first = chunk_of(*take(), "10");
  queue_.placed(first);
  const auto last = chunk_of(*take(), std::nullopt, true);
  queue_.placed(last);
  EXPECT_EQ(queue_.after_commit(last).reached, Key{"10"});
}

TEST_F(SliceQueueTest, DoneSlicesOnlyCount) {
  Slice done = slice_of(1, 0);
  done.done = true;
  queue_.add({done, slice_of(1, 1)});
  EXPECT_EQ(take()->id.number, 1u);
  EXPECT_FALSE(take());
  EXPECT_FALSE(queue_.table_committed(1));
  EXPECT_TRUE(queue_.committed(chunk_of(slice_of(1, 1), "9", true)));
}

TEST_F(SliceQueueTest, OneTableWithoutAKeyAtATime) {
  queue_.add({slice_of(1, 0, true), slice_of(2, 0, true), slice_of(3)});
  const auto whole = take();
  EXPECT_EQ(whole->id.table, 1u);
  EXPECT_EQ(take()->id.table, 3u);
  EXPECT_FALSE(take());
  queue_.placed(chunk_of(*whole, std::nullopt));
  EXPECT_FALSE(take());  // more of it follows
  queue_.placed(chunk_of(*whole, std::nullopt, true));
  EXPECT_EQ(take()->id.table, 2u);
}

TEST_F(SliceQueueTest, RefusedTableWithoutAKeyLetsOthersGo) {
  queue_.add({slice_of(1, 0, true), slice_of(2, 0, true)});
  ASSERT_TRUE(take());
  queue_.again({1, 0});
  const auto next = take();
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->reached);
  EXPECT_FALSE(take());
}

TEST_F(SliceQueueTest, DroppedTableIsDone) {
  queue_.add({slice_of(1, 0), slice_of(1, 1), slice_of(2)});
  const auto reading = take();
  queue_.drop_table(1);
  EXPECT_TRUE(queue_.table_committed(1));
  EXPECT_EQ(take()->id.table, 2u);
  EXPECT_FALSE(queue_.committed(chunk_of(*reading, "10", true)));
  queue_.again(reading->id);
  EXPECT_FALSE(take());
  EXPECT_TRUE(queue_.table_committed(1));
}

TEST_F(SliceQueueTest, DroppedTableWithoutAKeyLetsOthersGo) {
  queue_.add({slice_of(1, 0, true), slice_of(2, 0, true)});
  ASSERT_TRUE(take());
  queue_.drop_table(1);
  queue_.again({1, 0});  // its reader failed: the table is gone
  EXPECT_TRUE(take());
}

}  // namespace
}  // namespace wherry::copy
