// One reader of a log, at its own pace: from memory where the newest part holds what comes next,
// else from the segment files. It sees whole transactions only. One thread, but for interrupt();
// it must not outlive its log.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "store/block.h"
#include "store/record.h"
#include "store/record_source.h"
#include "store/state.h"

namespace wherry::store {

class Cursor : public RecordSource {
 public:
  Cursor(Shared& shared, const Point& from);

  // interrupted: the log stopped, too.
  Result<Step> next(std::chrono::milliseconds wait) override;
  // Views live as long as hold() is kept.
  const Event& event() const override { return event_; }
  const Commit& commit() const override { return commit_; }
  Definition definition(std::uint64_t id) const override;
  // The first row of event(): before the cursor's point where that is inside the event.
  std::uint64_t first_row() const { return first_row_; }
  std::shared_ptr<const void> hold() override;
  const void* block() const override {
    return chunk_ != nullptr ? chunk_.get() : disk_.reader.block();
  }

  // Behind the last record that next() returned.
  const Point& point() const { return point_; }

  void interrupt() override;

 private:
  struct Found {  // where a point is
    std::shared_ptr<Chunk> chunk;
    std::size_t ready = 0;
    std::string path;
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;  // 0: to be found in the footer
    std::uint64_t limit = 0;   // of the blocks
    std::uint64_t visible = 0;
  };

  bool deliver(Step& step);
  bool pass(const Point& behind);
  Result<bool> find_more(std::chrono::milliseconds wait);
  Result<Found> locate(const State& state) const;
  void read_chunk(const Found& found);
  Status read_segment(Found found);
  Status open_segment(Found& found);

  Shared& shared_;
  std::atomic<bool> interrupted_{false};
  Point point_;  // what is wanted next
  Point at_;     // where the walk is: behind point_ after a block was entered in its middle
  std::uint64_t visible_ = 0;
  RecordWalk walk_;
  std::shared_ptr<Chunk> chunk_;  // being walked; null: a block of a segment is
  struct Disk {
    std::unique_ptr<File> file;
    BlockReader reader;
    std::uint64_t segment = 0;
    std::uint64_t next_offset = 0;
  } disk_;
  Event event_;
  Commit commit_;
  std::uint64_t first_row_ = 0;
};

}  // namespace wherry::store
