#include "control/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "control/filter_rules.h"
#include "control/preflight.h"
#include "control/rename_rule.h"
#include "control/replay_rules.h"
#include "mysql/binlog_position.h"
#include "mysql/schema_reader.h"
#include "sink/mysql/ddl_runner.h"
#include "source/binlog_dump.h"
#include "source/history.h"

namespace wherry::control {
namespace {

using dispatch::PlanPtr;
using dispatch::TablePlan;

constexpr std::uint64_t kSliceBytes = 32 << 20;  // tables below it are one slice
constexpr std::size_t kSlicesMax = 8;            // of one table
// Below it an index grows in memory with the rows, and a statement of its own costs more.
constexpr std::uint64_t kLateIndexBytes = 4 << 20;
constexpr int kVersion = 2;  // of the records
constexpr std::string_view kRunning = "running";
constexpr std::string_view kFinished = "finished";

// A server that knows less than was applied is another one, or has lost its history.
Status require_history(const RunSessions& sessions, const RunPlan& plan) {
  Result<Position> now = mysql::current_position(sessions.source);
  if (!now.ok()) return now.error();
  const Error behind{Errc::refused,
                     fmt::format("the source stands at {} ({}), before what was applied already: "
                                 "{} ({}); it is another server or has lost its binlog",
                                 now.value().file.to_string(), now.value().gtid,
                                 plan.low.position.file.to_string(), plan.low.position.gtid),
                     0};
  if (!plan.by_gtid) {
    if (compare(now.value().file, plan.low.position.file) < 0) return behind;
    return Unit{};
  }
  Result<bool> holds =
      gtid_contains(sessions.source.facts().dialect, now.value().gtid, plan.low.position.gtid);
  if (!holds.ok()) return holds.error();
  if (!holds.value()) return behind;
  return Unit{};
}

// What the lanes committed above the low-water mark, and which groups their last ones are.
void unite_done(const sink::SavedProgress& saved, RunPlan& plan) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const sink::LaneRecord& lane : saved.lanes) {
    all.insert(all.end(), lane.done.begin(), lane.done.end());
    if (lane.done.empty() || lane.done_last.empty()) continue;
    if (lane.done.back().second > plan.low.cseq)
      plan.known[lane.done.back().second] = lane.done_last;
  }
  std::sort(all.begin(), all.end());
  for (const auto& range : all) {
    if (!plan.done.empty() && range.first <= plan.done.back().second + 1) {
      plan.done.back().second = std::max(plan.done.back().second, range.second);
    } else {
      plan.done.push_back(range);
    }
  }
  sink::drop_through(plan.done, plan.low.cseq);
}

std::string run_body(const RunSessions& sessions, const RunPlan& plan, std::string_view state) {
  nlohmann::json json;
  json["version"] = kVersion;
  json["state"] = state;
  json["source"] = mysql::lasting_identity(sessions.source.facts());
  json["by_gtid"] = plan.by_gtid;
  json["first_file"] = plan.first.file.file;
  json["first_offset"] = plan.first.file.offset;
  json["first_gtid"] = plan.first.gtid;
  return json.dump();
}

Result<bool> position_mode(const CopyOptions& options, const mysql::ServerFacts& facts) {
  if (options.position_mode == PositionMode::gtid && !facts.gtid_on) {
    return Error{Errc::refused,
                 "--position-mode gtid: the source has no GTIDs (gtid_mode is not ON); set it, or "
                 "use --position-mode file",
                 0};
  }
  return options.position_mode ? *options.position_mode == PositionMode::gtid : facts.gtid_on;
}

// Many rows in few statements: ten thousand tables must cost seconds.
Status write_records(const RunSessions& sessions, const std::vector<sink::NamedRecord>& records) {
  constexpr std::size_t kBatch = 200;
  for (std::size_t from = 0; from < records.size(); from += kBatch) {
    std::string sql = "BEGIN";
    for (std::size_t i = from; i < std::min(records.size(), from + kBatch); ++i)
      sql += ";" + sessions.progress.put_statement(records[i]);
    Result<std::vector<mysql::Outcome>> done = sessions.target.execute_all(sql + ";COMMIT");
    if (!done.ok()) return done.error().within("record the plan at the target");
  }
  return Unit{};
}

