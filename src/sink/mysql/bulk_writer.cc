#include "sink/mysql/bulk_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "sink/mysql/cell_sql.h"
#include "sink/mysql/erase_statement.h"
#include "sink/mysql/load_statement.h"
#include "sink/mysql/row_line.h"
#include "sink/mysql/write_order.h"
#include "sql/literal.h"

namespace wherry::sink {
namespace {

constexpr std::size_t kLoadRowsMin =
    16;  // below it one INSERT costs less than LOAD's two round trips

Error mismatch(const dispatch::TablePlan& plan, std::string_view did, std::uint64_t wanted,
               std::uint64_t got) {
  return {Errc::conflict,
          fmt::format("{}: {} {} rows where {} were expected", plan.source.name.to_string(), did,
                      got, wanted),
          0};
}

// How many values of the chunk are ENUM index 0: each causes one warning.
std::uint64_t enum_zeros(const dispatch::Chunk& chunk) {
  const dispatch::TablePlan& plan = *chunk.plan;
  const auto is_enum = [&](std::size_t column) {
    return plan.source.columns[column].kind == ColumnClass::enumeration;
  };
  if (std::none_of(plan.writable.begin(), plan.writable.end(), is_enum)) return 0;
  std::uint64_t zeros = 0;
  std::string field;
  std::string_view rest(chunk.lines);
  while (!rest.empty()) {
    for (const std::size_t column : plan.writable) {
      if (!is_enum(column)) {
        sql::skip_field(rest);
      } else if (sql::take_field(rest, field) && field == "0") {
        ++zeros;
      }
    }
  }
  return zeros;
}

// Begins the next row of a statement with many; the first brings the statement's head.
void begin_row(std::string& sql, const dispatch::TablePlan& plan, std::string_view verb) {
  if (sql.empty()) {
    sql = fmt::format("{} INTO {} ({}) VALUES (", verb, target_name(plan), column_list(plan));
  } else {
    sql += ",(";
  }
}

std::string_view text_of(bool replace) { return replace ? "REPLACE" : "INSERT"; }

}  // namespace

BulkWriter::Parts BulkWriter::parts_of(const NetRows& rows, bool tolerant) {
  Parts parts;
  for (std::size_t i = 0; i < rows.entries().size(); ++i) {
    const NetRows::Entry& entry = rows.entries()[i];
    const bool before = entry.first != NetRows::Entry::kNone;
    const bool after = entry.last != NetRows::Entry::kNone;
    if (before && !after) parts.leaving.push_back(i);
    if (before && after && (tolerant || !rows.unchanged(entry))) parts.changed.push_back(i);
    if (!before && after) parts.fresh.push_back(i);
  }
  parts.leaving = in_write_order(rows, std::move(parts.leaving));
  parts.changed = in_write_order(rows, std::move(parts.changed));
  parts.fresh = in_write_order(rows, std::move(parts.fresh));
  // REPLACE is exact only where one unique key can clash; with several it could take another row
  // along.
  parts.replaces = rows.table().plan->uniques.size() == 1;
  if (parts.replaces) return parts;
  const auto leave = [&](const std::vector<std::size_t>& more) {
    parts.leaving.insert(parts.leaving.end(), more.begin(), more.end());
  };
  leave(parts.changed);
  if (tolerant) leave(parts.fresh);
  return parts;
}

Status BulkWriter::write(const NetRows& rows, bool tolerant) {
  const Parts parts = parts_of(rows, tolerant);
  if (Status done = erase(rows, parts.leaving, !tolerant); !done.ok()) return done;
  return arrive(rows, parts, tolerant);
}

Status BulkWriter::write_leaving(const NetRows& rows, bool tolerant) {
  return erase(rows, parts_of(rows, tolerant).leaving, !tolerant);
}

Status BulkWriter::write_arriving(const NetRows& rows, bool tolerant) {
  return arrive(rows, parts_of(rows, tolerant), tolerant);
}

Status BulkWriter::arrive(const NetRows& rows, const Parts& parts, bool tolerant) {
  const bool strictly = parts.replaces && !tolerant;
  if (strictly) {
    const std::uint64_t changed = parts.changed.size();
    if (Status done = put(rows, parts.changed, Verb::replace, {changed, changed, 0, true});
        !done.ok())
      return done;
    return put(rows, parts.fresh, Verb::insert, {parts.fresh.size(), 0, 0, true});
  }
  std::vector<std::size_t> all = parts.changed;
  all.insert(all.end(), parts.fresh.begin(), parts.fresh.end());
  if (parts.replaces) return put(rows, all, Verb::replace, {all.size(), 0, 0, false});
  return put(rows, all, Verb::insert, {all.size(), 0, 0, true});
}

Status BulkWriter::erase(const NetRows& rows, const std::vector<std::size_t>& entries,
                         bool checked) {
  if (entries.empty()) return Unit{};
  const dispatch::TablePlan& plan = *rows.table().plan;
  EraseStatement statement(plan, session_.facts().dialect);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const decode::Cell* image = rows.image(rows.entries()[entries[i]].key);
    if (Status done = statement.add(rows.table(), image); !done.ok()) return done;
    const bool last = i + 1 == entries.size();
    if (!last && !statement.full() && statement.byte_size() < options_.packet_bytes) continue;
    const std::size_t count = statement.rows();
    Result<mysql::Outcome> outcome = session_.execute(statement.take());
    if (!outcome.ok()) return outcome.error();
    if (checked && outcome.value().affected != count)
      return mismatch(plan, "deleted", count, outcome.value().affected);
  }
  return Unit{};
}

