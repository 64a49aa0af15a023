// A feed in table mode: takes the log of its source, finds where to begin, and lets feed::TableFeed
// run into an asynchronous sink. How far it is stands with whoever steers it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "control/feed_factory.h"
#include "feed/source_logs.h"
#include "feed/table_feed.h"

namespace wherry::control {

class StorageFeed : public feed::Feed {
 public:
  // Made anew for each run of the feed.
  using SinkMaker = std::function<Result<std::unique_ptr<dispatch::AsyncSink>>()>;

  // sources outlives it.
  StorageFeed(FeedSpec spec, FeedStart start, feed::SourceLogs& sources, SinkMaker make_sink);
  ~StorageFeed() override;

  Status run() override;
  void stop() override;
  std::shared_ptr<const feed::FeedProgress> progress() const override;
  Status request_syncpoint() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