std::vector<PlanPtr> mark_cascades(std::vector<PlanPtr> plans) {
  std::map<std::uint32_t, PlanPtr> changed;
  for (PlanPtr& plan : dispatch::with_cascades(plans)) changed[plan->id] = std::move(plan);
  for (PlanPtr& plan : plans) {
    if (const auto found = changed.find(plan->id); found != changed.end()) plan = found->second;
  }
  return plans;
}

Status begin_lanes(mysql::Session& target, const sink::Progress& progress, const RunPlan& plan,
                   unsigned lanes) {
  std::vector<sink::LaneRecord> records;
  for (unsigned i = 0; i <= lanes; ++i) {
    sink::LaneRecord record;
    record.lane = i < lanes ? i : sink::DdlRunner::kLane;
    record.low = plan.low;
    if (i == 0) plan.give_done(record);
    records.push_back(std::move(record));
  }
  return progress.begin_lanes(target, plan.epoch, records);
}

Status find_begin(const RunSessions& sessions, RunPlan& plan) {
  if (sessions.begin) {
    Result<dispatch::LowWater> begin = sessions.begin();
    if (!begin.ok()) return begin.error();
    plan.low = std::move(begin).value();
  } else {
    Result<Position> now = mysql::current_position(sessions.source);
    if (!now.ok()) return now.error();
    plan.low.position = std::move(now).value();
  }
  plan.first = plan.low.position;
  return Unit{};
}

Status fill_slices(const RunSessions& sessions, RunPlan& plan) {
  if (!sessions.snapshot) {
    for (const PlanPtr& table : plan.plans) table->state->strict_after = plan.low.cseq;
    return Unit{};
  }
  for (const PlanPtr& table : plan.plans) {
    const std::uint64_t bytes = table->source.data_bytes_estimate;
    const std::size_t parts =
        bytes < kSliceBytes ? 1 : std::min<std::size_t>(kSlicesMax, 1 + bytes / kSliceBytes);
    Result<std::vector<copy::Slice>> slices = copy::cut_slices(sessions.source, *table, parts);
    if (!slices.ok()) return slices.error();
    for (copy::Slice& slice : slices.value()) plan.slices.push_back(std::move(slice));
  }
  return Unit{};
}

// Slices of one table lie apart, so that readers working side by side write to different places,
// and the largest tables begin first.
void order_slices(RunPlan& plan) {
  std::stable_sort(
      plan.slices.begin(), plan.slices.end(),
      [](const copy::Slice& a, const copy::Slice& b) { return a.id.number < b.id.number; });
}

// The selected tables, once every rule has passed. adopt: what is at the target is our own.
Result<std::vector<Table>> checked_tables(const CopyOptions& options, const RunSessions& sessions,
                                          bool adopt, RunPlan& plan) {
  Result<std::vector<Table>> tables = selected_tables(sessions.source, options);
  if (!tables.ok()) return tables;
  if (tables.value().empty())
    return Error{Errc::refused, "no table at the source matches --include and --exclude", 0};
  CopyOptions checked = options;
  if (adopt) checked.existing = ExistingMode::use;
  Result<std::vector<Finding>> findings =
      preflight(sessions.source, sessions.target, tables.value(), checked);
  if (!findings.ok()) return findings.error();
  if (Status passed = verdict(findings.value()); !passed.ok()) return passed.error();
  plan.warnings = warning_texts(findings.value());
  Result<dispatch::FilterRules> filters = make_filters(sessions.source, options);
  if (!filters.ok()) return filters.error();
  plan.filters = std::move(filters).value();
  if (!sessions.snapshot) return tables;
  if (Status copied = require_copyable(plan.filters, tables.value()); !copied.ok())
    return copied.error();
  return tables;
}

