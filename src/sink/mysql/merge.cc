#include "sink/mysql/merge.h"

#include <algorithm>

#include "support/ascii.h"

namespace wherry::sink {
namespace {

bool whole(const std::vector<decode::Cell>& image) {
  return std::all_of(image.begin(), image.end(),
                     [](const decode::Cell& cell) { return cell.present && !cell.partial_json; });
}

bool packed(decode::EventType type) {
  return type >= decode::EventType::mariadb_write_rows_compressed_v1 &&
         type <= decode::EventType::mariadb_delete_rows_compressed;
}

bool is_savepoint(std::string_view text) {
  return ascii::starts_with(text, "SAVEPOINT") || ascii::starts_with(text, "ROLLBACK TO") ||
         ascii::starts_with(text, "RELEASE");
}

bool is_query(decode::EventType type) {
  return type == decode::EventType::query || type == decode::EventType::mariadb_query_compressed;
}

}  // namespace

Status Merge::add(const dispatch::Work& work, BulkWriter& writer) {
  const decode::Batch& batch = *work.batch->batch;
  const decode::Group& group = work.transaction();
  for (std::uint32_t i = group.first_event; i < group.first_event + group.event_count; ++i) {
    const dispatch::ResolvedTable* table = work.batch->tables[i];
    if (table == nullptr) continue;
    if (table->plan->one_by_one())
      return Error{Errc::unsupported, "rows of this table are applied one by one", 0};
    if (Status done = add_event(work, batch.events[i], *table, writer); !done.ok()) return done;
  }
  return Unit{};
}

Status Merge::add_event(const dispatch::Work& work, const decode::EventRef& event,
                        const dispatch::ResolvedTable& table, BulkWriter& writer) {
  const decode::Batch& batch = *work.batch->batch;
  OfTable& into = tables_[table.plan->id];
  if (into.rows != nullptr && &into.rows->table() != &table) {
    // All of it: what left another table may have to leave before what came into this one.
    if (Status done = write(writer); !done.ok()) return done;
  }
  if (into.rows == nullptr) {
    std::vector<decode::Cell> cells;
    if (!spare_.empty()) {
      cells = std::move(spare_.back());
      spare_.pop_back();
    }
    into.rows = std::make_unique<NetRows>(table, std::move(cells));
  }
  into.tolerant |= table.plan->tolerant(work.placed_cseq());
  Result<decode::RowsReader> opened =
      decode::RowsReader::open(batch.header(event), batch.body(event), table.map, *batch.format);
  if (!opened.ok()) return opened.error();
  // What a reader unpacked must live as long as its cells.
  readers_.push_back(std::move(opened).value());
  decode::RowsReader& reader = readers_.back();
  for (;;) {
    Result<bool> more = reader.next(row_);
    if (!more.ok()) return more.error();
    if (!more.value()) break;
    decode::RowKind kind = reader.kind();
    if (table.plan->filter != nullptr) {
      Result<std::optional<decode::RowKind>> judged =
          table.plan->filter->judge({table.map, table.wire_of}, kind, row_);
      if (!judged.ok()) return judged.error();
      if (!judged.value()) continue;
      kind = *judged.value();
    }
    if (kind != decode::RowKind::erase && !whole(row_.after))
      return Error{Errc::unsupported, "an image without all columns", 0};
    if (kind == decode::RowKind::update && !whole(row_.before))
      return Error{Errc::unsupported, "an image without all columns", 0};
    if (Status done = into.rows->add(kind, row_); !done.ok()) return done;
    ++into.changes;
  }
  if (!packed(event.type)) readers_.pop_back();  // its cells lie in the batch
  return Unit{};
}

void Merge::written(OfTable& table) {
  table.rows->table().plan->state->changes_applied.fetch_add(std::exchange(table.changes, 0),
                                                             std::memory_order_relaxed);
  spare_.push_back(table.rows->take_cells());
  table.rows.reset();
}

Status Merge::write(BulkWriter& writer) {
  std::map<std::uint32_t, std::vector<OfTable*>> spaces;  // of tables that may go into one
  for (auto& [id, table] : tables_) {
    if (table.rows != nullptr) spaces[table.rows->table().plan->space].push_back(&table);
  }
  for (const auto& [space, tables] : spaces) {
    Status done = tables.size() == 1 ? writer.write(*tables[0]->rows, tables[0]->tolerant)
                                     : write_together(tables, writer);
    if (!done.ok()) return done;
    for (OfTable* table : tables) written(*table);
  }
  return Unit{};
}

Status Merge::write_together(const std::vector<OfTable*>& tables, BulkWriter& writer) {
  for (const OfTable* table : tables) {
    Status done = writer.write_leaving(*table->rows, table->tolerant);
    if (!done.ok()) return done;
  }
  for (const OfTable* table : tables) {
    Status done = writer.write_arriving(*table->rows, table->tolerant);
    if (!done.ok()) return done;
  }
  return Unit{};
}

namespace {

Status replay_event(const dispatch::Work& work, const decode::EventRef& event,
                    const dispatch::ResolvedTable& table, OrderedWriter& writer) {
  const decode::Batch& batch = *work.batch->batch;
  const dispatch::TablePlan& plan = *table.plan;
  // A table read whole has no tolerant way: what came before its snapshot is in the snapshot.
  if (plan.whole() && plan.state->tolerant(work.placed_cseq())) return Unit{};
  if (work.placed_cseq() <= plan.state->skip_through.load(std::memory_order_acquire)) return Unit{};
  const bool tolerant = plan.tolerant(work.placed_cseq());
  Result<decode::RowsReader> reader =
      decode::RowsReader::open(batch.header(event), batch.body(event), table.map, *batch.format);
  if (!reader.ok()) return reader.error();
  std::uint64_t changes = 0;
  decode::RowView row;
  for (;;) {
    Result<bool> more = reader.value().next(row);
    if (!more.ok()) return more.error();
    if (!more.value()) break;
    std::optional<decode::RowKind> kind = reader.value().kind();
    if (plan.filter != nullptr) {
      Result<std::optional<decode::RowKind>> judged =
          plan.filter->judge({table.map, table.wire_of}, *kind, row);
      if (!judged.ok()) return judged.error();
      kind = judged.value();
    }
    if (!kind) continue;
    if (Status done = writer.write(table, *kind, reader.value().flags(), row, tolerant); !done.ok())
      return done;
    ++changes;
  }
  plan.state->changes_applied.fetch_add(changes, std::memory_order_relaxed);
  return Unit{};
}

}  // namespace

Status replay(const dispatch::Work& work, OrderedWriter& writer) {
  const decode::Batch& batch = *work.batch->batch;
  const decode::Group& group = work.transaction();
  for (std::uint32_t i = group.first_event; i < group.first_event + group.event_count; ++i) {
    const decode::EventRef& event = batch.events[i];
    if (is_query(event.type)) {
      Result<decode::QueryView> query =
          decode::decode_query(batch.header(event), batch.body(event), *batch.format);
      if (!query.ok()) return query.error();
      // What else stands in such a group frames an XA transaction or was run already.
      if (!is_savepoint(query.value().statement)) continue;
      if (Status done = writer.add(query.value().statement); !done.ok()) return done;
      continue;
    }
    const dispatch::ResolvedTable* table = work.batch->tables[i];
    if (table == nullptr) continue;
    if (Status done = replay_event(work, event, *table, writer); !done.ok()) return done;
  }
  return Unit{};
}

}  // namespace wherry::sink
