// Redo may take a transaction before anything waits for it there: else the scheduler, the lanes and
// redo would wait for each other.

#include "dispatch/scheduler.h"

#include <gtest/gtest.h>

#include <thread>

#include "dispatch/plan_for_tests.h"

namespace wherry::dispatch {
namespace {

using namespace std::chrono_literals;

// As redo whose storage takes no time: what it may take is durable.
class InstantRedo : public SnapshotRecord {
 public:
  explicit InstantRedo(Board& board) : board_(board) {}
  std::uint64_t begin() const override { return 0; }
  void raise(std::uint64_t cseq) override {
    mark_ = cseq;
    board_.raise_fence({cseq});
  }
  Status placed(const std::shared_ptr<Chunk>&) override { return Unit{}; }
  Status stands(std::uint64_t cseq) override {
    EXPECT_GE(cseq, mark_) << "something may still be placed before what redo took";
    return Unit{};
  }

 private:
  Board& board_;
  std::uint64_t mark_ = 0;
};

class NoStatements : public StatementRunner {
 public:
  bool follows(const TableName&) const override { return false; }
  bool follows_database(const std::string&) const override { return false; }
  Status run(const StatementEvent&) override { return Unit{}; }
};

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() {
    for (int i = 0; i < 2; ++i) lanes_.push_back(std::make_unique<LaneQueue>());
    format_ = std::make_shared<const decode::FormatDescription>();
    placing_.placed = [](const Chunk&) {};
    placing_.refused = [](const Chunk&, const std::string& why) { ADD_FAILURE() << why; };
    placing_.snapshot = &redo_;
  }
  void TearDown() override {
    inbox_.close();
    board_.close();
    for (auto& lane : lanes_) lane->close();
    if (running_.joinable()) running_.join();
  }

  void start() {
    scheduler_ = std::make_unique<Scheduler>(
        SchedulerOptions{},
        SchedulerLinks{catalog_, board_, inbox_, lanes_, statements_, placing_, nullptr, &redo_});
    running_ = std::thread([this] { outcome_ = scheduler_->run({"bin.000001", 4}); });
  }
  decode::BatchPtr batch_of(std::uint64_t cseq, bool opens, bool closes) const {
    auto batch = std::make_shared<decode::Batch>();
    batch->file = "bin.000001";
    batch->format = format_;
    batch->seen_offset = cseq * 100;
    decode::Group group;
    group.cseq = cseq;
    group.end_offset = cseq * 100;
    group.opens = opens;
    group.closes = closes;
    batch->groups.push_back(group);
    return batch;
  }
  // What a lane does: nothing of the transaction runs before redo has it.
  bool commit_next() {
    const std::optional<Work> work = lanes_[0]->pop(10s);
    if (!work || board_.fence() < work->transaction().cseq) return false;
    const bool closes = work->transaction().closes;
    board_.committed(0, work->seq,
                     closes ? std::vector{work->transaction().cseq} : std::vector<std::uint64_t>());
    return true;
  }

  LowWater begin_ = [] {
    LowWater low;
    low.position.file = {"bin.000001", 4};
    return low;
  }();
  Board board_{2, Dialect::mariadb, begin_, 0};
  Catalog catalog_;
  Inbox inbox_;
  LaneQueues lanes_;
  NoStatements statements_;
  InstantRedo redo_{board_};
  Placement::Calls placing_;
  std::shared_ptr<const decode::FormatDescription> format_;
  std::unique_ptr<Scheduler> scheduler_;
  std::thread running_;
  Status outcome_ = Unit{};
};

TEST_F(SchedulerTest, RedoMayTakeALargeTransactionBeforeItsFirstPartIsSent) {
  start();
  inbox_.put(batch_of(1, true, true));  // of no table that is followed
  inbox_.put(batch_of(2, true, false));
  ASSERT_TRUE(commit_next()) << "its lane would wait for redo, and redo for its end";
  inbox_.put(batch_of(2, false, true));
  ASSERT_TRUE(commit_next());
  ASSERT_TRUE(board_.wait_window(1));
  EXPECT_EQ(board_.low().cseq, 2u);
}

// A held table's rows could be placed nowhere once a part has gone.
TEST_F(SchedulerTest, ALargeTransactionWaitsUntilNoTableIsHeld) {
  Table table = items_table();
  table.indexes.clear();
  const PlanPtr plan = plan_of(table);
  plan->state->strict_after = kNotYet;
  catalog_.put(plan);
  start();
  const auto hold = std::make_shared<HoldRequest>();
  hold->plan = plan;
  hold->point.exact = true;
  hold->point.high = {"bin.000001", 4};
  inbox_.put(hold);
  const auto granted = [](const HoldRequest::Answer& answer) {
    return answer == HoldRequest::Answer::granted;
  };
  ASSERT_TRUE(hold->answer.wait_for(10s, granted));
  inbox_.put(batch_of(1, true, false));
  EXPECT_FALSE(lanes_[0]->pop(50ms)) << "the first part is on its way";
  auto rows = std::make_shared<Chunk>();
  rows->plan = plan;
  rows->slice = {plan->id, 0};
  rows->epoch = plan->state->epoch;
  rows->whole = rows->last = true;
  rows->opaque = true;
  inbox_.put(rows);
  const unsigned lane = (plan->id * 7) % 2;
  const std::optional<Work> placed = lanes_[lane]->pop(10s);
  ASSERT_TRUE(placed && placed->chunk);
  EXPECT_EQ(placed->chunk->placed_at, 0u);
  board_.committed(lane, placed->seq, {});
  ASSERT_TRUE(commit_next());
}

}  // namespace
}  // namespace wherry::dispatch
