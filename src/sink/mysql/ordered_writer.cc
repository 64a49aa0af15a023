#include "sink/mysql/ordered_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "decode/value.h"
#include "sink/mysql/cell_sql.h"
#include "sink/mysql/load_statement.h"
#include "sink/mysql/net_rows.h"
#include "sink/mysql/row_line.h"
#include "sql/literal.h"
#include "support/ascii.h"

namespace wherry::sink {
namespace {

using dispatch::ResolvedTable;

constexpr std::uint16_t kNoForeignKeyChecks = 2;
constexpr std::uint16_t kServerLogsCascades =
    16;  // MySQL 9.6 and later: child rows have events of their own
constexpr std::size_t kQueuedMax = 256;

bool whole(const std::vector<decode::Cell>& image) {
  return std::all_of(image.begin(), image.end(),
                     [](const decode::Cell& cell) { return cell.present && !cell.partial_json; });
}

// Whether an update changes a column that rows of other tables refer to.
bool moves(const ResolvedTable& table, const decode::RowView& row) {
  return std::any_of(table.plan->referenced.begin(), table.plan->referenced.end(),
                     [&](std::size_t column) {
                       const std::size_t wire = table.wire_of[column];
                       if (wire == ResolvedTable::kNoWire || !row.after[wire].present) return false;
                       const decode::Cell& before = row.before[wire];
                       const decode::Cell& after = row.after[wire];
                       return !before.present || !same_cell(before, after);
                     });
}

std::string_view json_function(decode::JsonOperation operation, std::string_view path) {
  switch (operation) {
    case decode::JsonOperation::replace:
      return "JSON_REPLACE";
    case decode::JsonOperation::remove:
      return "JSON_REMOVE";
    case decode::JsonOperation::insert:
      break;
  }
  // Inserting at an array position shifts what follows; inserting a member does not.
  return !path.empty() && path.back() == ']' ? "JSON_ARRAY_INSERT" : "JSON_INSERT";
}

}  // namespace

std::string OrderedWriter::name_row(const ResolvedTable& table, const decode::Cell* image,
                                    std::string_view verb) {
  std::string key;
  if (table.plan->keyless() && row_bytes(table, image) >= kLargeRowBytes)
    return fmt::format("{} of a large row of {}", verb, table.plan->source.name.to_string());
  const Status named = table.plan->keyless() ? append_row_condition(key, table, image, scratch_)
                                             : append_key_condition(key, table, image, scratch_);
  if (!named.ok()) key = "row without its key";
  return fmt::format("{} of {} where {}", verb, table.plan->source.name.to_string(),
                     ascii::shown(key, 400));
}

Status OrderedWriter::write(const ResolvedTable& table, decode::RowKind kind, std::uint16_t flags,
                            const decode::RowView& row, bool tolerant) {
  bool checked = false;
  if (table.plan->cascades) {
    // Checks are on only where an action may follow: an update of other columns could meet a parent
    // of its own that is not copied yet.
    const bool acts =
        table.plan->cascade_parent &&
        (kind == decode::RowKind::erase || (kind == decode::RowKind::update && moves(table, row)));
    checked = acts && (flags & (kNoForeignKeyChecks | kServerLogsCascades)) == 0;
    if (checked && tolerant) {
      // Children may be here already and their parent not: without it no action would reach them.
      if (Status off = check_foreign_keys(false); !off.ok()) return off;
      if (Status there = put(table, row.before, "INSERT IGNORE", -1); !there.ok()) return there;
    }
  }
  // For every table: one that no action reaches may follow one whose rows were deleted with checks.
  if (Status done = check_foreign_keys(checked); !done.ok()) return done;
  switch (kind) {
    case decode::RowKind::insert:
      return insert(table, row, tolerant);
    case decode::RowKind::update:
      return update(table, row, tolerant);
    case decode::RowKind::erase:
      return erase(table, row, tolerant);
  }
  return Unit{};
}

Status OrderedWriter::check_foreign_keys(bool checked) {
  if (checked == foreign_keys_) return Unit{};
  foreign_keys_ = checked;
  return queue(fmt::format("SET foreign_key_checks={}", checked ? 1 : 0), "", -1);
}

Status OrderedWriter::put(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                          std::string_view verb, std::int64_t affected) {
  const dispatch::TablePlan& plan = *table.plan;
  std::string columns;
  std::string values;
  for (const std::size_t column : plan.writable) {
    const std::size_t wire = table.wire_of[column];
    if (wire == ResolvedTable::kNoWire || !image[wire].present)
      continue;  // takes its default, as at the source
    if (!columns.empty()) {
      columns += ',';
      values += ',';
    }
    columns += mysql::quote_name(plan.source.columns[column].name);
    if (is_enum_zero(table, image.data(), column)) ++warnings_;
    if (Status done = append_cell(values, table, image.data(), column, scratch_); !done.ok())
      return done;
  }
  // What IGNORE leaves out it says by warnings: they are its purpose.
  const std::string what = verb == "INSERT IGNORE" ? "" : name_row(table, image.data(), "insert");
  return queue(fmt::format("{} INTO {} ({}) VALUES ({})", verb, target_name(plan), columns, values),
               what, affected);
}

// Whether the row is so large that it is sent piece by piece.
bool OrderedWriter::streams(const ResolvedTable& table,
                            const std::vector<decode::Cell>& image) const {
  return local_infile_ && whole(image) && row_bytes(table, image.data()) >= kLargeRowBytes;
}

Status OrderedWriter::load(const ResolvedTable& table, const decode::Cell* image, bool replace,
                           std::string what) {
  if (Status done = flush(); !done.ok()) return done;
  Result<RowLine> line = RowLine::make(table, image);
  if (!line.ok()) return line.error();
  std::uint64_t warnings = 0;
  for (const std::size_t column : table.plan->writable)
    warnings += is_enum_zero(table, image, column) ? 1 : 0;
  Result<mysql::Outcome> outcome = session_.load(
      load_statement(*table.plan, replace),
      [&](char* buffer, std::size_t size) { return line.value().read(buffer, size); });
  if (!outcome.ok()) return outcome.error();
  const LoadCounts counts = load_counts(outcome.value().info);
  if (counts.records == 1 && counts.skipped == 0 && counts.warnings == warnings) return Unit{};
  return Error{Errc::conflict,
               fmt::format("the target skipped or bent a row: {} ({})", what, outcome.value().info),
               0};
}

Status OrderedWriter::insert(const ResolvedTable& table, const decode::RowView& row,
                             bool tolerant) {
  const bool replace = tolerant && !table.plan->keyless();
  if (streams(table, row.after))
    return load(table, row.after.data(), replace, name_row(table, row.after.data(), "insert"));
  return put(table, row.after, replace ? "REPLACE" : "INSERT", replace ? -1 : 1);
}

Status OrderedWriter::append_condition(std::string& sql, const ResolvedTable& table,
                                       const decode::RowView& row) {
  if (!table.plan->keyless()) return append_key_condition(sql, table, row.before.data(), scratch_);
  if (Status done = append_row_condition(sql, table, row.before.data(), scratch_); !done.ok())
    return done;
  sql += " LIMIT 1";  // of rows that are alike, any one
  return Unit{};
}

Status OrderedWriter::append_assignment(std::string& sql, const ResolvedTable& table,
                                        const decode::Cell& cell, std::size_t column,
                                        const decode::RowView& row) {
  const std::string name = mysql::quote_name(table.plan->source.columns[column].name);
  sql += name;
  sql += '=';
  if (is_enum_zero(table, row.after.data(), column)) ++warnings_;
  if (!cell.partial_json) return append_cell(sql, table, row.after.data(), column, scratch_);
  Result<std::vector<decode::JsonDiff>> diffs = decode::decode_json_diffs(cell);
  if (!diffs.ok()) return diffs.error();
  std::string value = name;
  for (const decode::JsonDiff& diff : diffs.value()) {
    std::string path;
    Column text;
    text.kind = ColumnClass::text;
    text.charset = "utf8mb4";
    sql::append_literal(path, text, diff.path);
    value = fmt::format("{}({},{}", json_function(diff.operation, diff.path), value, path);
    if (diff.operation != decode::JsonOperation::remove) {
      std::string json;
      sql::append_literal(json, text, diff.value);
      value += fmt::format(",CAST({} AS JSON)", json);
    }
    value += ')';
  }
  sql += value;
  return Unit{};
}

Status OrderedWriter::update(const ResolvedTable& table, const decode::RowView& row,
                             bool tolerant) {
  const dispatch::TablePlan& plan = *table.plan;
  if (tolerant && !plan.keyless() && !foreign_keys_ && whole(row.after)) {
    // The row may not be there yet: it takes its new version either way.
    if (Status done = erase(table, row, true); !done.ok()) return done;
    return insert(table, row, true);
  }
  if (!plan.keyless() && !plan.cascades && streams(table, row.after)) {
    // No statement can hold it in pieces but a load.
    if (Status done = erase(table, row, tolerant); !done.ok()) return done;
    return insert(table, row, tolerant);
  }
  std::string sql = fmt::format("UPDATE {} SET ", target_name(plan));
  bool first = true;
  for (const std::size_t column : plan.writable) {
    const std::size_t wire = table.wire_of[column];
    if (wire == ResolvedTable::kNoWire || !row.after[wire].present) continue;
    if (!first) sql += ',';
    first = false;
    if (Status done = append_assignment(sql, table, row.after[wire], column, row); !done.ok())
      return done;
  }
  if (first) return Unit{};  // only columns that the target computes
  sql += " WHERE ";
  if (Status done = append_condition(sql, table, row); !done.ok()) return done;
  return queue(sql, name_row(table, row.before.data(), "update"), tolerant ? -1 : 1);
}

Status OrderedWriter::erase(const ResolvedTable& table, const decode::RowView& row, bool tolerant) {
  std::string sql = fmt::format("DELETE FROM {} WHERE ", target_name(*table.plan));
  if (Status done = append_condition(sql, table, row); !done.ok()) return done;
  return queue(sql, name_row(table, row.before.data(), "delete"), tolerant ? -1 : 1);
}

Status OrderedWriter::add(std::string_view sql) { return queue(sql, "", -1); }

Status OrderedWriter::queue(std::string_view sql, std::string what, std::int64_t affected) {
  if (packet_.size() + sql.size() > packet_bytes_) {
    // Large ones go alone: joined they could be too large for a packet, and growing holds them
    // twice.
    if (Status done = flush(); !done.ok()) return done;
    packet_ = {};
  }
  if (!packet_.empty()) packet_ += ';';
  packet_ += sql;
  queued_.push_back({std::exchange(warnings_, 0), std::move(what), affected});
  if (packet_.size() < packet_bytes_ && queued_.size() < kQueuedMax) return Unit{};
  return flush();
}

Status OrderedWriter::finish() {
  if (Status done = check_foreign_keys(false); !done.ok()) return done;
  return flush();
}

Status OrderedWriter::flush() {
  if (queued_.empty()) return Unit{};
  const std::string packet = std::exchange(packet_, {});
  const std::vector<Queued> queued = std::exchange(queued_, {});
  Result<std::vector<mysql::Outcome>> outcomes = session_.execute_all(packet);
  if (!outcomes.ok()) return outcomes.error();
  if (outcomes.value().size() != queued.size())
    return Error{Errc::malformed, "the target answered another number of statements", 0};
  for (std::size_t i = 0; i < queued.size(); ++i) {
    const mysql::Outcome& outcome = outcomes.value()[i];
    if (outcome.warnings != queued[i].warnings && !queued[i].what.empty()) {
      return Error{Errc::conflict,
                   fmt::format("the target bent a value: {} caused {} warnings", queued[i].what,
                               outcome.warnings),
                   0};
    }
    if (queued[i].affected < 0 ||
        outcome.affected == static_cast<std::uint64_t>(queued[i].affected))
      continue;
    return Error{Errc::conflict,
                 fmt::format("the target does not hold what the source changed: {} touched {} rows",
                             queued[i].what, outcome.affected),
                 0};
  }
  return Unit{};
}

}  // namespace wherry::sink