// What a resume cannot read at the target has to be in the records.
ShapeRecords shape_records(const RunSessions& sessions) {
  const bool alike = sessions.source.facts().dialect == sessions.target.facts().dialect;
  return alike ? ShapeRecords::left_out : ShapeRecords::kept;
}

Result<RunPlan> plan_fresh(const CopyOptions& options, const RunSessions& sessions, bool adopt) {
  RunPlan plan;
  plan.shapes = shape_records(sessions);
  Result<bool> by_gtid = position_mode(options, sessions.source.facts());
  if (!by_gtid.ok()) return by_gtid.error();
  plan.by_gtid = by_gtid.value();
  Result<std::vector<Table>> tables = checked_tables(options, sessions, adopt, plan);
  if (!tables.ok()) return tables.error();
  std::sort(tables.value().begin(), tables.value().end(), [](const Table& a, const Table& b) {
    return a.data_bytes_estimate > b.data_bytes_estimate;
  });
  std::uint32_t id = 0;
  for (Table& table : tables.value()) {
    auto state = std::make_shared<dispatch::TableState>();
    state->strict_after = dispatch::kNotYet;
    state->touched = adopt || options.existing == ExistingMode::use;
    const TableName target = renamed(options.rename, table.name);
    Result<dispatch::ChangeFilterPtr> filter = plan.filters.filter_of(table);
    if (!filter.ok()) return filter.error();
    plan.plans.push_back(dispatch::make_plan(id++, std::move(table), target, std::move(state),
                                             std::move(filter).value()));
  }
  plan.plans = mark_cascades(std::move(plan.plans));
  // Looked at here as well as when the tables are made: a refusal must leave nothing behind.
  copy::DefinitionOptions definitions;
  definitions.collation_map = options.collation_map;
  const Result<std::vector<std::string>> refused =
      copy::refused_databases(sessions.source, sessions.target, plan.routes(), definitions);
  if (!refused.ok()) return refused.error();
  if (!refused.value().empty()) return Error{Errc::refused, refused.value().front(), 0};
  return plan;
}

// Which tables get their indexes at once. Of what an earlier run made nothing is known but what is
// there.
std::set<TableName> small_tables(const RunPlan& plan, bool from_earlier) {
  std::set<TableName> small;
  std::map<TableName, std::size_t> sharing;
  for (const PlanPtr& table : plan.plans) ++sharing[table->target];
  for (const PlanPtr& table : plan.plans) {
    // Others write into a merged table while an index of this one's would be built.
    const bool merged = sharing[table->target] > 1;
    if (merged || (!from_earlier && table->source.data_bytes_estimate < kLateIndexBytes))
      small.insert(table->source.name);
  }
  return small;
}

Status carry_out_fresh(const CopyOptions& options, const RunSessions& sessions, RunPlan& plan,
                       bool adopt) {
  copy::DefinitionOptions definitions;
  definitions.late_indexes = options.indexes == IndexMode::after;
  definitions.use_existing = adopt || options.existing == ExistingMode::use;
  definitions.collation_map = options.collation_map;
  definitions.open_target = sessions.open_target;
  definitions.small = small_tables(plan, definitions.use_existing);
  Result<copy::LateKeys> late =
      copy::create_tables(sessions.source, sessions.target, plan.routes(), definitions);
  if (!late.ok()) return late.error();
  for (const PlanPtr& table : plan.plans)
    plan.records[table->id] = to_record(*table, "", late.value()[table->source.name], plan.shapes);
  // The position comes before any snapshot: what happens from here on is in the stream.
  if (Status begun = find_begin(sessions, plan); !begun.ok()) return begun;
  if (Status filled = fill_slices(sessions, plan); !filled.ok()) return filled;
  std::vector<sink::NamedRecord> records;
  for (const auto& [id, record] : plan.records) records.push_back(to_named(record));
  for (const copy::Slice& slice : plan.slices)
    records.push_back({"slice", copy::record_name(slice.id), copy::to_json(slice)});
  // The run's own record comes last: with it the plan is whole.
  records.push_back({"run", "run", run_body(sessions, plan, kRunning)});
  return write_records(sessions, records);
}

