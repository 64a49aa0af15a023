// What the ring remembers of changes, and when it must admit that it does not.

#include "dispatch/change_ring.h"

#include <gtest/gtest.h>

namespace wherry::dispatch {
namespace {

constexpr char kUuid[] = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
constexpr std::size_t kRoomy = 1 << 20;

Hash128 row(std::uint64_t number) { return {number, ~number}; }

SnapshotPoint exact_at(std::uint64_t offset, std::string file = "bin.000001") {
  SnapshotPoint point;
  point.exact = true;
  point.high = {std::move(file), offset};
  return point;
}

SnapshotPoint low_set(std::string low, std::uint64_t high) {
  SnapshotPoint point;
  point.high = {"bin.000001", high};
  point.low = std::move(low);
  return point;
}

std::string gtids(std::uint64_t through) {
  return std::string(kUuid) + ":1-" + std::to_string(through);
}

// Group n ends at offset n * 100, is uuid:n and changes row n of table 1.
void add_groups(ChangeRing& ring, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t n = first; n <= last; ++n) {
    ring.begin({"bin.000001", n * 100}, kUuid, n);
    ring.add(1, row(n));
  }
}

void expect_changed(const ChangeRing& ring, const SnapshotPoint& point,
                    const std::vector<std::uint64_t>& rows) {
  const auto changed = ring.changed_since(point, 1);
  ASSERT_TRUE(changed.ok()) << changed.error().what;
  IdentitySet expected;
  for (const std::uint64_t number : rows) expected.insert(row(number));
  EXPECT_EQ(changed.value(), expected);
}

void expect_lost(const ChangeRing& ring, const SnapshotPoint& point, std::uint32_t table = 1) {
  const auto changed = ring.changed_since(point, table);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().code, Errc::lost);
  EXPECT_FALSE(ring.touched_since(point, table).ok());
}

TEST(ChangeRingTest, ExactPointShowsTheGroupThatEndsThere) {
  ChangeRing ring(kRoomy);
  add_groups(ring, 1, 4);
  expect_changed(ring, exact_at(200), {3, 4});
  expect_changed(ring, exact_at(199), {2, 3, 4});
  expect_changed(ring, exact_at(400), {});
  EXPECT_EQ(ring.changed_since(exact_at(0), 2).value().size(), 0u);
  EXPECT_TRUE(ring.touched_since(exact_at(300), 1).value());
  EXPECT_FALSE(ring.touched_since(exact_at(400), 1).value());
}

TEST(ChangeRingTest, FilesAreOrderedByNumber) {
  ChangeRing ring(kRoomy);
  ring.begin({"bin.999999", 900}, "", 0);
  ring.add(1, row(1));
  ring.begin({"bin.1000000", 100}, "", 0);
  ring.add(1, row(2));
  expect_changed(ring, exact_at(900, "bin.999999"), {2});
}

TEST(ChangeRingTest, LowSetLeavesOutOnlyWhatItHolds) {
  ChangeRing ring(kRoomy);
  add_groups(ring, 1, 4);
  // The upper bound says nothing about what the snapshot shows below it.
  expect_changed(ring, low_set(gtids(2), 400), {3, 4});
  expect_changed(ring, low_set(std::string(kUuid) + ":1:3", 400), {2, 4});
  expect_changed(ring, low_set("", 400), {1, 2, 3, 4});
}

TEST(ChangeRingTest, GroupWithoutGtidIsAfterEveryLowSet) {
  ChangeRing ring(kRoomy);
  ring.begin({"bin.000001", 100}, "", 0);
  ring.add(1, row(1));
  expect_changed(ring, low_set(gtids(9), 400), {1});
}

TEST(ChangeRingTest, DroppedGroupWithoutGtidIsLostToEveryLowSet) {
  ChangeRing ring(2000);
  ring.begin({"bin.000001", 100}, "", 0);
  ring.add(1, row(1));
  ring.begin({"bin.000001", 150}, "", 0);  // touched nothing
  add_groups(ring, 2, 200);
  expect_lost(ring, low_set(gtids(200), 20000));
  EXPECT_TRUE(ring.changed_since(low_set(gtids(200), 20000), 2).ok());
  expect_changed(ring, exact_at(20000), {});
  ring.forget(1);
  expect_changed(ring, low_set(gtids(200), 20000), {});
}

TEST(ChangeRingTest, LateGroupCountsUnlessTheTableHasSettled) {
  ChangeRing ring(kRoomy);
  ring.begin({"bin.000001", 100}, kUuid, 1, true);
  ring.add(1, row(1));
  expect_changed(ring, exact_at(500), {1});
  expect_changed(ring, low_set(gtids(1), 500), {1});
  SnapshotPoint settled = exact_at(500);
  settled.settled = true;
  expect_changed(ring, settled, {});
  settled.high.offset = 50;
  expect_changed(ring, settled, {1});
}

