// Tables that stop do not hold up others, nothing is lost or doubled, and the checkpoint is exact.
// One thread does everything here, so that each order of events can be chosen.

#include "feed/table_router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "feed/sink_for_tests.h"
#include "feed/stream_for_tests.h"

namespace wherry::feed {
namespace {

using Strings = std::vector<std::string>;

// Small enough that the second hand-over of a table stops it.
constexpr dispatch::InflightLimits kTiny{1, 0, 1 << 20, 1 << 19};
constexpr dispatch::InflightLimits kRoomy{1 << 20, 1 << 19, 1 << 22, 1 << 21};

class TableRouterTest : public ::testing::Test {
 protected:
  TableRouterTest() {
    log_ = store::open_log(store::small_options(folder_.path()));
    stream_ = std::make_unique<SourceStream>(*log_);
  }
  void open(const dispatch::InflightLimits& limits, std::uint64_t done = 0) {
    TableRouterOptions options;
    options.limits = limits;
    options.chunk_bytes = chunk_bytes_;
    options.done = done;
    router_.emplace(sink_, options, [this](const StreamPoint& from, const TableName& only) {
      StreamWalkOptions walk;
      walk.only = only;
      walk.reader.batch_bytes = 300;
      ++walks_;
      return std::make_unique<StreamWalk>(*log_, from, rules_, book_, walk);
    });
    ASSERT_TRUE(sink_.start(*router_).ok());
    StreamWalkOptions walk;
    walk.reader.batch_bytes = batch_bytes_;
    road_ = std::make_unique<StreamWalk>(*log_, StreamPoint{done + 1, 0}, rules_, book_, walk);
  }
  // The road takes what there is, one batch at most.
  bool drive() {
    for (;;) {
      Result<const StreamStep*> step = road_->next(store::kNow);
      if (!store::ok(step)) return false;
      if (step.value() == nullptr) break;
      if (step.value()->kind == StreamStep::Kind::rows)
        router_->rows(*step.value());
      else
        block(*step.value());
    }
    if (road_->batch() == nullptr) return false;
    router_->flush(road_->done());
    return true;
  }
  void drive_all() {
    stream_->publish();
    while (drive()) {
    }
  }
  void block(const StreamStep& step) {
    BlockOrder order;
    for (const sql::NameSpan& object : step.statement.objects) {
      order.tables.push_back({object.name, object.name});
      if (!std::count(order.event.targets.begin(), order.event.targets.end(), object.name))
        order.event.targets.push_back(object.name);
    }
    if (order.tables.empty()) order.whole_database = step.statement.database;
    order.drops = step.statement.kind == sql::Kind::drop_table;
    order.event.origin = step.origin;
    order.event.kind = "ddl";
    router_->block(step.at, std::move(order));
  }
  // All turns that are queued now, and those that come of them.
  void turn_all() {
    while (router_->run_turn_now()) {
    }
  }

  store::Folder folder_;
  std::unique_ptr<store::Log> log_;
  std::unique_ptr<SourceStream> stream_;
  TableRules rules_;
  XaBook book_;
  HeldSink sink_;
  std::optional<TableRouter> router_;
  std::unique_ptr<StreamWalk> road_;
  std::size_t chunk_bytes_ = 1 << 20;
  std::size_t batch_bytes_ = 512 << 10;
  int walks_ = 0;
};

TEST_F(TableRouterTest, CheckpointIsBeforeTheFirstThatIsNotDurable) {
  open(kRoomy);
  for (int i = 1; i <= 3; ++i) {
    stream_->insert("a", i, 0).commit();
    drive_all();
  }
  stream_->insert("b", 4, 0).commit();
  drive_all();
  EXPECT_EQ(router_->checkpoint(), 0u);
  EXPECT_TRUE(sink_.finish_one("db.b"));
  EXPECT_EQ(router_->checkpoint(), 0u);
  EXPECT_TRUE(sink_.finish_one("db.a"));
  EXPECT_EQ(router_->checkpoint(), 1u);
  EXPECT_TRUE(sink_.finish_one("db.a"));
  EXPECT_TRUE(sink_.finish_one("db.a"));
  EXPECT_EQ(router_->checkpoint(), 4u);
  stream_->commit();
  drive_all();
  EXPECT_EQ(router_->checkpoint(), 5u) << "an empty transaction is durable at once";
}

TEST_F(TableRouterTest, BlockedTableLeavesTheRoadAndComesBack) {
  open(kTiny);
  stream_->insert("a", 1, 0).insert("b", 1, 0).commit();
  drive_all();
  for (int i = 2; i <= 5; ++i) {
    stream_->insert("a", i, 0).commit();
    drive_all();
    sink_.finish_one("db.b");
    stream_->insert("b", i, 0).commit();
    drive_all();
  }
  EXPECT_EQ(sink_.log("db.a"), Strings{"1:1"});
  EXPECT_EQ(sink_.log("db.b"), (Strings{"1:1", "3:2", "5:3", "7:4", "9:5"}));
  EXPECT_EQ(router_->stats().detached, 1u);
  EXPECT_EQ(router_->checkpoint(), 0u);
  turn_all();
  EXPECT_EQ(walks_, 0) << "nothing woke it yet";

  sink_.finish_one("db.a");
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "2:2", "4:3", "6:4", "8:5"}));
  EXPECT_EQ(router_->stats().detached, 0u);
  EXPECT_EQ(walks_, 1);
  EXPECT_EQ(router_->checkpoint(), 1u);
  sink_.finish_all();
  EXPECT_EQ(router_->checkpoint(), 9u);

  stream_->insert("a", 6, 0).commit();
  drive_all();
  EXPECT_EQ(sink_.log("db.a").back(), "10:6") << "by the road again";
  EXPECT_EQ(walks_, 1);
}

