#include "control/feed_maker.h"

#include <fmt/core.h>

#include <algorithm>

#include "control/feed_logs.h"
#include "control/mysql_feed.h"
#include "control/redo_removal.h"
#include "control/storage_feed.h"
#include "dispatch/work.h"
#include "sink/blackhole/blackhole_sink.h"
#include "sink/file/file_sink.h"

namespace wherry::control {
namespace {

constexpr unsigned kLanes = 4;

sql::Policy policy_of(DdlPolicy policy) {
  switch (policy) {
    case DdlPolicy::apply:
      return sql::Policy::apply;
    case DdlPolicy::skip:
      return sql::Policy::ignore;
    case DdlPolicy::stop:
      return sql::Policy::stop;
  }
  return sql::Policy::stop;
}

std::map<sql::Kind, sql::Policy> policies_of(const FeedSpec& spec) {
  std::map<sql::Kind, sql::Policy> policies;
  for (const sql::KindRow& row : sql::kinds()) {
    const auto given = spec.ddl.find(std::string(row.name));
    if (given != spec.ddl.end()) policies[row.kind] = policy_of(given->second);
  }
  return policies;
}

RedoOptions redo_of(const RedoLimits& limits, std::string mark) {
  RedoOptions redo;
  redo.storage_uri = limits.storage_uri;
  redo.uploads = limits.uploads;
  redo.encoders = limits.encoders;
  redo.memory = limits.memory;
  redo.file_bytes = limits.file_size;
  redo.interval = limits.interval;
  redo.compress = limits.compress;
  redo.requests = limits.requests;
  redo.mark = std::move(mark);
  return redo;
}

Result<std::unique_ptr<feed::Feed>> make_mysql(const FeedSpec& spec, const FeedStart& start,
                                               feed::SourceLogs& sources) {
  if (mode_of(spec) == FeedMode::table)
    return Error{Errc::unsupported, "a feed into a MySQL server keeps transactions whole", 0};
  MysqlFeedOptions options;
  options.name = spec.name;
  options.log = log_options(spec.log);
  Result<Endpoint> source = parse_endpoint(spec.source_uri);
  if (!source.ok()) return source.error().within("source");
  Result<Endpoint> target = parse_endpoint(spec.sink_uri);
  if (!target.ok()) return target.error().within("sink");
  CopyOptions& copy = options.copy;
  copy.source_uri = spec.source_uri;
  copy.target_uri = spec.sink_uri;
  copy.source = std::move(source).value();
  copy.target = std::move(target).value();
  copy.include = spec.include;
  copy.exclude = spec.exclude;
  copy.rename = spec.rename;
  copy.skip = spec.skip;
  copy.where = spec.where;
  copy.existing = spec.existing;
  copy.lanes = std::min(spec.lanes != 0 ? spec.lanes : kLanes, dispatch::kLanesMax);
  copy.readers = spec.readers;
  copy.memory = spec.memory;
  copy.verify = VerifyKind::none;
  copy.cutover = CutoverMode::never;
  options.snapshot = begin_of(spec) == FeedBegin::snapshot;
  if (begin_of(spec) == FeedBegin::position) options.from = spec.start.text;
  options.policies = policies_of(spec);
  options.syncpoint_interval = spec.syncpoint_interval;
  options.redo = redo_of(spec.redo, redo_mark(start.data_dir, spec.name));
  return std::unique_ptr<feed::Feed>(std::make_unique<MysqlFeed>(std::move(options), sources));
}

// The sinks in table mode, by scheme.
Result<std::unique_ptr<dispatch::AsyncSink>> open_sink(const std::string& text) {
  const Result<Uri> uri = parse_uri(text);
  if (!uri.ok()) return uri.error();
  if (uri.value().scheme == "file") return sink::open_file_sink(uri.value());
  return sink::open_blackhole(uri.value());
}

Result<std::unique_ptr<feed::Feed>> make_storage(const FeedSpec& spec, const FeedStart& start,
                                                 feed::SourceLogs& sources) {
  if (mode_of(spec) != FeedMode::table)
    return Error{Errc::unsupported, "this sink takes tables, each at its own pace", 0};
  if (begin_of(spec) == FeedBegin::snapshot)
    return Error{Errc::unsupported, "a feed into this sink starts now, or at a position", 0};
  if (Result<std::unique_ptr<dispatch::AsyncSink>> sink = open_sink(spec.sink_uri); !sink.ok())
    return sink.error().within("sink");
  return std::unique_ptr<feed::Feed>(std::make_unique<StorageFeed>(
      spec, start, sources, [uri = spec.sink_uri] { return open_sink(uri); }));
}

}  // namespace

Result<std::unique_ptr<feed::Feed>> FeedMaker::make(const FeedSpec& spec, const FeedStart& start) {
  const std::string scheme = spec.sink_uri.substr(0, spec.sink_uri.find("://"));
  if (scheme == "mysql" || scheme == "mariadb") return make_mysql(spec, start, sources_);
  if (scheme == "file" || scheme == "blackhole") return make_storage(spec, start, sources_);
  return Error{Errc::unsupported, fmt::format("this build has no sink for {}://", scheme), 0};
}

}  // namespace wherry::control
