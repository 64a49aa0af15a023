// Makes feeds that run: of each kind of sink this build has, over the logs of their sources. Any
// thread; it outlives what it made.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/feed_factory.h"
#include "feed/source_logs.h"

namespace wherry::control {

class FeedMaker {
 public:
  // data_dir: the server's; the logs are in its folder "sources". known: whether there is a feed of
  // this name.
  FeedMaker(const std::string& data_dir, std::function<bool(const std::string&)> known)
      : sources_(data_dir + "/sources", std::move(known)) {}

  // As FeedFactory says.
  Result<std::unique_ptr<feed::Feed>> make(const FeedSpec& spec, const FeedStart& start);
  // The feed is no more: nothing is kept for it.
  void forget(const std::string& name) { sources_.forget(name); }
  const feed::SourceLogs& sources() const { return sources_; }

 private:
  feed::SourceLogs sources_;
};

}  // namespace wherry::control
