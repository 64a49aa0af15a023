// One writer to the target: takes its work in order, merges neighbouring transactions into one
// target transaction whose first statement moves the lane's progress row (compare-and-set), and
// settles what a lost connection left open. Runs on one thread; everything it shares is in Board
// and LaneQueue.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/board.h"
#include "dispatch/lane_queue.h"
#include "sink/mysql/merge.h"
#include "sink/mysql/progress.h"
#include "sink/mysql/target_session.h"

namespace wherry::sink {

struct LaneOptions {
  TargetOptions target;
  std::uint64_t epoch = 0;
  std::size_t group_bytes = 8 << 20;  // of row events merged into one target transaction
  std::size_t group_transactions = 32768;
  std::size_t packet_bytes = 4 << 20;       // statements are kept below it
  std::chrono::seconds give_up_after{300};  // of failing attempts in a row
};

// What the status tells of a lane; any thread.
struct LaneState {
  std::string waiting_for;  // words; empty: moving
  std::uint64_t commits = 0;
  std::uint64_t transactions = 0;
  std::uint64_t retries = 0;
  std::uint64_t recorded =
      0;  // the low-water mark that stands at the target: a resume begins there
};

class Lane {
 public:
  // chunk_done: called on the lane's thread after a chunk's commit. slice_record: the progress row
  // that belongs to a chunk, written in its transaction.
  struct Links {
    dispatch::Board& board;
    dispatch::LaneQueue& queue;
    const Progress& progress;
    std::function<NamedRecord(const dispatch::Chunk&)> slice_record;
    std::function<void(const dispatch::Chunk&)> chunk_done;
  };
  Lane(const LaneOptions& options, const Links& links, const LaneRecord& start);
  ~Lane();

  // Until the board or queue is closed, or an error that retrying cannot heal.
  Status run();
  LaneState state() const;

 private:
  struct Group;  // work merged into one target transaction

  Status connect();
  Status settle(bool& committed);
  bool collect(Group& group);
  bool pass_fence(const dispatch::Work& next);
  Status commit_with_retries(Group& group);
  Status attempt(Group& group);
  Status begin(const Group& group);
  Status commit();
  Status write(Group& group);
  Status write_merged(const std::vector<dispatch::Work>& items);
  Status write_ordered(const std::vector<dispatch::Work>& items);
  Status write_chunk(const dispatch::Chunk& chunk, bool row_by_row);
  Status run_large(dispatch::Work first);
  void finished(const Group& group);
  void forget_large_buffers();
  Status keep_position();
  LaneRecord next_record(const Group& group) const;
  void say_waiting(std::string what);

  const LaneOptions options_;
  const Links links_;
  LaneRecord record_;
  std::unique_ptr<mysql::Session> session_;
  bool local_infile_ = false;
  std::chrono::steady_clock::time_point next_keep_{};
  std::uint64_t begun_low_ = 0;  // the mark in the open target transaction
  bool commit_sent_ =
      false;                // the outcome of the transaction is unknown when the connection is lost
  std::string lines_;       // of the statements; kept from group to group for its memory
  Merge::CellStore cells_;  // the same for merged images
  Guarded<LaneState> state_;
};

}  // namespace wherry::sink