Result<nlohmann::json> json_of(const sink::NamedRecord& record) {
  nlohmann::json json = nlohmann::json::parse(record.body, nullptr, false);
  if (!json.is_object())
    return Error{Errc::malformed,
                 fmt::format("the saved {} record {} is not JSON", record.kind, record.name), 0};
  return json;
}

const sink::NamedRecord* find_run(const sink::SavedProgress& saved) {
  const auto found = std::find_if(saved.records.begin(), saved.records.end(),
                                  [](const sink::NamedRecord& one) { return one.kind == "run"; });
  return found == saved.records.end() ? nullptr : &*found;
}

using Shapes = std::map<TableName, Table>;

// The shapes of tables as of the low-water mark, by their target names: the target's, since every
// DDL through there ran at the target. A table that a statement has dropped or renamed is not among
// them.
Result<Shapes> shapes_at(mysql::Session& target,
                         const std::map<std::uint32_t, TableRecord>& saved) {
  std::set<TableName> names;
  for (const auto& [id, one] : saved) names.insert(one.target);
  Result<std::vector<Table>> tables =
      mysql::read_tables(target, [&](const TableName& name) { return names.contains(name); });
  if (!tables.ok()) return tables.error();
  std::map<TableName, TableName> sources;
  for (const auto& [id, one] : saved) sources[one.target] = one.source;
  Shapes shapes;
  for (Table& table : tables.value()) {
    // Parents by the source's names, as they were when the plan was made.
    for (ForeignKey& key : table.foreign_keys) {
      const auto parent = sources.find(key.parent);
      if (parent != sources.end()) key.parent = parent->second;
    }
    const TableName name = table.name;
    shapes[name] = std::move(table);
  }
  return shapes;
}

// Across dialects the declared types differ, and the source's own definitions may be ahead of the
// rows: what the records say of the low-water mark serves.
Result<Shapes> recorded_shapes(const std::map<std::uint32_t, TableRecord>& saved) {
  Shapes shapes;
  for (const auto& [id, one] : saved) {
    if (!one.shape) {
      return Error{Errc::refused,
                   fmt::format("which columns {} had where the saved run stopped is not in its "
                               "record, and the source may be ahead of it; drop that run's "
                               "database and begin anew",
                               one.source.to_string()),
                   0};
    }
    if (one.outrun.empty()) shapes[one.target] = *one.shape;
  }
  return shapes;
}

// What is at the target was chosen by the filter of the run's beginning.
Result<dispatch::ChangeFilterPtr> resumed_filter(const RunPlan& plan, const TableRecord& record,
                                                 const Table& table) {
  const std::string& now = plan.filters.wanted_of(record.source).text;
  if (now != record.filter) {
    const auto shown = [](const std::string& text) { return text.empty() ? "everything" : text; };
    return Error{Errc::refused,
                 fmt::format("where and skip cannot change once a table is followed: {} was begun "
                             "with \"{}\", and now it is \"{}\"",
                             record.source.to_string(), shown(record.filter), shown(now)),
                 0};
  }
  if (table.columns.empty()) return dispatch::ChangeFilterPtr();  // a statement is about to tell
  return plan.filters.filter_of(table);
}

