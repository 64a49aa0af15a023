// A feed in table mode: each table goes to an asynchronous sink at its own pace, with its rows and
// statements in the order of the source. run() is the road, the one walk through the log that all
// tables share; a few threads walk for tables that had to stop (table_router.h); one tells how far
// it is, has that recorded and lets the log go. The log must outlive it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dispatch/async_sink.h"
#include "feed/bells.h"
#include "feed/feed.h"
#include "feed/place_trail.h"
#include "feed/stream_walk.h"
#include "feed/table_router.h"

namespace wherry::feed {

struct TableFeedOptions {
  std::string name;                  // of the feed: the log's consumer is called so
  Dialect dialect = Dialect::mysql;  // of the source
  std::uint64_t done = 0;            // the cseq to go on behind
  bool fold_names = false;           // the source keeps names of tables in lower case only
  TableRules rules;
  Bells* bells = nullptr;  // of the log; null: every transaction wakes the feed
  dispatch::InflightLimits limits;
  std::size_t chunk_bytes = 1 << 20;
  unsigned walkers = 2;                           // threads for tables that walk by themselves
  std::chrono::milliseconds tell_every{100};      // looks for progress; tells once a second anyway
  std::chrono::milliseconds persist_every{1000};  // unless the log's disk fills up
  std::chrono::milliseconds drain_time{10'000};   // for what the sink has when the feed stops
};

class TableFeed final : public Feed {
 public:
  // Records that everything through there is durable, before the log may forget it. Called by one
  // thread at a time; an error ends the feed.
  using Persist = std::function<Status(const FeedProgress&)>;

  TableFeed(store::Log& log, const TableFeedOptions& options,
            std::unique_ptr<dispatch::AsyncSink> sink, Persist persist);
  ~TableFeed() override;

  Status run() override;
  void stop() override;
  std::shared_ptr<const FeedProgress> progress() const override;
  Status request_syncpoint() override;

 private:
  Status begin();
  Status road();
  Status on_statement(const StreamStep& step);
  BlockOrder order_of(const StreamStep& step) const;
  Status tell(bool always);
  Status keep(const FeedProgress& progress);
  void tell_until_stopped();
  FeedProgress look(const store::Place& place) const;

  store::Log& log_;
  const TableFeedOptions options_;
  const std::unique_ptr<dispatch::AsyncSink> sink_;
  const Persist persist_;
  XaBook book_;
  PlaceTrail trail_;
  TableRouter router_;
  std::optional<store::Consumer> consumer_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> transactions_{0};
  struct Told {  // what other threads ask for
    std::shared_ptr<const FeedProgress> progress;
    std::map<std::string, std::uint64_t> ignored;
    bool over = false;  // the road has ended
  };
  Guarded<Told> told_;
  struct Teller {  // of the thread that tells
    std::chrono::steady_clock::time_point told_at{};
    std::chrono::steady_clock::time_point kept_at{};
    std::uint64_t kept = 0;  // recorded through there
  } teller_;
};

}  // namespace wherry::feed