TEST_F(TableRouterTest, RowsThatTheRoadStillHasAreNotTakenTwice) {
  batch_bytes_ = 1 << 20;
  open(kTiny);
  stream_->insert("a", 1, 0).commit();
  drive_all();
  stream_->insert("a", 2, 0).commit();
  for (int i = 3; i <= 8; ++i) stream_->insert("b", i, 0).commit();
  stream_->insert("a", 9, 0).commit();
  stream_->publish();
  // The road is in the middle of its batch when the table is through with what was left to it.
  Result<const StreamStep*> step = road_->next(store::kNow);
  ASSERT_TRUE(store::ok(step));
  router_->rows(*step.value());
  sink_.finish_one("db.a");
  turn_all();
  sink_.finish_one("db.a");
  drive_all();
  sink_.finish_all();
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "2:2", "9:9"}));
  EXPECT_EQ(sink_.log("db.b").size(), 6u);
  sink_.finish_all();
  EXPECT_EQ(router_->checkpoint(), 9u);
}

TEST_F(TableRouterTest, DurableInsideTheHandOverBlocksNobody) {
  sink_.at_once = true;
  open({1, 0, 2, 1});
  for (int i = 1; i <= 50; ++i) stream_->insert("a", i, 0).insert("b", i, 0).commit();
  drive_all();
  EXPECT_EQ(sink_.log("db.a").size(), 50u);
  EXPECT_EQ(sink_.log("db.b").size(), 50u);
  EXPECT_EQ(router_->checkpoint(), 50u);
  EXPECT_EQ(walks_, 0);
}

TEST_F(TableRouterTest, RowLargerThanEveryMarkPasses) {
  open({10, 5, 20, 10});
  stream_->pad = 5000;
  stream_->insert("a", 1, 0).commit();
  sink_.at_once = true;
  drive_all();
  EXPECT_EQ(sink_.log("db.a"), Strings{"1:1"});
  EXPECT_EQ(router_->checkpoint(), 1u);
}

TEST_F(TableRouterTest, TransactionInPartsIsWholeForATableThatStops) {
  chunk_bytes_ = 400;
  batch_bytes_ = 300;
  open(kTiny);
  Strings wanted;
  for (int i = 1; i <= 60; ++i) {
    stream_->insert("a", i, 0).insert("b", i, 0);
    wanted.push_back("1:" + std::to_string(i));
  }
  stream_->commit();
  stream_->publish();
  for (bool more = true; more;) {
    more = drive();
    more |= sink_.finish_all();
    turn_all();
    more |= sink_.finish_all();
  }
  EXPECT_EQ(sink_.log("db.a"), wanted);
  EXPECT_EQ(sink_.log("db.b"), wanted);
  EXPECT_GT(walks_, 0);
  EXPECT_EQ(router_->checkpoint(), 1u);
}