Status resume_tables(mysql::Session& target, const sink::SavedProgress& saved, RunPlan& plan) {
  for (const sink::NamedRecord& record : saved.records) {
    if (record.kind != "table") continue;
    Result<TableRecord> read = to_table_record(record);
    if (!read.ok()) return read.error();
    plan.records[read.value().id] = read.value();
  }
  const bool kept = plan.shapes == ShapeRecords::kept;
  Result<Shapes> shapes = kept ? recorded_shapes(plan.records) : shapes_at(target, plan.records);
  if (!shapes.ok()) return shapes.error();
  for (const auto& [id, one] : plan.records) {
    // Without a shape a statement that drops or renames it ran, and is not finished: it comes
    // again, and tells what became of the table.
    // Merged tables have one shape, but for those whose rows are not of it yet.
    Table table = one.outrun.empty() || !one.shape ? shapes.value()[one.target] : *one.shape;
    table.name = one.source;
    auto state = std::make_shared<dispatch::TableState>();
    state->touched = true;
    Result<dispatch::ChangeFilterPtr> filter = resumed_filter(plan, one, table);
    if (!filter.ok()) return filter.error();
    plan.plans.push_back(dispatch::make_plan(id, std::move(table), one.target, std::move(state),
                                             std::move(filter).value()));
  }
  plan.plans = mark_cascades(std::move(plan.plans));
  return Unit{};
}

Status resume_slices(const RunSessions& sessions, const sink::SavedProgress& saved, RunPlan& plan) {
  std::map<std::uint32_t, PlanPtr> by_id;
  for (const PlanPtr& table : plan.plans) by_id[table->id] = table;
  for (const sink::NamedRecord& record : saved.records) {
    if (record.kind != "slice") continue;
    const auto id = copy::parse_record_name(record.name);
    if (!id) return Error{Errc::malformed, "a saved slice has the name " + record.name, 0};
    const auto found = by_id.find(id->table);
    if (found == by_id.end()) continue;
    const PlanPtr& table = found->second;
    Result<copy::Slice> slice = copy::slice_from_json(*id, record.body);
    if (!slice.ok()) return slice.error();
    dispatch::TableState& state = *table->state;
    state.placed_through = std::max(state.placed_through.load(), slice.value().placed_at);
    if (!slice.value().done) {
      state.strict_after = dispatch::kNotYet;
      if (slice.value().whole) {
        // It has no place to go on from: what was copied of it is copied again.
        Result<std::vector<mysql::Outcome>> emptied = sessions.target.execute_all(fmt::format(
            "SET foreign_key_checks = 0;TRUNCATE TABLE {}.{};SET foreign_key_checks = 1",
            quote_name(table->target.database), quote_name(table->target.table)));
        if (!emptied.ok()) return emptied.error();
        slice.value().reached.reset();
        slice.value().rows = slice.value().bytes = 0;
      }
    }
    state.rows_copied += slice.value().rows;
    state.bytes_copied += slice.value().bytes;
    plan.slices.push_back(std::move(slice).value());
  }
  for (const PlanPtr& table : plan.plans) {
    if (!table->state->open()) table->state->strict_after = table->state->placed_through.load();
  }
  return Unit{};
}

// A statement changed the key of a table that is being copied, and the run died before it began the
// table anew.
Status restart_changed(const RunSessions& sessions, RunPlan& plan) {
  for (const PlanPtr& table : plan.plans) {
    const std::string& before = plan.records[table->id].key;
    if (before.empty() || !table->state->open()) continue;
    Result<Table> now = mysql::read_table(sessions.target, table->target);
    if (!now.ok() && now.error().code == Errc::lost) continue;
    if (!now.ok()) return now.error();
    if (key_signature(now.value()) == before) continue;
    copy::Slice fresh;
    fresh.id.table = table->id;
    fresh.whole = row_key(now.value()) == nullptr || table->circular;
    for (const copy::Slice& slice : plan.slices) {
      if (slice.id.table == table->id)
        fresh.id.number = std::max(fresh.id.number, slice.id.number + 1);
    }
    std::erase_if(plan.slices, [&](const auto& slice) { return slice.id.table == table->id; });
    plan.records[table->id].key = key_signature(now.value());
    Result<std::vector<mysql::Outcome>> done = sessions.target.execute_all(fmt::format(
        "SET foreign_key_checks = 0;TRUNCATE TABLE {}.{};SET foreign_key_checks = 1;BEGIN;{};{};{};"
        "COMMIT",
        quote_name(table->target.database), quote_name(table->target.table),
        sink::drop_slices_statement(sessions.progress, table->id),
        sessions.progress.put_statement(
            {"slice", copy::record_name(fresh.id), copy::to_json(fresh)}),
        sessions.progress.put_statement(to_named(plan.records[table->id]))));
    if (!done.ok()) return done.error().within("begin " + table->target.to_string() + " anew");
    table->state->rows_copied = table->state->bytes_copied = 0;
    plan.slices.push_back(std::move(fresh));
  }
  return Unit{};
}

