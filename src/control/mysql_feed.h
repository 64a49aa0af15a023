// A feed into a MySQL or MariaDB server: the stages of a copy that never cuts over, fed from the
// log of the source. What it has done stands at the target, in the same transactions as the rows,
// so that a feed that died goes on exactly there.
#pragma once

#include <memory>
#include <string>

#include "control/options.h"
#include "control/redo_job.h"
#include "feed/feed.h"
#include "feed/source_logs.h"
#include "sql/statement.h"

namespace wherry::control {

struct MysqlFeedOptions {
  std::string name;
  CopyOptions copy;  // of it: servers, selection, names, lanes, readers, memory, what exists
  feed::SourceLogOptions log;  // of its source, where this feed is the first one
  bool snapshot = true;
  // Without a snapshot: a GTID text or "file:offset" that the log holds; empty: from now on.
  std::string from;
  std::map<sql::Kind, sql::Policy> policies;        // see dispatch::SchedulerOptions
  std::chrono::milliseconds syncpoint_interval{0};  // 0: on request only
  RedoOptions redo;
};

class MysqlFeed : public feed::Feed {
 public:
  // sources outlives it.
  MysqlFeed(MysqlFeedOptions options, feed::SourceLogs& sources);
  ~MysqlFeed() override;

  Status run() override;
  void stop() override;
  std::shared_ptr<const feed::FeedProgress> progress() const override;
  Status request_syncpoint() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