TEST_F(TableRouterTest, StatementWaitsForTheRowsBeforeItAndHoldsTheRowsBehind) {
  open(kRoomy);
  stream_->insert("a", 1, 0).insert("b", 1, 0).commit();
  stream_->statement("ALTER TABLE a ADD c INT");
  stream_->insert("a", 3, 0).insert("b", 3, 0).commit();
  drive_all();
  EXPECT_EQ(sink_.blocks(), 0u);
  EXPECT_EQ(sink_.log("db.a"), Strings{"1:1"});
  EXPECT_EQ(sink_.log("db.b"), (Strings{"1:1", "3:3"}));
  sink_.finish_one("db.b");
  EXPECT_EQ(sink_.blocks(), 0u);
  sink_.finish_one("db.a");
  EXPECT_EQ(sink_.blocks(), 1u);
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "ddl 2"})) << "the statement is not durable yet";
  EXPECT_EQ(router_->checkpoint(), 1u);
  sink_.finish_block();
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "ddl 2", "3:3"}));
  sink_.finish_all();
  EXPECT_EQ(router_->checkpoint(), 3u);
  EXPECT_EQ(router_->stats().detached, 0u);
}

TEST_F(TableRouterTest, LastFlushWhileAStatementRegisters) {
  open(kRoomy);
  stream_->insert("a", 1, 0).commit();
  drive_all();
  sink_.at_once = true;  // the hand-over inside block() is durable before it returns
  sink_.finish_all();
  stream_->insert("a", 2, 0).commit();
  stream_->statement("ALTER TABLE a ADD c INT");
  stream_->insert("a", 4, 0).commit();
  drive_all();
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "2:2", "ddl 3", "4:4"}));
  EXPECT_EQ(router_->checkpoint(), 4u);
}

TEST_F(TableRouterTest, StatementOfSeveralTablesIsABarrierOverExactlyThem) {
  open(kTiny);
  stream_->insert("a", 1, 0).insert("b", 1, 0).insert("c", 1, 0).commit();
  drive_all();
  stream_->insert("a", 2, 0).commit();  // a is blocked: it leaves the road
  stream_->statement("RENAME TABLE a TO t, b TO a, t TO b");
  stream_->insert("a", 4, 0).insert("b", 4, 0).commit();
  drive_all();
  EXPECT_EQ(router_->stats().detached, 2u);  // b's rows wait behind the statement
  sink_.finish_one("db.b");
  sink_.finish_one("db.c");
  stream_->insert("c", 5, 0).commit();
  drive_all();
  EXPECT_EQ(sink_.log("db.c").back(), "5:5") << "a table beside it goes on";
  turn_all();
  EXPECT_EQ(sink_.blocks(), 0u);
  sink_.finish_one("db.a");  // wakes a, which takes its row of 2 and comes to the statement
  turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "2:2"}));
  EXPECT_EQ(sink_.blocks(), 0u) << "not durable yet";
  sink_.finish_one("db.a");
  turn_all();
  EXPECT_EQ(sink_.blocks(), 1u);
  EXPECT_EQ(router_->checkpoint(), 2u);
  while (sink_.finish_all()) turn_all();
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "2:2", "ddl 3", "4:4"}));
  EXPECT_EQ(sink_.log("db.b"), (Strings{"1:1", "ddl 3", "4:4"}));
  EXPECT_EQ(sink_.log("statements"), Strings{"ddl 3"});
  EXPECT_EQ(router_->checkpoint(), 5u);
}

TEST_F(TableRouterTest, SeriesOfStatementsRunsInOrder) {
  open(kRoomy);
  stream_->insert("a", 1, 0).commit();
  for (int i = 0; i < 4; ++i) {
    stream_->statement("ALTER TABLE a ADD c INT");
    stream_->insert("a", 10 + i, 0).commit();
  }
  drive_all();
  for (int i = 0; i < 20; ++i) {
    sink_.finish_all();
    turn_all();
  }
  EXPECT_EQ(sink_.log("db.a"),
            (Strings{"1:1", "ddl 2", "3:10", "ddl 4", "5:11", "ddl 6", "7:12", "ddl 8", "9:13"}));
  EXPECT_EQ(router_->checkpoint(), 9u);
}

TEST_F(TableRouterTest, StatementAboutADatabaseHoldsNewTablesToo) {
  open(kRoomy);
  stream_->insert("a", 1, 0).insert("other.x", 1, 0).commit();
  stream_->statement("ALTER DATABASE db CHARACTER SET latin1");
  stream_->statement("CREATE TABLE n (id INT)");
  stream_->insert("n", 4, 0).insert("a", 4, 0).insert("other.x", 4, 0).commit();
  drive_all();
  turn_all();
  EXPECT_EQ(sink_.log("other.x"), (Strings{"1:1", "4:4"}));
  EXPECT_EQ(sink_.log("db.n"), Strings{});
  EXPECT_EQ(sink_.blocks(), 0u);
  for (int i = 0; i < 5; ++i) {
    sink_.finish_all();
    turn_all();
  }
  EXPECT_EQ(sink_.log("db.n"), (Strings{"ddl 3", "4:4"}));
  EXPECT_EQ(sink_.log("statements"), (Strings{"ddl 2", "ddl 3"}));
  EXPECT_EQ(router_->checkpoint(), 4u);
}