// Tables that foreign key actions change begin from nothing, or go on from what is there.
Status prepare_cascades(const RunSessions& sessions, RunPlan& plan) {
  for (const PlanPtr& table : plan.plans) {
    if (!table->cascades || table->whole() || !table->state->open()) continue;
    const bool begun = std::any_of(plan.slices.begin(), plan.slices.end(), [&](const auto& slice) {
      return slice.id.table == table->id && (slice.done || slice.reached);
    });
    if (begun) continue;
    table->state->started = false;
    if (!plan.resumed) continue;
    // What the stream wrote of it before the crash is not followed any more until it is copied.
    Result<std::vector<mysql::Outcome>> emptied = sessions.target.execute_all(
        fmt::format("SET foreign_key_checks = 0;TRUNCATE TABLE {}.{};SET foreign_key_checks = 1",
                    quote_name(table->target.database), quote_name(table->target.table)));
    if (!emptied.ok()) return emptied.error();
  }
  return Unit{};
}

// Where the run began and how far it came.
void take_up(const nlohmann::json& run, const sink::SavedProgress& saved, RunPlan& plan) {
  plan.by_gtid = run.value("by_gtid", true);
  plan.first = {{run.value("first_file", ""), run.value("first_offset", std::uint64_t{0})},
                run.value("first_gtid", "")};
  plan.low.position = plan.first;
  for (const sink::LaneRecord& lane : saved.lanes) {
    if (lane.low.cseq >= plan.low.cseq && !lane.low.position.empty()) plan.low = lane.low;
  }
  unite_done(saved, plan);
}

Result<RunPlan> plan_resumed(const CopyOptions& options, const RunSessions& sessions,
                             const sink::SavedProgress& saved) {
  RunPlan plan;
  plan.resumed = true;
  // Settings and privileges may have changed since: the rules hold at every start.
  Result<std::vector<Table>> rules = checked_tables(options, sessions, true, plan);
  if (!rules.ok()) return rules.error();
  Result<nlohmann::json> run = json_of(*find_run(saved));
  if (!run.ok()) return run.error();
  const std::string identity = mysql::lasting_identity(sessions.source.facts());
  if (run.value().value("source", "") != identity) {
    return Error{Errc::refused,
                 fmt::format("the saved run was of another source server ({}); --source names {}",
                             run.value().value("source", ""), identity),
                 0};
  }
  if (run.value().value("version", 0) != kVersion) {
    return Error{
        Errc::refused,
        fmt::format("the saved run was begun by another version of wherry; go on with that "
                    "one, or drop the database of {} to begin anew",
                    sessions.progress.table("progress")),
        0};
  }
  if (Status whole = require_same_tables(run.value(), {}); !whole.ok()) return whole.error();
  if (Status whole = require_rebuilt(run.value()); !whole.ok()) return whole.error();
  take_up(run.value(), saved, plan);
  if (Status known = require_history(sessions, plan); !known.ok()) return known.error();
  Status same = source::require_applied(sessions.runtime.lease(), sessions.source, plan.by_gtid,
                                        {plan.low.position, plan.low.gtid, plan.low.commit_us});
  if (!same.ok()) return same.error();
  plan.shapes = shape_records(sessions);
  Status tables = resume_tables(sessions.target, saved, plan);
  if (!tables.ok()) return tables.error();
  if (Status slices = resume_slices(sessions, saved, plan); !slices.ok()) return slices.error();
  if (Status anew = restart_changed(sessions, plan); !anew.ok()) return anew.error();
  return plan;
}

