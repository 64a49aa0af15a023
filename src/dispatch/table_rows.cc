#include "dispatch/table_rows.h"

namespace wherry::dispatch {
namespace {

decode::EventHeader header_of(const decode::EventRef& event) {
  decode::EventHeader header;
  header.timestamp = event.timestamp;
  header.type = event.type;
  header.server_id = event.server_id;
  header.flags = event.flags;
  return header;
}

}  // namespace

void TableRows::add(const decode::Batch& batch, const decode::EventRef& event, RowTablePtr table,
                    const Origin& origin) {
  const Bytes body = batch.body(event);
  decode::EventRef copy = event;
  copy.offset = bytes.size();
  bytes.insert(bytes.end(), body.begin(), body.end());
  if (origins.empty() || origins.back().cseq != origin.cseq) origins.push_back(origin);
  events.push_back({std::move(table), copy, static_cast<std::uint32_t>(origins.size() - 1)});
}

Status for_each_change(const TableRows& rows,
                       const std::function<Status(const ChangeView&)>& take) {
  decode::RowView row;
  for (const RowEvent& one : rows.events) {
    const RowTable& table = *one.table;
    const Bytes body{rows.bytes.data() + one.event.offset, one.event.size};
    Result<decode::RowsReader> reader =
        decode::RowsReader::open(header_of(one.event), body, table.map, *table.format);
    if (!reader.ok()) return reader.error().within(table.source.to_string());
    const decode::RowKind logged = reader.value().kind();
    for (;;) {
      Result<bool> more = reader.value().next(row);
      if (!more.ok()) return more.error().within(table.source.to_string());
      if (!more.value()) break;
      std::optional<decode::RowKind> kind = logged;
      if (table.filter != nullptr) {
        Result<std::optional<decode::RowKind>> judged =
            table.filter->judge({table.map, {}}, logged, row);
        if (!judged.ok()) return judged.error();
        kind = judged.value();
        if (!kind) table.filtered->fetch_add(1, std::memory_order_relaxed);
      }
      Status taken =
          take({table, rows.origins[one.origin], kind.value_or(logged), row, kind.has_value()});
      if (!taken.ok()) return taken;
    }
  }
  return Unit{};
}

}  // namespace wherry::dispatch