TEST_F(TableRouterTest, DroppedTableIsRemovedOnceItIsIdle) {
  open(kRoomy);
  stream_->insert("a", 1, 0).insert("b", 1, 0).commit();
  stream_->statement("DROP TABLE a");
  drive_all();
  EXPECT_EQ(router_->stats().dispatchers, 2u);
  sink_.finish_all();
  stream_->commit();
  drive_all();
  EXPECT_EQ(router_->stats().dispatchers, 1u);
  stream_->statement("CREATE TABLE a (id INT)");
  stream_->insert("a", 5, 0).commit();
  drive_all();
  for (int i = 0; i < 3; ++i) {
    sink_.finish_all();
    turn_all();
  }
  EXPECT_EQ(sink_.log("db.a"), (Strings{"1:1", "ddl 2", "ddl 4", "5:5"}));
  EXPECT_EQ(router_->checkpoint(), 5u);
}

TEST_F(TableRouterTest, RemovedWithParkedWork) {
  open(kTiny);
  stream_->insert("a", 1, 0).commit();
  drive_all();
  stream_->insert("a", 2, 0).commit();
  stream_->statement("DROP TABLE a");
  stream_->insert("a", 4, 0).commit();
  drive_all();
  router_->stop();
  EXPECT_FALSE(router_->run_turn_now());
  sink_.finish_all();
  EXPECT_TRUE(router_->drain(store::kNow));
  EXPECT_EQ(router_->checkpoint(), 1u);
  EXPECT_EQ(router_->stats().inflight.bytes, 0u);
  router_.reset();  // with a statement that never ran
}

// Rows of tables, statements and acknowledgements in random order: each table gets its own rows and
// statements in order and once, and the checkpoint is never beyond what is durable.
class TableRouterModel : public TableRouterTest, public ::testing::WithParamInterface<int> {};

TEST_P(TableRouterModel, NothingIsLostDoubledOrToldTooEarly) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto roll = [&](unsigned sides) { return static_cast<unsigned>(random() % sides); };
  chunk_bytes_ = 200 + roll(800);
  batch_bytes_ = 100 + roll(2000);
  const std::uint64_t mark = 1 + roll(1500);
  open({mark, mark / 2, 1 << 20, 1 << 19});
  std::map<std::string, Strings> wanted;
  const auto act = [&] {
    switch (roll(4)) {
      case 0:
        (void)drive();
        break;
      case 1:
        (void)router_->run_turn_now();
        break;
      case 2:
        (void)sink_.finish_block();
        break;
      default:
        (void)sink_.finish_one("db.t" + std::to_string(roll(5)));
    }
    const std::uint64_t first = sink_.first_waiting();
    if (first != 0) {
      EXPECT_LT(router_->checkpoint(), first);
    }
  };
  for (int i = 0; i < 150; ++i) {
    const std::uint64_t cseq = stream_->next_cseq();
    if (roll(12) == 0) {
      const std::string one = "t" + std::to_string(roll(5)), two = "t" + std::to_string(roll(5));
      stream_->statement(one == two ? "TRUNCATE TABLE " + one
                                    : "RENAME TABLE " + one + " TO x, " + two + " TO y");
      for (const std::string& table : std::set<std::string>{one, two})
        wanted["db." + table].push_back("ddl " + std::to_string(cseq));
    } else {
      for (unsigned k = roll(6); k > 0; --k) {
        const std::string table = "t" + std::to_string(roll(5));
        stream_->insert(table, static_cast<std::int64_t>(k), 0);
        wanted["db." + table].push_back(std::to_string(cseq) + ":" + std::to_string(k));
      }
      stream_->commit();
    }
    stream_->publish();
    for (unsigned k = roll(5); k > 0; --k) act();
  }
  for (int i = 0; i < 3000; ++i) act();
  for (bool more = true; more;) {
    more = drive();
    turn_all();
    more |= sink_.finish_all();
  }
  for (const auto& [target, rows] : wanted) EXPECT_EQ(sink_.log(target), rows) << target;
  EXPECT_EQ(router_->checkpoint(), 150u);
  EXPECT_EQ(router_->stats().detached, 0u);
  EXPECT_EQ(router_->stats().inflight.bytes, 0u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, TableRouterModel, ::testing::Range(0, 20));

}  // namespace
}  // namespace wherry::feed