Error nothing_to_replay(const ReplaySessions& sessions) {
  return {Errc::refused, fmt::format("the target holds no run of {} in {}: the redo belongs to "
                                     "another target, or its progress there is lost",
                                     sessions.progress.job(), sessions.progress.table("progress"))};
}

// What is left to do for a replay, from what the target says.
Result<RunPlan> plan_replay(const ReplaySessions& sessions,
                            const std::optional<sink::SavedProgress>& saved) {
  const sink::NamedRecord* const record = saved ? find_run(*saved) : nullptr;
  if (record == nullptr) return nothing_to_replay(sessions);
  const Result<nlohmann::json> run = json_of(*record);
  if (!run.ok()) return run.error();
  if (Status same = require_same_tables(run.value(), sessions.tables); !same.ok())
    return same.error();
  RunPlan plan;
  plan.resumed = true;
  plan.filters = sessions.filters;
  take_up(run.value(), *saved, plan);
  if (Status tables = resume_tables(sessions.target, *saved, plan); !tables.ok())
    return tables.error();
  Status copied = sessions.snapshot ? take_up_snapshot(run.value(), *saved, plan)
                                    : require_copied(run.value(), *saved);
  if (!copied.ok()) return copied.error();
  if (!sessions.tables.empty()) {
    if (Status narrowed = narrow(sessions.selection, plan); !narrowed.ok()) return narrowed.error();
  }
  for (const PlanPtr& table : plan.plans) {
    if (!table->state->open())
      table->state->strict_after = std::max(plan.low.cseq, table->state->placed_through.load());
  }
  return plan;
}

}  // namespace

std::vector<copy::Route> RunPlan::routes() const {
  std::vector<copy::Route> routes;
  for (const PlanPtr& plan : plans) routes.push_back({plan->source.name, plan->target});
  return routes;
}

void RunPlan::give_done(sink::LaneRecord& lane) const {
  lane.done = done;
  const auto last = done.empty() ? known.end() : known.find(done.back().second);
  lane.done_last = last == known.end() ? "" : last->second;
}

Result<RunPlan> make_run_plan(const CopyOptions& options, const RunSessions& sessions,
                              unsigned lanes) {
  Result<std::optional<sink::SavedProgress>> found = sessions.progress.load(sessions.target);
  if (!found.ok()) return found.error();
  const sink::NamedRecord* run = found.value() ? find_run(*found.value()) : nullptr;
  const bool running = run != nullptr && run->body.find(fmt::format("\"state\":\"{}\"",
                                                                    kRunning)) != std::string::npos;
  if (options.resume && run == nullptr && !found.value()) {
    return Error{Errc::refused, "--resume: the target holds no saved run; start without --resume",
                 0};
  }
  if (!options.resume && running) {
    if (Status free = sessions.progress.require_free(sessions.target); !free.ok())
      return free.error();
    return Error{Errc::refused,
                 fmt::format("the target holds an unfinished run in {}; go on with it by --resume, "
                             "or drop that database to begin anew",
                             sessions.progress.table("progress")),
                 0};
  }
  if (options.resume && run != nullptr && !running) {
    // Copying again would overwrite what was written at the target since its cutover.
    return Error{Errc::refused,
                 fmt::format("--resume: the run in {} is finished; there is nothing to go on with",
                             sessions.progress.table("progress")),
                 0};
  }
  const bool resumes = options.resume && running;
  // A run that was killed before its plan was whole has made tables, perhaps, and copied nothing.
  const bool adopt = options.resume && !resumes;
  RunPlan plan;
  if (!resumes) {
    Result<RunPlan> fresh = plan_fresh(options, sessions, adopt);
    if (!fresh.ok()) return fresh;
    plan = std::move(fresh).value();
    if (Status made = sessions.progress.create(sessions.target); !made.ok()) return made.error();
  }
  Result<std::uint64_t> epoch =
      sessions.progress.claim(sessions.target, found.value() ? &*found.value() : nullptr);
  if (!epoch.ok()) return epoch.error();
  if (resumes) {
    // What a lost session committed in its last moment counts: read again behind its locks.
    found = sessions.progress.load_locked(sessions.target);
    if (!found.ok()) return found.error();
    Result<RunPlan> resumed = plan_resumed(options, sessions, *found.value());
    if (!resumed.ok()) return resumed;
    plan = std::move(resumed).value();
  } else {
    if (Status cleared = sessions.progress.clear(sessions.target); !cleared.ok())
      return cleared.error();
    if (Status done = carry_out_fresh(options, sessions, plan, adopt); !done.ok())
      return done.error();
  }
  if (Status ready = prepare_cascades(sessions, plan); !ready.ok()) return ready.error();
  plan.epoch = epoch.value();
  order_slices(plan);
  if (Status begun = begin_lanes(sessions.target, sessions.progress, plan, lanes); !begun.ok())
    return begun.error();
  return plan;
}

