// What one feed is asked to do: docs/feeds-config.md has a row for every field. Made through the
// table of feed_keys.h only, so what is here has been checked. URIs hold their passwords: whoever
// prints or answers goes through feed_json(). Values; no threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/options.h"
#include "dispatch/inflight_budget.h"
#include "model/position.h"

namespace wherry::control {

// Where a feed begins that has no checkpoint yet.
enum class FeedBegin { snapshot, now, position };

struct FeedStartAt {
  FeedBegin begin = FeedBegin::snapshot;
  Position position;  // begin is position: file and offset, or a GTID text
  std::string text;   // as given; empty: by the sink
};

enum class FeedMode { transaction, table };

enum class DdlPolicy { apply, skip, stop };

struct LogLimits {
  std::uint64_t memory = 64 << 20;
  std::uint64_t disk_max = 0;  // 0: no bound
  std::uint64_t segment = 128 << 20;
  bool compress = false;
};

// Where changes are durable before the sink shows them, and how they get there.
struct RedoLimits {
  std::string storage_uri;  // with its secrets; empty: no redo
  unsigned uploads = 8;
  unsigned encoders = 0;  // 0: chosen
  std::uint64_t memory = 256 << 20;
  std::uint64_t file_size = 64 << 20;
  std::chrono::milliseconds interval{1000};
  bool compress = true;
  std::uint64_t requests = 0;  // a minute; 0: no bound
  bool discard = false;        // with the feed, what it has there is removed
};

struct FeedSpec {
  std::string name;
  std::string source_uri;  // with its password, as the sink's
  std::string sink_uri;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<RenameRule> rename;
  FeedStartAt start;
  std::optional<FeedMode> mode;  // not given: by the sink
  ExistingMode existing = ExistingMode::error;
  unsigned lanes = 0;    // 0: chosen
  unsigned readers = 0;  // 0: chosen
  std::uint64_t memory = 256 << 20;
  LogLimits log;
  dispatch::InflightLimits inflight;
  RedoLimits redo;
  std::chrono::milliseconds syncpoint_interval{0};  // 0: on request alone
  std::map<std::string, DdlPolicy> ddl;             // by kind of docs/DDL.md; others: as it says
  std::vector<EventFilter> skip;
  std::vector<RowFilter> where;
  std::chrono::milliseconds stall_after{60'000};
};

// Errc::usage where the text is no position. A GTID text is in one of both dialects: which, the
// source decides.
Result<FeedStartAt> parse_feed_start(const std::string& text);

// "snapshot", "now" or "position" with what is not given chosen by the sink: a MySQL sink begins
// with a snapshot and in whole transactions, others now and by table.
FeedBegin begin_of(const FeedSpec& spec);
FeedMode mode_of(const FeedSpec& spec);
bool writes_to_server(const FeedSpec& spec);  // its sink is a MySQL or MariaDB server

// Letters, digits, '-' and '_', at most 64.
bool is_feed_name(std::string_view name);

}  // namespace wherry::control
