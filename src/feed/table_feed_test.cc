// A feed in table mode as a whole, with its threads, a log and a sink that the test holds.

#include "feed/table_feed.h"

#include <gtest/gtest.h>

#include <thread>

#include "feed/sink_for_tests.h"
#include "feed/stream_for_tests.h"

namespace wherry::feed {
namespace {

using Strings = std::vector<std::string>;

class TableFeedTest : public ::testing::Test {
 protected:
  TableFeedTest() {
    log_ = store::open_log(store::small_options(folder_.path()));
    stream_ = std::make_unique<SourceStream>(*log_);
    options_.name = "f";
    options_.tell_every = options_.persist_every = std::chrono::milliseconds(1);
  }
  ~TableFeedTest() override { (void)stop(); }

  void start() {
    auto sink = std::make_unique<HeldSink>();
    sink_ = sink.get();
    sink_->at_once = at_once_;
    feed_ = std::make_unique<TableFeed>(*log_, options_, std::move(sink),
                                        [this](const FeedProgress& progress) {
                                          kept_.with([&](auto& kept) { kept = progress; });
                                          return persist_;
                                        });
    thread_ = std::thread([this] { outcome_ = feed_->run(); });
  }
  Status stop() {
    if (feed_ != nullptr) feed_->stop();
    return join();
  }
  Status join() {
    if (thread_.joinable()) thread_.join();
    return outcome_;
  }
  bool kept_through(std::uint64_t cseq) {
    return kept_.wait_for(std::chrono::seconds(60),
                          [&](const FeedProgress& kept) { return kept.cseq >= cseq; });
  }
  bool came(const std::string& target, std::size_t rows) {
    return sink_->wait_for([&](const HeldSink::Seen& seen) {
      const auto found = seen.log.find(target);
      return found != seen.log.end() && found->second.size() >= rows;
    });
  }

