#include "dispatch/row_scan.h"

#include <algorithm>
#include <unordered_map>

namespace wherry::dispatch {
namespace {

bool is_rows(const decode::EventRef& event) {
  return decode::role_of(event.type, event.flags) == decode::EventRole::rows;
}

bool whole(const std::vector<decode::Cell>& image) {
  return std::all_of(image.begin(), image.end(),
                     [](const decode::Cell& cell) { return cell.present && !cell.partial_json; });
}

}  // namespace

Status RowScan::resolve(WorkBatch& work, const decode::Group& group) {
  const decode::Batch& batch = *work.batch;
  std::unordered_map<std::uint64_t, const ResolvedTable*>
      open;  // table maps in force inside the statement
  for (std::uint32_t i = group.first_event; i < group.first_event + group.event_count; ++i) {
    const decode::EventRef& event = batch.events[i];
    const Bytes body = batch.body(event);
    if (event.type == decode::EventType::table_map) {
      Result<ResolvedPtr> table = resolver_.table_map(body, *batch.format);
      if (!table.ok()) return table.error();
      open[load_le(body.data(), 6)] = table.value().get();
      if (table.value() != nullptr && (work.held.empty() || work.held.back() != table.value()))
        work.held.push_back(table.value());
    } else if (is_rows(event)) {
      Result<std::uint64_t> id =
          decode::RowsReader::table_id(batch.header(event), body, *batch.format);
      if (!id.ok()) return id.error();
      const auto found = open.find(id.value());
      if (found == open.end()) {
        // A part of a large transaction may begin between a table map and its rows.
        const auto before = large_.find(id.value());
        if (before == large_.end())
          return Error{Errc::malformed, "a row event without its table map", 0};
        work.tables[i] = before->second.get();
        if (before->second != nullptr) work.held.push_back(before->second);
        continue;
      }
      work.tables[i] = found->second;
    }
  }
  if (group.closes) {
    large_.clear();
    return Unit{};
  }
  for (const auto& [id, table] : open) {
    const auto held = std::find_if(work.held.begin(), work.held.end(),
                                   [t = table](const ResolvedPtr& one) { return one.get() == t; });
    large_[id] = held == work.held.end() ? nullptr : *held;
  }
  return Unit{};
}

void RowScan::begin(const decode::Batch& batch, const decode::Group& group, bool late) {
  const std::string source = group.gtid.number != 0 && !batch.gtid_sources.empty()
                                 ? batch.gtid_sources[group.gtid.source]
                                 : "";
  ring_.begin({batch.file, group.end_offset}, source, source.empty() ? 0 : group.gtid.number, late);
}

void RowScan::bar_open(const decode::Batch& batch, const decode::Group& group) {
  begin(batch, group);
  for (const PlanPtr& plan : catalog_.all()) {
    if (plan->state->open()) ring_.barrier(plan->id);
  }
}

Result<Touched> RowScan::scan(const WorkBatch& work, const decode::Group& group,
                              const Place& place) {
  Touched touched;
  const decode::Batch& batch = *work.batch;
  cseq_ = place.group.cseq;
  // The rows were prepared before: this is their XA COMMIT.
  begin(place.batch, place.group, &place.group != &group);
  for (std::uint32_t i = group.first_event; i < group.first_event + group.event_count; ++i) {
    if (work.tables[i] == nullptr) continue;
    const TablePlan& plan = *work.tables[i]->plan;
    if (plan.filter == nullptr) touched.followed = true;
    if (!group.opens || !group.closes) {
      touched.tables.insert(plan.space);
      if (!plan.state->started.load(std::memory_order_acquire))
        plan.state->skip_through.store(cseq_, std::memory_order_release);
      if (plan.state->open()) {
        ring_.barrier(plan.id);
        plan.state->touched.store(true, std::memory_order_relaxed);
      }
      if (plan.state->open() || plan.filter != nullptr) {
        if (Status done = scan_part(work, batch.events[i], *work.tables[i], touched); !done.ok())
          return done.error().within(plan.source.name.to_string());
      }
      if (plan.cascade_parent) reach_children(touched);
      continue;
    }
    Status done = scan_event(work, batch.events[i], *work.tables[i], touched);
    if (!done.ok()) return done.error().within(work.tables[i]->plan->source.name.to_string());
  }
  return touched;
}

// Foreign key actions change child rows without row events of their own: snapshots of those tables
// before them are worthless, and chunks on their way keep their order with them.
void RowScan::reach_children(Touched& touched) {
  for (const PlanPtr& plan : catalog_.all()) {
    if (!plan->cascades) continue;
    if (plan->state->open()) ring_.barrier(plan->id);
    touched.tables.insert(plan->space);
    touched.opaque_tables.insert(plan->space);
  }
}

// What the table's filter makes of the change; nothing: it is left out, and touches nothing. A
// chunk keeps such a row as it was read.
Result<std::optional<decode::RowKind>> RowScan::judge(const ResolvedTable& table,
                                                      decode::RowKind kind,
                                                      const decode::RowView& row,
                                                      Touched& touched) {
  Result<std::optional<decode::RowKind>> judged =
      table.plan->filter->judge({table.map, table.wire_of}, kind, row);
  if (!judged.ok()) return judged;
  ++(judged.value() ? touched.rows : touched.filtered);
  touched.followed |= judged.value().has_value();
  return judged;
}

Status RowScan::scan_event(const WorkBatch& work, const decode::EventRef& event,
                           const ResolvedTable& table, Touched& touched) {
  const TablePlan& plan = *table.plan;
  touched.tables.insert(plan.space);
  Result<decode::RowsReader> reader = decode::RowsReader::open(
      work.batch->header(event), work.batch->body(event), table.map, *work.batch->format);
  if (!reader.ok()) return reader.error();
  if (!plan.state->started.load(std::memory_order_acquire)) {
    // A snapshot that this change is not in yet must not be used: nobody else would bring it.
    ring_.barrier(plan.id);
    plan.state->skip_through.store(cseq_, std::memory_order_release);
  }
  if (plan.one_by_one()) {
    touched.one_by_one = true;
    touched.opaque_tables.insert(plan.space);
  }
  if (plan.state->single_file.load(std::memory_order_acquire))
    touched.opaque_tables.insert(plan.space);
  if (plan.cascade_parent && reader.value().kind() != decode::RowKind::insert)
    reach_children(touched);
  for (;;) {
    Result<bool> more = reader.value().next(row_);
    if (!more.ok()) return more.error();
    if (!more.value()) return Unit{};
    decode::RowKind kind = reader.value().kind();
    if (plan.filter == nullptr) {
      ++touched.rows;
    } else {
      Result<std::optional<decode::RowKind>> judged = judge(table, kind, row_, touched);
      if (!judged.ok()) return judged.error();
      if (!judged.value()) continue;
      kind = *judged.value();
    }
    if (kind != decode::RowKind::insert) {
      if (Status done = scan_row(table, row_.before, touched); !done.ok()) return done;
    }
    if (kind == decode::RowKind::erase) continue;
    if (whole(row_.after)) {
      if (Status done = scan_row(table, row_.after, touched); !done.ok()) return done;
      continue;
    }
    touched.one_by_one = true;
    touched.opaque_tables.insert(plan.space);
    if (kind == decode::RowKind::insert) {
      // What it leaves out takes its default.
      if (Status done = scan_row(table, row_.after, touched); !done.ok()) return done;
      continue;
    }
    merge_after();
    if (Status done = scan_row(table, merged_, touched); !done.ok()) return done;
    if (Status done = note_partial(table, true, touched); !done.ok()) return done;
  }
}

// A smaller image leaves out columns that did not change; those of the key are in the before image.
void RowScan::merge_after() {
  merged_ = row_.after;
  for (std::size_t i = 0; i < merged_.size(); ++i) {
    if (!merged_[i].present) merged_[i] = row_.before[i];
  }
}

// The change does nothing where the row is not at the target yet. A chunk that was read before it
// must not drop the row for good then, and a row that came to a new key may lie where no chunk will
// look any more.
Status RowScan::note_partial(const ResolvedTable& table, bool into_ring, Touched& touched) {
  const TablePlan& plan = *table.plan;
  if (!plan.state->open() || plan.whole() || !plan.state->started.load(std::memory_order_acquire))
    return Unit{};
  Result<Hash128> before = keys_.identity(table, row_.before);
  if (!before.ok()) return before.error();
  Result<Hash128> after = keys_.identity(table, merged_);
  if (!after.ok()) return after.error();
  const bool moves = before.value() != after.value();
  if (!into_ring && !moves) return Unit{};
  Result<std::span<const KeyValue>> values = keys_.key(table, merged_);
  if (!values.ok()) return values.error();
  RowKey key;
  for (const KeyValue& value : values.value()) key.emplace_back(value.text);
  if (into_ring) ring_.add_partial(plan.id, after.value(), key);
  if (moves) touched.moved.emplace_back(table.plan, std::move(key));
  return Unit{};
}

// Of a part of a large group what the filter leaves out is counted; chunks that were read before it
// are refused, but rows may have come to keys behind them.
Status RowScan::scan_part(const WorkBatch& work, const decode::EventRef& event,
                          const ResolvedTable& table, Touched& touched) {
  Result<decode::RowsReader> reader = decode::RowsReader::open(
      work.batch->header(event), work.batch->body(event), table.map, *work.batch->format);
  if (!reader.ok()) return reader.error();
  const bool filtered = table.plan->filter != nullptr;
  std::optional<decode::RowKind> kind = reader.value().kind();
  while (filtered || kind == decode::RowKind::update) {
    Result<bool> more = reader.value().next(row_);
    if (!more.ok()) return more.error();
    if (!more.value()) break;
    if (filtered) {
      Result<std::optional<decode::RowKind>> judged =
          judge(table, reader.value().kind(), row_, touched);
      if (!judged.ok()) return judged.error();
      kind = judged.value();
    }
    if (kind != decode::RowKind::update || whole(row_.after)) continue;
    merge_after();
    if (Status done = note_partial(table, false, touched); !done.ok()) return done;
  }
  return Unit{};
}

Status RowScan::scan_row(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                         Touched& touched) {
  const TablePlan& plan = *table.plan;
  if (plan.state->open()) {
    Hash128 identity;
    if (!plan.keyless()) {
      Result<Hash128> exact = keys_.identity(table, image);
      if (!exact.ok()) return exact.error();
      identity = exact.value();
    }
    ring_.add(plan.id, identity);
    plan.state->touched.store(true, std::memory_order_relaxed);
  }
  if (touched.opaque_tables.contains(plan.space)) return Unit{};
  touched.conflicts.opaque = false;
  Status done = keys_.add_conflicts(table, image, touched.conflicts);
  if (touched.conflicts.opaque) touched.opaque_tables.insert(plan.space);
  return done;
}

}  // namespace wherry::dispatch
