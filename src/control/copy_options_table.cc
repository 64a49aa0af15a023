#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "control/copy_options.h"
#include "control/feed_words.h"
#include "control/option_setters.h"
#include "control/rename_rule.h"
#include "control/shard_rule.h"
#include "support/units.h"

namespace wherry::control {
namespace {

// The URI is kept as it was written, with its references; the endpoint has them replaced.
Setter server(std::string& uri, Endpoint& endpoint) {
  return [&uri, &endpoint](const std::string& value) -> Status {
    Result<Endpoint> parsed = parse_endpoint(value);
    if (!parsed.ok()) return parsed.error();
    uri = redacted(value);
    endpoint = std::move(parsed).value();
    return Unit{};
  };
}

Setter rename(std::vector<RenameRule>& into) {
  return [&into](const std::string& value) -> Status {
    Result<RenameRule> rule = parse_rename(value);
    if (!rule.ok()) return rule.error();
    into.push_back(std::move(rule).value());
    return Unit{};
  };
}

Setter shard(std::vector<RowFilter>& into) {
  return [&into](const std::string& value) -> Status {
    Result<RowFilter> rule = parse_shard(value);
    if (!rule.ok()) return rule.error();
    into.push_back(std::move(rule).value());
    return Unit{};
  };
}

Setter rate(CopyOptions& copy) {
  return [&copy](const std::string& value) -> Status {
    const Result<Rate> read = parse_rate(value);
    if (!read.ok()) return read.error();
    (read.value().unit == Rate::Unit::rows ? copy.rate_rows : copy.rate_bytes) =
        read.value().per_second;
    return Unit{};
  };
}

Setter objects(CopyOptions& copy) {
  return [&copy](const std::string& value) -> Status {
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string word(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      bool* into = nullptr;
      const Status chosen = choice_setter<bool*>(into, {{"views", &copy.with_views},
                                                        {"triggers", &copy.with_triggers},
                                                        {"routines", &copy.with_routines},
                                                        {"events", &copy.with_events}})(word);
      if (!chosen.ok()) return chosen.error();
      *into = true;
    }
    return Unit{};
  };
}

Setter collation(std::vector<std::pair<std::string, std::string>>& into) {
  return [&into](const std::string& value) -> Status {
    const std::size_t equals = value.find('=');
    if (equals == value.npos || equals == 0 || equals + 1 == value.size()) {
      return usage_error(
          "it is written from=to, for example utf8mb4_0900_ai_ci=utf8mb4_unicode_520_ci");
    }
    into.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    return Unit{};
  };
}

Setter verify(VerifyKind& into) {
  return [&into](const std::string& value) -> Status {
    if (value == "iterative" || value == "inline") {
      return Error{Errc::refused,
                   fmt::format("this build does not have '{}'; it has none and checksum", value)};
    }
    return choice_setter(into,
                         {{"none", VerifyKind::none}, {"checksum", VerifyKind::checksum}})(value);
  };
}

Setter not_built() {
  return [](const std::string&) -> Status {
    return Error{Errc::refused, "this build does not have it"};
  };
}

void add(std::vector<Option>& table, std::vector<Option> more) {
  table.insert(table.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::vector<Option> server_options(CopyOptions& copy) {
  return {
      {"source", "URI", "the server to read: mysql://user:password@host:port/",
       OptionKind::secret_uri, server(copy.source_uri, copy.source)},
      {"target", "URI", "the server to write to", OptionKind::secret_uri,
       server(copy.target_uri, copy.target)},
  };
}

std::vector<Option> selection_options(CopyOptions& copy) {
  return {
      {"include", "PATTERN", "only these tables: db.table, with * and ?; may be repeated",
       OptionKind::list, pattern_setter(copy.include)},
      {"exclude", "PATTERN", "not these tables; may be repeated", OptionKind::list,
       pattern_setter(copy.exclude)},
      {"rename", "FROM=TO",
       "another name at the target: db.table=db2.table2 or db=db2, with * and ? on the left; may "
       "be "
       "repeated",
       OptionKind::list, rename(copy.rename)},
      {"existing", "error|use", "tables that are already at the target (error)", OptionKind::value,
       choice_setter(copy.existing, {{"error", ExistingMode::error}, {"use", ExistingMode::use}})},
      {"with", "LIST", "also views,triggers,routines,events", OptionKind::list, objects(copy)},
      {"map-collation", "FROM=TO",
       "the collation at the target where there is no exact twin; may be repeated",
       OptionKind::list, collation(copy.collation_map)},
      {"position-mode", "gtid|file",
       "how the place in the binlog is kept (gtid where the source has it)", OptionKind::value,
       [&copy](const std::string& value) -> Status {
         PositionMode mode = PositionMode::gtid;
         Status chosen = choice_setter(
             mode, {{"gtid", PositionMode::gtid}, {"file", PositionMode::file}})(value);
         if (chosen.ok()) copy.position_mode = mode;
         return chosen;
       }},
      {"target-binlog", "on|off", "whether the target logs what is written (on)", OptionKind::value,
       choice_setter(copy.target_binlog, {{"on", true}, {"off", false}})},
      {"resume", "", "go on with the run that the target remembers", OptionKind::toggle,
       flag_setter(copy.resume)},
      {"meta-database", "NAME", "where progress is kept at the target (wherry)", OptionKind::value,
       text_setter(copy.meta_database)},
      {"json", "", "the result as one JSON document on stdout", OptionKind::toggle,
       flag_setter(copy.json)},
  };
}

std::vector<Option> ending_options(CopyOptions& copy) {
  return {
      {"verify", "none|checksum", "compare both sides at the end (checksum)", OptionKind::value,
       verify(copy.verify)},
      {"cutover", "auto|manual|never",
       "when to end: when caught up, when told, or not at all (auto)", OptionKind::value,
       choice_setter(copy.cutover, {{"auto", CutoverMode::automatic},
                                    {"manual", CutoverMode::manual},
                                    {"never", CutoverMode::never}})},
      {"cutover-lock", "CMD|URL", "stops the application's writes before the end",
       OptionKind::value, text_setter(copy.cutover_lock)},
      {"cutover-unlock", "CMD|URL", "lets them go on", OptionKind::value,
       text_setter(copy.cutover_unlock)},
      {"max-downtime", "TIME",
       "longest time between lock and end; past it, unlock and catch up again", OptionKind::value,
       duration_setter(copy.max_downtime)},
      {"report", "FILE", "write the report there", OptionKind::value,
       text_setter(copy.report_file)},
      {"drop-meta", "", "remove the database of --meta-database at the end", OptionKind::toggle,
       flag_setter(copy.drop_meta)},
  };
}

std::vector<Option> running_options(CopyOptions& copy) {
  constexpr std::uint64_t kRowsMax = 10'000'000;
  return {
      {"api", "ADDRESS", "serve the HTTP API, for example 127.0.0.1:8400; port 0 takes any",
       OptionKind::value, text_setter(copy.api)},
      {"progress", "auto|bar|lines|json|none", "what is shown while it runs, on stderr (auto)",
       OptionKind::value,
       choice_setter(copy.progress, {{"auto", ProgressMode::automatic},
                                     {"bar", ProgressMode::bar},
                                     {"lines", ProgressMode::lines},
                                     {"json", ProgressMode::json},
                                     {"none", ProgressMode::none}})},
      {"state", "DIR", "serve the same on the socket DIR/control.sock, for this account alone",
       OptionKind::value, text_setter(copy.state_dir)},
      {"spill-dir", "DIR", "accepted, without effect so far", OptionKind::value,
       text_setter(copy.spill_dir)},
      {"spill-max", "SIZE", "accepted, without effect so far", OptionKind::value,
       size_setter(copy.spill_max)},
      {"memory", "SIZE", "budget for rows and changes (1GiB)", OptionKind::value,
       size_setter(copy.memory)},
      {"readers", "N", "sessions that read tables (chosen)", OptionKind::value,
       number_setter(copy.readers, 1, 256)},
      {"lanes", "N", "sessions that write (chosen)", OptionKind::value,
       number_setter(copy.lanes, 1, 256)},
      {"chunk-rows", "N", "rows of one chunk (chosen by bytes)", OptionKind::value,
       number_setter(copy.chunk_rows, 1, kRowsMax)},
      {"rate", "ROWS|SIZE", "most that is copied in a second: 20000rows or 50MiB",
       OptionKind::value, rate(copy)},
      {"max-lag", "TIME", "copy more slowly while the changes lag more than this",
       OptionKind::value, duration_setter(copy.max_lag)},
      {"indexes", "after|with", "make plain secondary indexes after the rows or at once (after)",
       OptionKind::value,
       choice_setter(copy.indexes, {{"after", IndexMode::after}, {"with", IndexMode::with}})},
      {"redo", "URI", "make every change durable there before the target shows it (docs/redo.md)",
       OptionKind::secret_uri, storage_uri_setter(copy.redo_uri)},
      {"shard", "TABLE.COLUMN=VALUE",
       "of these tables only the rows with this value: table.column or db.table.column; may be "
       "repeated",
       OptionKind::list, shard(copy.where)},
      {"dry-run", "", "check everything, write nothing", OptionKind::toggle,
       flag_setter(copy.dry_run)},
  };
}

std::vector<Option> later_options() {
  const std::string help = "not in this build";
  return {
      {"failover-candidate", "URI", help, OptionKind::list, not_built()},
      {"failover-hook", "CMD|URL", help, OptionKind::value, not_built()},
      {"failover-policy", "abort|wait|repair", help, OptionKind::value, not_built()},
  };
}

}  // namespace

std::vector<Option> program_options(ProgramOptions& program) {
  return {
      {"config", "FILE", "TOML file with keys of the same names", OptionKind::value,
       text_setter(program.config_file)},
      {"log-level", "debug|info|warning|error", "what is logged on stderr (info)",
       OptionKind::value,
       choice_setter(program.log_level, {{"debug", log::Level::debug},
                                         {"info", log::Level::info},
                                         {"warning", log::Level::warning},
                                         {"error", log::Level::error}})},
      {"log-format", "text|json", "how (text)", OptionKind::value,
       choice_setter(program.log_format,
                     {{"text", log::Format::text}, {"json", log::Format::json}})},
  };
}

std::vector<Option> copy_option_table(CopyOptions& copy, ProgramOptions& program) {
  std::vector<Option> table = server_options(copy);
  add(table, selection_options(copy));
  add(table, ending_options(copy));
  add(table, running_options(copy));
  add(table, later_options());
  add(table, program_options(program));
  return table;
}

std::vector<Option> check_option_table(CopyOptions& copy, ProgramOptions& program) {
  std::vector<Option> table = server_options(copy);
  add(table, selection_options(copy));
  add(table, program_options(program));
  return table;
}

}  // namespace wherry::control
