// Who is woken: those who follow a table that has rows, and everybody where there is a statement.

#include "feed/bells.h"

#include <gtest/gtest.h>

#include "feed/stream_for_tests.h"

namespace wherry::feed {
namespace {

class BellsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Bell> hang(const std::string& name) {
    return bells_.hang([name](std::string_view database, std::string_view table) {
      return database == "db" && table == name;
    });
  }
  // Everything that was written to the log since.
  void ring() {
    stream_.publish();
    BatchReader reader(*log_, done_, {});
    Result<std::unique_ptr<decode::Batch>> batch = reader.next(store::kNow);
    ASSERT_TRUE(store::ok(batch));
    bells_.ring(*batch.value());
    done_ = reader.done();
  }
  store::Folder folder_;
  std::unique_ptr<store::Log> log_ = store::open_log(store::small_options(folder_.path()));
  SourceStream stream_{*log_};
  std::uint64_t done_ = 0;
  Bells bells_;
};

TEST_F(BellsTest, RingForTheirTablesAlone) {
  const auto a = hang("a");
  const auto b = hang("b");
  stream_.insert("a", 1, 0).insert("c", 1, 0).commit();
  ring();
  EXPECT_TRUE(a->wait(store::kNow));
  EXPECT_FALSE(a->wait(store::kNow)) << "rung once";
  EXPECT_FALSE(b->wait(store::kNow));
  stream_.insert("c", 2, 0).commit().insert("b", 1, 0).commit();
  ring();
  EXPECT_FALSE(a->wait(store::kNow));
  EXPECT_TRUE(b->wait(store::kNow));
}

TEST_F(BellsTest, AllRingForAStatement) {
  const auto a = hang("a");
  const auto b = hang("b");
  stream_.statement("ALTER TABLE c ADD d INT");
  ring();
  EXPECT_TRUE(a->wait(store::kNow));
  EXPECT_TRUE(b->wait(store::kNow));
}

TEST_F(BellsTest, OneThatNobodyHoldsIsGone) {
  auto a = hang("a");
  a.reset();
  const auto b = hang("b");
  stream_.insert("a", 1, 0).insert("b", 1, 0).commit();
  ring();
  EXPECT_TRUE(b->wait(store::kNow));
}

}  // namespace
}  // namespace wherry::feed
