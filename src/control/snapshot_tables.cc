#include "control/snapshot_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "mysql/schema_reader.h"
#include "support/quote.h"

namespace wherry::control {
namespace {

constexpr std::string_view kCreate = "CREATE DATABASE ";

Result<std::string> create_database(mysql::Session& session, const std::string& name) {
  const Result<mysql::Rows> row = session.query("SHOW CREATE DATABASE " + quote_name(name));
  if (!row.ok()) return row.error().within("database " + name);
  const std::string text = row.value().rows.at(0).at(1).value_or("");
  if (!text.starts_with(kCreate))
    return Error{Errc::malformed, fmt::format("the definition of database {} is {}", name, text)};
  return "CREATE DATABASE IF NOT EXISTS " + text.substr(kCreate.size());
}

Result<std::string> statements_of(mysql::Session& session, const TableName& name) {
  Result<std::string> database = create_database(session, name.database);
  if (!database.ok()) return database;
  Result<std::string> table = mysql::read_create_table(session, name);
  if (!table.ok()) return table;
  return fmt::format("{};USE {};{}", database.value(), quote_name(name.database), table.value());
}

}  // namespace

bool fits_redo(const RunPlan& plan) {
  std::set<TableName> targets;
  for (const dispatch::PlanPtr& table : plan.plans) {
    if (table->whole() || table->cascades || !targets.insert(table->target).second) return false;
    if (!plan.resumed && table->state->touched) return false;
  }
  const auto beside = [](const copy::Slice& slice) {
    return (slice.done || slice.reached) && slice.piece == 0;
  };
  return plan.shapes == ShapeRecords::left_out && std::ranges::none_of(plan.slices, beside);
}

Result<std::vector<SnapshotTable>> read_snapshot_tables(mysql::Session& target,
                                                        const sink::Progress& progress,
                                                        const RunPlan& plan) {
  std::vector<SnapshotTable> tables;
  for (const dispatch::PlanPtr& table : plan.plans) {
    Result<std::string> statements = statements_of(target, table->target);
    if (!statements.ok()) return statements.error();
    tables.push_back({to_named(plan.records.at(table->id)), std::move(statements).value()});
  }
  const Result<std::optional<sink::SavedProgress>> saved = progress.load(target);
  if (!saved.ok()) return saved.error();
  if (!saved.value()) return Error{Errc::lost, "the target holds no run"};
  for (const sink::NamedRecord& record : saved.value()->records) {
    if (record.kind == "run") tables.push_back({record, ""});
  }
  return tables;
}

Status put_tables(const std::vector<SnapshotTable>& tables, std::uint64_t cseq,
                  redo::PlaceGate& gate) {
  for (const SnapshotTable& one : tables) {
    const auto kept = std::make_shared<const SnapshotTable>(one);
    redo::PlacedPiece placed;
    placed.cseq = cseq;
    placed.piece.kind = redo::PieceKind::table;
    placed.piece.name = kept->record.name;
    placed.piece.record = kept->record.body;
    placed.piece.text = kept->statements;
    placed.owner = kept;
    const Result<std::uint64_t> number = gate.put(std::move(placed));
    if (!number.ok()) return number.error();
  }
  return Unit{};
}

}  // namespace wherry::control