Status BulkWriter::put(const NetRows& rows, const std::vector<std::size_t>& entries, Verb verb,
                       const Expected& expected) {
  if (entries.empty()) return Unit{};
  const dispatch::TablePlan& plan = *rows.table().plan;
  // As a literal a large value could be too large for a packet.
  const auto large = [&](std::size_t index) {
    return row_bytes(rows.table(), rows.image(rows.entries()[index].last)) >= kLargeRowBytes;
  };
  const bool by_load =
      options_.local_infile &&
      (entries.size() >= kLoadRowsMin || std::any_of(entries.begin(), entries.end(), large));
  lines_.clear();
  Expected sent;
  sent.checked = expected.checked;
  for (const std::size_t index : entries) {
    const decode::Cell* image = rows.image(rows.entries()[index].last);
    if (!by_load) begin_row(lines_, plan, text_of(verb == Verb::replace));
    bool first = true;
    for (const std::size_t column : plan.writable) {
      if (!first) lines_ += by_load ? '\t' : ',';
      first = false;
      if (is_enum_zero(rows.table(), image, column)) ++sent.warnings;
      Status done = by_load ? append_cell_field(lines_, rows.table(), image, column, scratch_)
                            : append_cell(lines_, rows.table(), image, column, scratch_);
      if (!done.ok()) return done;
    }
    lines_ += by_load ? '\n' : ')';
    ++sent.rows;
    if (by_load || lines_.size() < options_.packet_bytes) continue;
    sent.replaced = expected.replaced == 0 ? 0 : sent.rows;
    if (Status done = insert(plan, lines_, sent); !done.ok()) return done;
  }
  if (by_load)
    return load(plan, verb, {expected.rows, expected.replaced, sent.warnings, expected.checked});
  sent.replaced = expected.replaced == 0 ? 0 : sent.rows;
  return insert(plan, lines_, sent);
}

Status BulkWriter::load(const dispatch::TablePlan& plan, Verb verb, const Expected& expected) {
  Result<mysql::Outcome> outcome =
      session_.load(load_statement(plan, verb == Verb::replace), lines_);
  if (!outcome.ok()) return outcome.error();
  // LOCAL makes the server skip duplicates and bend values, and say OK: the counts tell.
  const LoadCounts info = load_counts(outcome.value().info);
  if (info.records != expected.rows) return mismatch(plan, "loaded", expected.rows, info.records);
  if (info.skipped != 0) return mismatch(plan, "skipped as duplicates", 0, info.skipped);
  if (info.warnings != expected.warnings)
    return mismatch(plan, "loaded with warnings", expected.warnings, info.warnings);
  if (expected.checked && info.deleted != expected.replaced)
    return mismatch(plan, "replaced", expected.replaced, info.deleted);
  return Unit{};
}

// Sends the collected statement and starts anew.
Status BulkWriter::insert(const dispatch::TablePlan& plan, std::string& sql, Expected& sent) {
  if (sql.empty()) return Unit{};
  Result<mysql::Outcome> outcome = session_.execute(sql);
  sql.clear();
  if (!outcome.ok()) return outcome.error();
  const Expected expected = std::exchange(sent, {0, 0, 0, sent.checked});
  if (outcome.value().warnings != expected.warnings)
    return mismatch(plan, "wrote with warnings", expected.warnings, outcome.value().warnings);
  // A replaced row counts twice: the delete and the insert.
  const std::uint64_t affected = expected.rows + expected.replaced;
  if (expected.checked && outcome.value().affected != affected)
    return mismatch(plan, "wrote", affected, outcome.value().affected);
  return Unit{};
}

Status BulkWriter::write(const dispatch::Chunk& chunk, bool replace) {
  const dispatch::TablePlan& plan = *chunk.plan;
  if (chunk.starts.empty()) return Unit{};
  Expected expected{chunk.starts.size(), 0, enum_zeros(chunk), !replace};
  if (options_.local_infile) {
    Result<mysql::Outcome> outcome = session_.load(load_statement(plan, replace), chunk.lines);
    if (!outcome.ok()) return outcome.error();
    const LoadCounts info = load_counts(outcome.value().info);
    if (info.records != expected.rows) return mismatch(plan, "loaded", expected.rows, info.records);
    if (info.skipped != 0) return mismatch(plan, "skipped as duplicates", 0, info.skipped);
    if (info.warnings != expected.warnings)
      return mismatch(plan, "loaded with warnings", expected.warnings, info.warnings);
    return Unit{};
  }
  std::string values;
  Expected sent{0, 0, 0, expected.checked};
  std::string field;
  for (std::size_t row = 0; row < chunk.starts.size(); ++row) {
    const std::size_t end =
        row + 1 < chunk.starts.size() ? chunk.starts[row + 1] : chunk.lines.size();
    std::string_view line(chunk.lines.data() + chunk.starts[row], end - chunk.starts[row] - 1);
    begin_row(values, plan, text_of(replace));
    for (std::size_t i = 0; i < plan.writable.size(); ++i) {
      if (i > 0) values += ',';
      if (sql::take_field(line, field)) {
        const Column& column = plan.source.columns[plan.writable[i]];
        if (column.kind == ColumnClass::enumeration && field == "0") ++sent.warnings;
        sql::append_literal(values, column, field);
      } else {
        values += "NULL";
      }
    }
    values += ')';
    ++sent.rows;
    if (values.size() < options_.packet_bytes) continue;
    if (Status done = insert(plan, values, sent); !done.ok()) return done;
  }
  return insert(plan, values, sent);
}

}  // namespace wherry::sink