Result<RunPlan> look_at_replay(const ReplaySessions& sessions) {
  if (Status kind = require_same_kind(sessions.target.facts().dialect, sessions.dialect);
      !kind.ok())
    return kind.error();
  Result<std::optional<sink::SavedProgress>> found = sessions.progress.load(sessions.target);
  if (!found.ok()) return found.error();
  return plan_replay(sessions, found.value());
}

Result<RunPlan> make_replay_plan(const ReplaySessions& sessions, unsigned lanes) {
  if (Status kind = require_same_kind(sessions.target.facts().dialect, sessions.dialect);
      !kind.ok())
    return kind.error();
  Result<std::optional<sink::SavedProgress>> found = sessions.progress.load(sessions.target);
  if (!found.ok()) return found.error();
  // Refused before the run of an epoch that may still live is ended.
  if (Result<RunPlan> look = plan_replay(sessions, found.value()); !look.ok()) return look;
  Result<std::uint64_t> epoch = sessions.progress.claim(sessions.target, &*found.value());
  if (!epoch.ok()) return epoch.error();
  found = sessions.progress.load_locked(sessions.target);
  if (!found.ok()) return found.error();
  Result<RunPlan> plan = plan_replay(sessions, found.value());
  if (!plan.ok()) return plan;
  plan.value().epoch = epoch.value();
  Status begun = begin_lanes(sessions.target, sessions.progress, plan.value(), lanes);
  if (!begun.ok()) return begun.error();
  return plan;
}

Status record_narrowed(const ReplaySessions& sessions, const RunPlan& plan) {
  const Result<std::optional<sink::SavedProgress>> found = sessions.progress.load(sessions.target);
  if (!found.ok()) return found.error();
  const sink::NamedRecord* const saved = found.value() ? find_run(*found.value()) : nullptr;
  if (saved == nullptr) return nothing_to_replay(sessions);
  Result<nlohmann::json> run = json_of(*saved);
  if (!run.ok()) return run.error();
  if (run.value().contains("tables")) return Unit{};
  run.value()["tables"] = sessions.tables;
  run.value()["others_at"] = plan.low.cseq;
  return sink::put_record(sessions.target, sessions.progress, {"run", "run", run.value().dump()});
}

Status record_rebuilt(const ReplaySessions& sessions) {
  const Result<std::optional<sink::SavedProgress>> found = sessions.progress.load(sessions.target);
  if (!found.ok()) return found.error();
  const sink::NamedRecord* const saved = found.value() ? find_run(*found.value()) : nullptr;
  if (saved == nullptr) return nothing_to_replay(sessions);
  Result<nlohmann::json> run = json_of(*saved);
  if (!run.ok()) return run.error();
  run.value().erase("rebuilding");
  return sink::put_record(sessions.target, sessions.progress, {"run", "run", run.value().dump()});
}

Status record_finished(const RunSessions& sessions, const RunPlan& plan) {
  return sink::put_record(sessions.target, sessions.progress,
                          {"run", "run", run_body(sessions, plan, kFinished)});
}

}  // namespace wherry::control
