#include "control/redo_rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "control/replay_rules.h"
#include "redo/reader.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

// By their names: a run that was killed before all were durable has put them once more.
using Tables = std::map<std::string, SnapshotTable>;

// The pieces before the first row and the first transaction.
Result<Tables> read_tables(storage::Storage& storage, const redo::Archive& archive,
                           const storage::Limits& limits) {
  Tables tables;
  bool whole = false;
  redo::ReaderOptions reading;
  reading.fetch.limits = limits;
  reading.until = archive.begin().cseq;
  reading.on_piece = [&](std::uint64_t, const redo::Piece& piece) -> Status {
    whole |= piece.kind != redo::PieceKind::table;
    if (whole) return Unit{};
    const std::string name(piece.name);
    const std::string kind = piece.text.empty() ? "run" : "table";
    tables[name] = {{kind, name, std::string(piece.record)}, std::string(piece.text)};
    return Unit{};
  };
  Result<std::unique_ptr<redo::Reader>> reader =
      redo::Reader::open(storage, archive, archive.begin().cseq, reading);
  if (!reader.ok()) return reader.error();
  while (!whole && !reader.value()->ended()) {
    const auto step = reader.value()->next(100ms);
    if (!step.ok()) return step.error();
  }
  if (tables.contains("run")) return tables;
  return Error{Errc::malformed,
               "the redo holds a snapshot, and not the tables that it begins with"};
}

Result<std::string> quoted_target(const SnapshotTable& table) {
  const Result<TableRecord> record = to_table_record(table.record);
  if (!record.ok()) return record.error();
  return fmt::format("{}.{}", quote_name(record.value().target.database),
                     quote_name(record.value().target.table));
}

// A replay that was killed while it made the tables has left empty ones, and its lease.
Status require_empty(mysql::Session& target, const Tables& tables, bool begun) {
  for (const auto& [id, table] : tables) {
    if (table.statements.empty()) continue;
    const Result<std::string> name = quoted_target(table);
    if (!name.ok()) return name.error();
    const Result<mysql::Rows> rows =
        target.query(fmt::format("SELECT 1 FROM {} LIMIT 1", name.value()));
    if (!rows.ok() && rows.error().server_code != 0) continue;  // it is not there
    if (!rows.ok()) return rows.error();
    if (begun && rows.value().rows.empty()) continue;
    return Error{Errc::refused,
                 fmt::format("the table {} is at the target already: a target is made from redo "
                             "where none of its tables are",
                             name.value())};
  }
  return Unit{};
}

Status make(mysql::Session& target, const Tables& tables) {
  Result<std::vector<mysql::Outcome>> ready = target.execute_all(
      "SET SESSION foreign_key_checks = 0;SET SESSION sql_mode = "
      "'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION';"
      "SET SESSION explicit_defaults_for_timestamp = 1");
  if (!ready.ok()) return ready.error();
  (void)target.execute("SET SESSION innodb_strict_mode = 0");
  for (const auto& [id, table] : tables) {
    if (table.statements.empty()) continue;
    const Result<std::string> name = quoted_target(table);
    if (!name.ok()) return name.error();
    Result<std::vector<mysql::Outcome>> made = target.execute_all(
        fmt::format("DROP TABLE IF EXISTS {};{}", name.value(), table.statements));
    if (!made.ok()) return made.error().within("create table " + name.value());
  }
  return Unit{};
}

}  // namespace

Result<std::optional<std::uint64_t>> snapshot_complete_at(storage::Storage& storage,
                                                          const redo::Archive& archive,
                                                          const storage::Limits& limits) {
  std::optional<std::uint64_t> none;
  if (!archive.snapshot() || !archive.snapshot()->complete || archive.files().empty()) return none;
  // The file that holds the end of the snapshot ends with it.
  std::size_t low = 0;
  std::size_t high = archive.files().size() - 1;
  std::uint64_t place = archive.resolved().cseq;
  while (low <= high) {
    const std::size_t middle = low + (high - low) / 2;
    const Result<redo::FileFooter> footer =
        redo::read_footer(storage, archive.files()[middle], limits);
    if (!footer.ok()) return footer.error();
    const bool complete = footer.value().snapshot && footer.value().snapshot->complete;
    if (complete) place = footer.value().after.cseq;
    if (!complete) low = middle + 1;
    if (complete && middle == 0) break;
    if (complete) high = middle - 1;
  }
  return std::optional<std::uint64_t>(place);
}

Result<bool> holds_run(const ReplaySessions& sessions) {
  const Result<std::optional<sink::SavedProgress>> saved = sessions.progress.load(sessions.target);
  if (!saved.ok()) return saved.error();
  return saved.value() && std::ranges::any_of(saved.value()->records, [](const auto& record) {
           return record.kind == "run";
         });
}

Status rebuild_tables(const ReplaySessions& sessions, storage::Storage& storage,
                      const redo::Archive& archive, const storage::Limits& limits) {
  if (Status kind = require_same_kind(sessions.target.facts().dialect, sessions.dialect);
      !kind.ok())
    return kind;
  const Result<Tables> tables = read_tables(storage, archive, limits);
  if (!tables.ok()) return tables.error().within("redo");
  const auto saved = sessions.progress.load(sessions.target);
  if (!saved.ok()) return saved.error();
  const bool begun = saved.value().has_value();
  if (Status empty = require_empty(sessions.target, tables.value(), begun); !empty.ok())
    return empty;
  if (Status made = sessions.progress.create(sessions.target); !made.ok()) return made;
  const Result<std::uint64_t> epoch =
      sessions.progress.claim(sessions.target, begun ? &*saved.value() : nullptr);
  if (!epoch.ok()) return epoch.error();
  if (Status made = make(sessions.target, tables.value()); !made.ok()) return made;
  std::uint64_t ids = 0;
  for (const auto& [name, table] : tables.value()) {
    if (table.record.kind != "table") continue;
    ids = std::max<std::uint64_t>(ids, std::stoull(name) + 1);
    if (Status put = sink::put_record(sessions.target, sessions.progress, table.record); !put.ok())
      return put;
  }
  // The run's record comes last: with it the tables are whole.
  sink::NamedRecord run = tables.value().at("run").record;
  nlohmann::json body = nlohmann::json::parse(run.body, nullptr, false);
  if (!body.is_object()) return Error{Errc::malformed, "the run in the redo is not JSON"};
  body["rebuilding"] = ids;
  run.body = body.dump();
  return sink::put_record(sessions.target, sessions.progress, run);
}

}  // namespace wherry::control