  store::Folder folder_;
  std::unique_ptr<store::Log> log_;
  std::unique_ptr<SourceStream> stream_;
  TableFeedOptions options_;
  bool at_once_ = true;
  Status persist_ = Unit{};
  Guarded<FeedProgress> kept_;
  std::unique_ptr<TableFeed> feed_;
  HeldSink* sink_ = nullptr;
  std::thread thread_;
  Status outcome_ = Unit{};
};

TEST_F(TableFeedTest, ProgressIsWhatIsDurableInTheSourcesTerms) {
  start();
  for (int i = 1; i <= 20; ++i) stream_->insert("a", i, 0).commit();
  stream_->publish();
  ASSERT_TRUE(kept_through(20));
  EXPECT_EQ(stop().error().code, Errc::interrupted);
  const auto progress = feed_->progress();
  EXPECT_EQ(progress->cseq, 20u);
  EXPECT_EQ(progress->position.file.to_string(), "binlog.000001:2000");
  EXPECT_EQ(progress->position.gtid, std::string(store::kUuid) + ":1-20");
  EXPECT_EQ(progress->transactions, 20u);
  EXPECT_EQ(progress->gauges.at("dispatchers"), 1);
  EXPECT_EQ(progress->gauges.at("inflight_bytes"), 0);
  EXPECT_GT(progress->gauges.at("inflight_bytes_peak"), 0);
}

TEST_F(TableFeedTest, TellsNoNumberWithoutItsPlace) {
  for (int i = 1; i <= 9; ++i) stream_->insert("a", i, 0).commit();
  stream_->publish();
  options_.done = 6;
  auto sink = std::make_unique<HeldSink>();
  sink->at_once = true;
  TableFeed feed(*log_, options_, std::move(sink), nullptr);
  EXPECT_EQ(feed.progress()->cseq, 0u) << "nobody knows yet where that is";
  feed.stop();
  (void)feed.run();
  EXPECT_GE(feed.progress()->cseq, 6u);
  EXPECT_FALSE(feed.progress()->position.empty());
}

TEST_F(TableFeedTest, GoesOnBehindWhatWasDone) {
  for (int i = 1; i <= 9; ++i) stream_->insert("a", i, 0).commit();
  stream_->publish();
  options_.done = 6;
  start();
  ASSERT_TRUE(kept_through(9));
  (void)stop();
  EXPECT_EQ(sink_->log("db.a"), (Strings{"7:7", "8:8", "9:9"}));
}

TEST_F(TableFeedTest, HungTableHoldsNeitherTheOthersNorTheEnd) {
  at_once_ = false;
  options_.limits = {1, 0, 1 << 20, 1 << 19};
  options_.drain_time = std::chrono::milliseconds(20);
  start();
  for (int i = 1; i <= 5; ++i) {
    stream_->insert("hung", i, 0).commit();
    stream_->insert("b", i, 0).commit();
    stream_->publish();
    ASSERT_TRUE(came("db.b", static_cast<std::size_t>(i)));
    sink_->finish_one("db.b");
  }
  EXPECT_EQ(sink_->log("db.hung").size(), 1u);
  const Status ended = stop();
  EXPECT_EQ(ended.error().code, Errc::timeout);
  EXPECT_NE(ended.error().what.find("db.hung"), std::string::npos) << ended.error().what;
  EXPECT_EQ(feed_->progress()->cseq, 0u);
}

TEST_F(TableFeedTest, WhatTheSinkHasIsDurableWhenTheFeedHasStopped) {
  at_once_ = false;
  start();
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  ASSERT_TRUE(came("db.a", 1));
  feed_->stop();
  sink_->finish_one("db.a");
  EXPECT_EQ(join().error().code, Errc::interrupted);
  EXPECT_EQ(feed_->progress()->cseq, 1u);
  EXPECT_EQ(kept_.read([](const FeedProgress& kept) { return kept.cseq; }), 1u);
}

TEST_F(TableFeedTest, SinkThatFailsEndsTheFeed) {
  class Failing final : public dispatch::AsyncSink {
   public:
    Status start(Listener& listener) override {
      listener_ = &listener;
      return Unit{};
    }
    void accept(std::unique_ptr<dispatch::TableRows>) override {
      listener_->failed({Errc::io, "disk full", 0});
    }
    void write_block_event(dispatch::BlockEvent) override {}
    void close() override {}
    std::uint64_t changes() const override { return 0; }
    std::map<std::string, double> gauges() const override { return {}; }

   private:
    Listener* listener_ = nullptr;
  };
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  TableFeed feed(*log_, options_, std::make_unique<Failing>(), nullptr);
  const Status ended = feed.run();
  EXPECT_EQ(ended.error().code, Errc::io);
  EXPECT_EQ(feed.progress()->cseq, 0u);
}

TEST_F(TableFeedTest, ProgressThatCannotBeKeptEndsTheFeed) {
  persist_ = Error{Errc::io, "no state", 0};
  start();
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  EXPECT_EQ(join().error().code, Errc::io);
  EXPECT_EQ(feed_->progress()->cseq, 0u);
}

TEST_F(TableFeedTest, WithoutNamesItNamesTheRemedy) {
  stream_->names = false;
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  start();
  const Status ended = join();
  EXPECT_EQ(ended.error().code, Errc::unsupported);
  EXPECT_NE(ended.error().what.find("binlog_row_metadata=FULL"), std::string::npos);
  EXPECT_NE(ended.error().what.find("db.a"), std::string::npos);
  EXPECT_NE(ended.error().what.find("binlog.000001:100"), std::string::npos);
}

TEST_F(TableFeedTest, FollowsWhatIsSelectedUnderItsNewName) {
  options_.rules.selection =
      Selection({Pattern::parse("shard_*.users").value()}, {}, NameCase::exact);
  options_.rules.renames.push_back(parse_rename("shard_*.users=all.users").value());
  options_.rules.filters.kinds.push_back(
      {Pattern::parse("shard_2.users").value(), true, false, false});
  start();
  stream_->insert("shard_1.users", 1, 0).insert("shard_2.users", 2, 0).insert("x", 3, 0);
  stream_->erase("shard_1.users", 1, 0).erase("shard_2.users", 2, 0).commit();
  stream_->statement("ALTER TABLE shard_1.users ADD c INT", "");
  stream_->statement("ALTER TABLE x ADD c INT");
  stream_->publish();
  ASSERT_TRUE(kept_through(3));
  (void)stop();
  EXPECT_EQ(sink_->log("all.users"), (Strings{"1:1", "1:2", "1:1", "ddl 2"}));
  EXPECT_EQ(sink_->log("db.x"), Strings{});
  EXPECT_EQ(feed_->progress()->ignored.at("alter-table of other tables"), 1u);
  EXPECT_EQ(feed_->progress()->gauges.at("dispatchers"), 1);
}

TEST_F(TableFeedTest, KeepsTheRowsThatFitTheCondition) {
  const auto keep = [&](const char* where) {
    options_.rules.filters.keeps.push_back(
        {Pattern::parse("db.a").value(), sql::Condition::parse(where).value(), where});
  };
  keep("v > 5");
  start();
  stream_->insert("a", 1, 6).insert("a", 2, 5).insert("b", 3, 5).erase("a", 2, 5).commit();
  stream_->publish();
  ASSERT_TRUE(kept_through(1));
  (void)stop();
  EXPECT_EQ(sink_->log("db.a"), (Strings{"1:1"}));
  EXPECT_EQ(sink_->log("db.b"), (Strings{"1:3"}));
  EXPECT_EQ(feed_->progress()->filtered, 2u);
}

TEST_F(TableFeedTest, AConditionThatDoesNotFitATableStops) {
  options_.rules.filters.keeps.push_back(
      {Pattern::parse("db.*").value(), sql::Condition::parse("price > 5").value(), "price > 5"});
  stream_->insert("a", 1, 0).commit();
  stream_->publish();
  start();
  const Status ended = join();
  EXPECT_EQ(ended.error().code, Errc::refused);
  EXPECT_NE(ended.error().what.find("db.a"), std::string::npos);
  EXPECT_NE(ended.error().what.find("`price`"), std::string::npos);
}

TEST_F(TableFeedTest, StatementsByTheirPolicy) {
  options_.rules.statements = {parse_statement_policy("truncate-table=skip").value(),
                               parse_statement_policy("drop-table=stop").value()};
  start();
  stream_->insert("a", 1, 0).commit();
  stream_->statement("TRUNCATE TABLE a");
  stream_->statement("CREATE VIEW v AS SELECT 1");
  stream_->statement("CREATE INDEX i ON a (v)");
  stream_->publish();
  ASSERT_TRUE(kept_through(4));
  EXPECT_EQ(sink_->log("db.a"), (Strings{"1:1", "ddl 4"}));
  stream_->statement("DROP TABLE a");
  stream_->publish();
  const Status ended = join();
  EXPECT_EQ(ended.error().code, Errc::unsupported);
  EXPECT_NE(ended.error().what.find("DROP TABLE a"), std::string::npos) << ended.error().what;
  EXPECT_NE(ended.error().what.find("binlog.000001:500"), std::string::npos);
  EXPECT_EQ(feed_->progress()->cseq, 4u);
  EXPECT_EQ(feed_->progress()->ignored.at("truncate-table by policy"), 1u);
  EXPECT_EQ(feed_->progress()->ignored.at("create-view"), 1u);
}

TEST_F(TableFeedTest, PreparedRowsComeWhereTheyCommit) {
  start();
  stream_->insert("a", 1, 0).commit();
  stream_->query("XA START " + SourceStream::xid('p')).insert("a", 2, 0).prepare('p');
  stream_->query("XA START " + SourceStream::xid('r')).insert("a", 3, 0).prepare('r');
  stream_->insert("a", 4, 0).commit();
  stream_->statement("XA ROLLBACK " + SourceStream::xid('r'));
  stream_->publish();
  while (feed_->progress()->transactions < 5) std::this_thread::yield();
  EXPECT_EQ(feed_->progress()->cseq, 1u) << "a restart must find the rows again";
  stream_->statement("XA COMMIT " + SourceStream::xid('p'));
  stream_->insert("a", 7, 0).commit();
  stream_->publish();
  ASSERT_TRUE(kept_through(7));
  (void)stop();
  EXPECT_EQ(sink_->log("db.a"), (Strings{"1:1", "4:4", "6:2", "7:7"}));
}

TEST_F(TableFeedTest, RowsOfAnXaThatItNeverSawStopIt) {
  start();
  stream_->statement("XA COMMIT " + SourceStream::xid('q'));
  stream_->publish();
  EXPECT_EQ(join().error().code, Errc::unsupported);
}

TEST_F(TableFeedTest, TransactionRolledBackInPartStopsIt) {
  start();
  stream_->insert("a", 1, 0).commit(decode::GroupEnd::rollback);
  stream_->publish();
  EXPECT_EQ(join().error().code, Errc::unsupported);
}

TEST_F(TableFeedTest, LogKeepsWhatIsNotDurable) {
  at_once_ = false;
  options_.limits = {1, 0, 1 << 20, 1 << 19};
  start();
  for (int i = 1; i <= 200; ++i) stream_->insert("a", i, 0).commit();
  for (int i = 1; i <= 200; ++i) stream_->insert("b", i, 0).commit();
  stream_->publish();
  ASSERT_TRUE(store::ok(log_->sync_to(400)));
  ASSERT_TRUE(came("db.b", 1));
  EXPECT_EQ(log_->status().first_cseq, 1u);
  const auto all_kept = [](const FeedProgress& kept) { return kept.cseq >= 400; };
  while (!kept_.wait_for(std::chrono::milliseconds(1), all_kept)) sink_->finish_all();
  (void)stop();
  EXPECT_EQ(sink_->log("db.a").size(), 200u);
  EXPECT_EQ(sink_->log("db.b").size(), 200u);
}

// Marks of a few bytes and a sink with a thread that makes everything durable as soon as it can.
TEST_F(TableFeedTest, NoWakeIsLostUnderTinyMarks) {
  at_once_ = false;
  options_.limits = {300, 100, 900, 300};
  options_.chunk_bytes = 200;
  start();
  std::atomic<bool> over{false};
  std::thread finisher([&] {
    while (!over.load()) {
      if (!sink_->finish_all()) std::this_thread::yield();
    }
  });
  Strings wanted;
  for (int i = 1; i <= 1500; ++i) {
    const std::string table = "t" + std::to_string(i % 7);
    if (i % 50 == 0)
      stream_->statement("ALTER TABLE " + table + " ADD c INT");
    else
      stream_->insert(table, i, 0).insert("hot", i, 0).commit();
    if (i % 50 != 0) wanted.push_back(std::to_string(i) + ":" + std::to_string(i));
    if (i % 10 == 0) stream_->publish();
  }
  EXPECT_TRUE(kept_through(1500)) << feed_->progress()->waiting_for;
  (void)stop();
  over = true;
  finisher.join();
  EXPECT_EQ(sink_->log("db.hot"), wanted);
  EXPECT_EQ(feed_->progress()->gauges.at("inflight_bytes"), 0);
  EXPECT_EQ(feed_->progress()->gauges.at("dispatchers_detached"), 0);
}

}  // namespace
}  // namespace wherry::feed
