#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "control/feed_keys.h"
#include "control/feed_words.h"
#include "control/option_setters.h"
#include "control/rename_rule.h"
#include "model/uri.h"

namespace wherry::control {
namespace {

using Values = std::vector<std::string>;
using Getter = std::function<Values()>;

constexpr std::uint64_t kKiB = 1ULL << 10, kMiB = 1ULL << 20, kTiB = 1ULL << 40;

Getter text_of(const std::string& from) {
  return [&from] { return from.empty() ? Values() : Values{from}; };
}

Getter list_of(const std::vector<std::string>& from) {
  return [&from] { return from; };
}

template <typename T, typename F>
Getter unless(const T& from, T usual, F written) {
  return [&from, usual, written]() -> Values {
    if (from == usual) return {};
    return {std::string(written(from))};
  };
}

Setter bounded_size(std::uint64_t& into, std::uint64_t least, std::uint64_t most) {
  return [&into, least, most](const std::string& value) -> Status {
    const Result<std::uint64_t> bytes = parse_size(value);
    if (!bytes.ok()) return bytes.error();
    if (bytes.value() < least || bytes.value() > most) {
      return usage_error(
          fmt::format("{} is not from {} to {}", value, exact_size(least), exact_size(most)));
    }
    into = bytes.value();
    return Unit{};
  };
}

Setter bounded_duration(std::chrono::milliseconds& into, std::chrono::milliseconds least,
                        bool or_none) {
  return [&into, least, or_none](const std::string& value) -> Status {
    constexpr std::chrono::hours kMost{24 * 7};
    const Result<std::chrono::milliseconds> time = parse_duration(value);
    if (!time.ok()) return time.error();
    const bool none = or_none && time.value().count() == 0;
    if (!none && (time.value() < least || time.value() > kMost)) {
      return usage_error(fmt::format("{} is not from {} to 7d{}", value, exact_duration(least),
                                     or_none ? ", or 0" : ""));
    }
    into = time.value();
    return Unit{};
  };
}

std::vector<FeedKey> place_keys(FeedSpec& spec) {
  return {
      {{"name", "NAME", "the feed's name", OptionKind::value,
        [&spec](const std::string& value) -> Status {
          if (!is_feed_name(value))
            return usage_error("a name has letters, digits, '-' and '_', at most 64");
          spec.name = value;
          return Unit{};
        }},
       "must be given",
       "letters, digits, `-`, `_`; at most 64",
       text_of(spec.name)},
      {{"source", "URI", "the server to read", OptionKind::secret_uri,
        server_uri_setter(spec.source_uri)},
       "must be given",
       "`mysql://user:password@host:port/`",
       text_of(spec.source_uri)},
      {{"sink", "URI", "where the changes go", OptionKind::secret_uri,
        sink_uri_setter(spec.sink_uri)},
       "must be given",
       "`mysql://`, `file://`, `s3://`, `kafka://`, `blackhole://`",
       text_of(spec.sink_uri)},
      {{"start", "snapshot|now|POSITION",
        "where a feed without a checkpoint begins: a snapshot of the tables, the end of the "
        "source's log, a GTID set or file:offset",
        OptionKind::value,
        [&spec](const std::string& value) -> Status {
          Result<FeedStartAt> start = parse_feed_start(value);
          if (!start.ok()) return start.error();
          spec.start = std::move(start).value();
          return Unit{};
        }},
       "`snapshot` for a MySQL sink, else `now`",
       "`snapshot`, `now`, a GTID set, `file:offset`",
       text_of(spec.start.text)},
      {{"mode", "transaction|table",
        "whole transactions of the source, or each table at its own pace", OptionKind::value,
        [&spec](const std::string& value) -> Status {
          FeedMode mode = FeedMode::table;
          Status chosen = choice_setter(
              mode, {{"transaction", FeedMode::transaction}, {"table", FeedMode::table}})(value);
          if (chosen.ok()) spec.mode = mode;
          return chosen;
        }},
       "`transaction` for a MySQL sink, else `table`",
       "`transaction`, `table`",
       [&spec]() -> Values {
         if (!spec.mode) return {};
         return {*spec.mode == FeedMode::table ? "table" : "transaction"};
       }},
      {{"existing", "error|use", "tables that are already at the sink", OptionKind::value,
        choice_setter(spec.existing, {{"error", ExistingMode::error}, {"use", ExistingMode::use}})},
       "`error`",
       "`error`, `use`",
       unless(spec.existing, ExistingMode::error, [](ExistingMode) { return "use"; })},
  };
}

std::vector<FeedKey> selection_keys(FeedSpec& spec) {
  return {
      {{"include", "PATTERN", "only these tables: db.table, with * and ?; may be repeated",
        OptionKind::list, pattern_setter(spec.include)},
       "every table",
       "a list of patterns",
       list_of(spec.include)},
      {{"exclude", "PATTERN", "not these tables; may be repeated", OptionKind::list,
        pattern_setter(spec.exclude)},
       "none",
       "a list of patterns",
       list_of(spec.exclude)},
      {{"rename", "FROM=TO",
        "another name at the sink: db.table=db2.table2 or db=db2, with * and ? on the left; may be "
        "repeated",
        OptionKind::list,
        [&spec](const std::string& value) -> Status {
          Result<RenameRule> rule = parse_rename(value);
          if (!rule.ok()) return rule.error();
          spec.rename.push_back(std::move(rule).value());
          return Unit{};
        }},
       "none",
       "a list of `from=to`",
       [&spec] {
         Values out;
         for (const RenameRule& rule : spec.rename) out.push_back(rename_text(rule));
         return out;
       }},
      {{"skip", "PATTERN=KINDS",
        "changes that are left out: db.table=insert,update,delete; may be repeated",
        OptionKind::list, event_filter_setter(spec.skip)},
       "none",
       "a list of `pattern=kinds`; kinds are `insert`, `update`, `delete`",
       [&spec] {
         Values out;
         for (const EventFilter& filter : spec.skip) out.push_back(event_filter_text(filter));
         return out;
       }},
      {{"where", "PATTERN=EXPRESSION",
        "rows that are kept, by an expression over their columns; may be repeated",
        OptionKind::list, row_filter_setter(spec.where)},
       "every row",
       "a list of `pattern=expression`",
       [&spec] {
         Values out;
         for (const RowFilter& filter : spec.where)
           out.push_back(filter.pattern + "=" + filter.expression);
         return out;
       }},
      {{"ddl", "KIND=apply|skip|stop",
        "what becomes of a kind of statement, as docs/DDL.md names them; may be repeated",
        OptionKind::list, ddl_setter(spec.ddl)},
       "as docs/DDL.md says",
       "a list of `kind=policy`; policies are `apply`, `skip`, `stop`",
       [&spec] { return ddl_texts(spec.ddl); }},
  };
}

std::vector<FeedKey> running_keys(FeedSpec& spec) {
  const auto number = [](unsigned n) { return std::to_string(n); };
  return {
      {{"lanes", "N", "sessions that write", OptionKind::value, number_setter(spec.lanes, 1, 256)},
       "chosen",
       "1 to 256",
       unless(spec.lanes, 0U, number)},
      {{"readers", "N", "sessions that read tables for the snapshot", OptionKind::value,
        number_setter(spec.readers, 1, 256)},
       "chosen",
       "1 to 256",
       unless(spec.readers, 0U, number)},
      {{"memory", "SIZE", "budget for rows and changes on their way", OptionKind::value,
        bounded_size(spec.memory, 16 * kMiB, kTiB)},
       "`256MiB`",
       "`16MiB` to `1TiB`",
       unless(spec.memory, 256 * kMiB, exact_size)},
      {{"syncpoint-interval", "TIME", "how often a consistent pair of positions is recorded",
        OptionKind::value,
        bounded_duration(spec.syncpoint_interval, std::chrono::seconds(1), true)},
       "`0` (on request alone)",
       "`1s` to `7d`, or `0`",
       unless(spec.syncpoint_interval, std::chrono::milliseconds(0), exact_duration)},
      {{"stall-after", "TIME",
        "how long the checkpoint may stand still while the lag grows before the status says so",
        OptionKind::value, bounded_duration(spec.stall_after, std::chrono::seconds(1), false)},
       "`60s`",
       "`1s` to `7d`",
       unless(spec.stall_after, std::chrono::milliseconds(60'000), exact_duration),
       true},
  };
}

std::vector<FeedKey> log_keys(FeedSpec& spec) {
  return {
      {{"log.memory", "SIZE", "the newest part of the source's log that stays in memory",
        OptionKind::value, bounded_size(spec.log.memory, kMiB, kTiB)},
       "`64MiB`",
       "`1MiB` to `1TiB`",
       unless(spec.log.memory, 64 * kMiB, exact_size)},
      {{"log.disk-max", "SIZE",
        "disk that the source's log may take; over it the source is read more slowly",
        OptionKind::value,
        [&spec](const std::string& value) -> Status {
          if (value != "0") return bounded_size(spec.log.disk_max, 64 * kMiB, 1024 * kTiB)(value);
          spec.log.disk_max = 0;
          return Unit{};
        }},
       "`0` (no bound)",
       "`64MiB` to `1024TiB`, or `0`",
       unless(spec.log.disk_max, std::uint64_t{0}, exact_size)},
      {{"log.segment", "SIZE", "a file of the source's log ends behind this size",
        OptionKind::value, bounded_size(spec.log.segment, kMiB, kTiB)},
       "`128MiB`",
       "`1MiB` to `1TiB`",
       unless(spec.log.segment, 128 * kMiB, exact_size)},
      {{"log.compress", "", "compress the source's log on disk", OptionKind::toggle,
        flag_setter(spec.log.compress)},
       "`false`",
       "`true`, `false`",
       unless(spec.log.compress, false, [](bool) { return "true"; })},
  };
}

std::vector<FeedKey> inflight_keys(FeedSpec& spec) {
  dispatch::InflightLimits& limits = spec.inflight;
  const dispatch::InflightLimits usual;
  const auto size = [](std::uint64_t& into) { return bounded_size(into, 1, kTiB); };
  constexpr std::string_view kRange = "`1` to `1TiB`, above its low mark";
  constexpr std::string_view kLowRange = "`0` to `1TiB`, below its high mark";
  const auto low = [](std::uint64_t& into) { return bounded_size(into, 0, kTiB); };
  return {
      {{"inflight.dispatcher-high", "SIZE",
        "a table waits when so much of it is at the sink and not durable", OptionKind::value,
        size(limits.dispatcher_high)},
       "`64MiB`",
       kRange,
       unless(limits.dispatcher_high, usual.dispatcher_high, exact_size)},
      {{"inflight.dispatcher-low", "SIZE", "a table that waits goes on when it is down to this",
        OptionKind::value, low(limits.dispatcher_low)},
       "`32MiB`",
       kLowRange,
       unless(limits.dispatcher_low, usual.dispatcher_low, exact_size)},
      {{"inflight.feed-high", "SIZE", "the same for all tables of the feed together",
        OptionKind::value, size(limits.feed_high)},
       "`256MiB`",
       kRange,
       unless(limits.feed_high, usual.feed_high, exact_size)},
      {{"inflight.feed-low", "SIZE", "where they go on", OptionKind::value, low(limits.feed_low)},
       "`128MiB`",
       kLowRange,
       unless(limits.feed_low, usual.feed_low, exact_size)},
  };
}

std::vector<FeedKey> redo_keys(FeedSpec& spec) {
  RedoLimits& redo = spec.redo;
  constexpr unsigned kManyUploads = 256;
  constexpr std::uint64_t kManyRequests = 1'000'000;
  return {
      {{"redo.storage", "URI",
        "every change is durable there before the sink shows it: file:///path, s3://bucket/prefix",
        OptionKind::secret_uri, storage_uri_setter(redo.storage_uri)},
       "no redo",
       "`file://`, `s3://`, `blackhole://`, `emulated://`",
       text_of(redo.storage_uri)},
      {{"redo.uploads", "N", "files on their way at the same time", OptionKind::value,
        number_setter(redo.uploads, 1, kManyUploads)},
       "`8`",
       "1 to 256",
       unless(redo.uploads, 8U, [](unsigned n) { return std::to_string(n); })},
      {{"redo.encoders", "N", "threads that pack and check what is to be uploaded",
        OptionKind::value, number_setter(redo.encoders, 1, kManyUploads)},
       "one for each core, at most 16",
       "1 to 256",
       unless(redo.encoders, 0U, [](unsigned n) { return std::to_string(n); })},
      {{"redo.memory", "SIZE", "budget for what is not durable there yet", OptionKind::value,
        bounded_size(redo.memory, kMiB, kTiB)},
       "`256MiB`",
       "`1MiB` to `1TiB`",
       unless(redo.memory, 256 * kMiB, exact_size)},
      {{"redo.file-size", "SIZE", "a file ends behind this size", OptionKind::value,
        bounded_size(redo.file_size, kMiB, 1024 * kMiB)},
       "`64MiB`",
       "`1MiB` to `1GiB`",
       unless(redo.file_size, 64 * kMiB, exact_size)},
      {{"redo.interval", "TIME", "or at this age of what it begins with", OptionKind::value,
        bounded_duration(redo.interval, std::chrono::milliseconds(10), false)},
       "`1s`",
       "`10ms` to `7d`",
       unless(redo.interval, std::chrono::milliseconds(1000), exact_duration)},
      {{"redo.compress", "", "compress what is uploaded", OptionKind::toggle,
        flag_setter(redo.compress)},
       "`true`",
       "`true`, `false`",
       unless(redo.compress, true, [](bool) { return "false"; })},
      {{"redo.requests", "N", "tries of requests to the storage in a minute", OptionKind::value,
        number_setter(redo.requests, std::uint64_t{60}, kManyRequests)},
       "no bound",
       "60 to 1000000",
       unless(redo.requests, std::uint64_t{0}, [](std::uint64_t n) { return std::to_string(n); })},
      {{"redo.on-remove", "WHAT", "whether what is there goes with the feed", OptionKind::value,
        choice_setter(redo.discard, {{"keep", false}, {"discard", true}})},
       "`keep`",
       "`keep`, `discard`",
       unless(redo.discard, false, [](bool) { return "discard"; })},
  };
}

}  // namespace

std::vector<FeedKey> feed_key_table(FeedSpec& spec) {
  std::vector<FeedKey> table;
  for (auto* part :
       {&place_keys, &selection_keys, &running_keys, &log_keys, &inflight_keys, &redo_keys}) {
    std::vector<FeedKey> keys = part(spec);
    table.insert(table.end(), std::make_move_iterator(keys.begin()),
                 std::make_move_iterator(keys.end()));
  }
  return table;
}

}  // namespace wherry::control
