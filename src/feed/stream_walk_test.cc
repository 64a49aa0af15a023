// Walks of all tables and of one see the same events under the same numbers, whatever they leave
// out on the way.

#include "feed/stream_walk.h"

#include <gtest/gtest.h>

#include "feed/stream_for_tests.h"

namespace wherry::feed {
namespace {

class StreamWalkTest : public ::testing::Test {
 protected:
  StreamWalkTest() {
    log_ = store::open_log(store::small_options(folder_.path()));
    stream_ = std::make_unique<SourceStream>(*log_);
  }

  struct Seen {
    StreamPoint at;
    std::string target;  // empty: a statement
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> walk(const StreamPoint& from, const std::optional<TableName>& only = {}) {
    StreamWalkOptions options;
    options.only = only;
    StreamWalk walk(*log_, from, rules_, book_, options);
    std::vector<Seen> all;
    while (walk.done() + 1 < stream_->next_cseq()) {
      Result<const StreamStep*> step = walk.next(store::kNow);
      if (!store::ok(step)) break;
      if (step.value() == nullptr) continue;
      const bool rows = step.value()->kind == StreamStep::Kind::rows;
      all.push_back(
          {step.value()->at, rows ? step.value()->table->target.to_string() : std::string()});
    }
    return all;
  }

  store::Folder folder_;
  std::unique_ptr<store::Log> log_;
  std::unique_ptr<SourceStream> stream_;
  TableRules rules_;
  XaBook book_;
};

TEST_F(StreamWalkTest, AWalkOfOneTableFindsEachPlaceOfTheRoad) {
  stream_->insert("a", 1, 0).insert("b", 1, 0).insert("a", 2, 0).commit();
  stream_->insert("c", 1, 0).commit();
  stream_->query("XA START " + SourceStream::xid('p'));
  stream_->insert("a", 3, 0).insert("b", 2, 0).insert("b", 3, 0).insert("a", 4, 0).prepare('p');
  stream_->statement("ALTER TABLE a ADD c INT");
  stream_->insert("b", 4, 0).commit();
  stream_->statement("XA COMMIT " + SourceStream::xid('p'));
  stream_->insert("a", 5, 0).insert("b", 5, 0).commit();
  stream_->publish();
  const std::vector<Seen> road = walk({1, 0});
  ASSERT_EQ(road.size(), 12u);
  for (const char* name : {"a", "b", "c"}) {
    const TableName only{"db", name};
    for (std::size_t from = 0; from < road.size(); ++from) {
      if (road[from].target != only.to_string()) continue;
      std::vector<Seen> wanted;
      for (std::size_t i = from; i < road.size(); ++i) {
        if (road[i].target.empty() || road[i].target == only.to_string()) wanted.push_back(road[i]);
      }
      EXPECT_EQ(walk(road[from].at, only), wanted) << name << " from " << from;
    }
  }
}

TEST_F(StreamWalkTest, WhatIsNotFollowedIsLeftOutOfTheBatch) {
  rules_.selection = Selection({Pattern::parse("db.a").value()}, {}, NameCase::exact);
  for (int i = 1; i <= 50; ++i) stream_->insert("b", i, 0).insert("c", i, 0).commit();
  stream_->insert("b", 51, 0).insert("a", 1, 0).commit();
  stream_->publish();
  StreamWalk walk(*log_, {1, 0}, rules_, book_, {});
  Result<const StreamStep*> step = walk.next(store::kNow);
  ASSERT_TRUE(store::ok(step));
  ASSERT_NE(step.value(), nullptr);
  EXPECT_EQ(step.value()->at, (StreamPoint{51, 3}));
  EXPECT_EQ(step.value()->origin.gtid, std::string(store::kUuid) + ":51");
  EXPECT_EQ(walk.batch()->events.size(), 2u);
  EXPECT_EQ(walk.batch()->groups.size(), 51u);
}

TEST_F(StreamWalkTest, ANumberOfATableMayBeGivenToAnother) {
  rules_.selection = Selection({Pattern::parse("db.b").value()}, {}, NameCase::exact);
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  SourceStream restarted(*log_, stream_->next_cseq());  // it counts tables from 1 again
  restarted.insert("b", 1, 0).commit();
  restarted.insert("a", 2, 0).commit();
  restarted.publish();
  std::vector<StreamPoint> found;
  StreamWalk walk(*log_, {1, 0}, rules_, book_, {});
  while (walk.done() < 3) {
    Result<const StreamStep*> step = walk.next(store::kNow);
    ASSERT_TRUE(store::ok(step));
    if (step.value() != nullptr) found.push_back(step.value()->at);
  }
  EXPECT_EQ(found, (std::vector<StreamPoint>{{2, 1}}));
}

}  // namespace
}  // namespace wherry::feed