TEST(ChangeRingTest, RowChangedBeforeAndAfterCounts) {
  ChangeRing ring(kRoomy);
  add_groups(ring, 1, 2);
  ring.begin({"bin.000001", 300}, kUuid, 3);
  ring.add(1, row(1));
  expect_changed(ring, exact_at(200), {1});
}

TEST(ChangeRingTest, PointOlderThanTheRingIsLost) {
  ChangeRing ring(2000);
  add_groups(ring, 1, 200);
  expect_lost(ring, exact_at(100));
  expect_lost(ring, low_set(gtids(1), 20000));
  // A table that nothing changed is no better known than others.
  expect_lost(ring, exact_at(100), 2);
  expect_changed(ring, exact_at(19900), {200});
  expect_changed(ring, low_set(gtids(199), 20000), {200});
}

TEST(ChangeRingTest, EveryPointIsAnsweredRightOrLost) {
  ChangeRing ring(2000);
  add_groups(ring, 1, 200);
  bool known = false;
  for (std::uint64_t n = 1; n <= 200; ++n) {
    const auto changed = ring.changed_since(exact_at(n * 100), 1);
    if (changed.ok()) {
      EXPECT_EQ(changed.value().size(), 200 - n);
      known = true;
    } else {
      EXPECT_FALSE(known) << "a newer point is lost where an older one is known: " << n;
    }
    EXPECT_EQ(ring.changed_since(low_set(gtids(n), 20000), 1).ok(), changed.ok()) << n;
  }
  EXPECT_TRUE(known);
}

TEST(ChangeRingTest, BarrierRefusesOlderPointsOfItsTable) {
  ChangeRing ring(kRoomy);
  add_groups(ring, 1, 2);
  ring.begin({"bin.000001", 300}, kUuid, 3);
  ring.barrier(1);
  add_groups(ring, 4, 4);
  expect_lost(ring, exact_at(200));
  expect_lost(ring, low_set(gtids(2), 300));
  expect_changed(ring, exact_at(300), {4});
  expect_changed(ring, low_set(gtids(3), 300), {4});
  EXPECT_TRUE(ring.changed_since(exact_at(200), 2).ok());
}

TEST(ChangeRingTest, BarrierOutlivesItsGroup) {
  ChangeRing ring(2000);
  add_groups(ring, 1, 1);
  ring.barrier(1);
  add_groups(ring, 2, 200);
  expect_changed(ring, exact_at(19900), {200});
  expect_lost(ring, exact_at(50));
}

TEST(ChangeRingTest, PartialKeysAreKnownUntilTheyAreTrimmedOrForgotten) {
  ChangeRing ring(4000);
  add_groups(ring, 1, 2);
  ring.add_partial(1, row(2), {"2", "b"});
  EXPECT_TRUE(ring.partial_since(exact_at(200), 1).value().empty());
  EXPECT_TRUE(ring.partial_since(low_set(gtids(2), 900), 1).value().empty());
  EXPECT_EQ(ring.partial_since(exact_at(100), 1).value().at(row(2)), (RowKey{"2", "b"}));
  EXPECT_EQ(ring.partial_since(low_set(gtids(1), 900), 1).value().size(), 1u);
  EXPECT_TRUE(ring.partial_since(exact_at(100), 2).value().empty());
  add_groups(ring, 3, 200);
  EXPECT_TRUE(ring.partial_since(exact_at(100), 1).value().empty());
  ring.add_partial(1, row(200), {"200"});
  ring.forget(1);
  EXPECT_TRUE(ring.partial_since(exact_at(100), 1).value().empty());
}

TEST(ChangeRingTest, MalformedLowSetIsAnError) {
  ChangeRing ring(kRoomy);
  add_groups(ring, 1, 1);
  EXPECT_FALSE(ring.changed_since(low_set("not a set", 100), 1).ok());
}

TEST(ChangeRingTest, ForgottenTableFreesItsRoom) {
  ChangeRing ring(4000);
  ring.begin({"bin.000001", 50}, kUuid, 1);
  for (std::uint64_t n = 0; n < 100; ++n) ring.add(2, row(n));
  ring.barrier(2);
  ring.forget(2);
  EXPECT_TRUE(ring.changed_since(exact_at(0), 2).value().empty());
  add_groups(ring, 2, 20);
  EXPECT_EQ(ring.changed_since(exact_at(50), 1).value().size(), 19u);
}

TEST(ChangeRingTest, ClearedRingKnowsNothing) {
  ChangeRing ring(2000);
  add_groups(ring, 1, 200);
  ring.barrier(1);
  ring.clear();
  expect_changed(ring, exact_at(4, "other.000001"), {});
  add_groups(ring, 1, 1);
  expect_changed(ring, exact_at(50), {1});
}

}  // namespace
}  // namespace wherry::dispatch
