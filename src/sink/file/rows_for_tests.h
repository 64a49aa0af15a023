// Hand-overs with rows of one table, made up or from captured events. For tests only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/async_sink.h"

namespace wherry::sink {

// A table with one column `id`, BIGINT.
inline dispatch::RowTablePtr small_table(const std::string& name = "t") {
  auto table = std::make_shared<dispatch::RowTable>();
  table->map.table_id = 1;
  table->map.database = "db";
  table->map.table = name;
  table->map.columns = {ColumnShape{WireType::longlong}};
  table->map.nullable = {false};
  table->map.names = {"id"};
  auto format = std::make_shared<decode::FormatDescription>();
  format->post_header_sizes.assign(42, 10);
  table->format = std::move(format);
  table->source = table->target = {"db", name};
  return table;
}

// One event with rows id, id + 1 ... of transaction cseq.
inline void add_rows(dispatch::TableRows& rows, const dispatch::RowTablePtr& table,
                     std::uint64_t cseq, std::uint64_t id, std::size_t count) {
  const auto le = [](std::uint64_t value, std::size_t width) {
    std::string out;
    for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  std::string body = le(1, 6) + le(1, 2) + le(2, 2) + '\1' + '\1';
  for (std::size_t i = 0; i < count; ++i) body += '\0' + le(id + i, 8);
  decode::Batch batch;
  const Bytes bytes = as_bytes(body);
  batch.bytes.assign(bytes.begin(), bytes.end());
  decode::EventRef event;
  event.size = static_cast<std::uint32_t>(body.size());
  event.type = decode::EventType::write_rows_v2;
  rows.target = table->target;
  rows.add(batch, event, table,
           {cseq, 1'700'000'000'000'000 + cseq, "0-1-" + std::to_string(cseq)});
}

inline dispatch::BlockEvent statement_at(std::uint64_t cseq, std::vector<TableName> targets) {
  dispatch::BlockEvent event;
  event.id = cseq;
  event.origin = {cseq, 1'700'000'000'000'000, ""};
  event.kind = "alter-table";
  event.statement = "ALTER TABLE \"t\" ADD c INT";
  event.database = "db";
  event.targets = std::move(targets);
  return event;
}

}  // namespace wherry::sink
