// Rows of one target table on their way to an asynchronous sink: row events as the source sent
// them, copied out of their batch so that a slow table keeps its own bytes alive and nobody else's.
// Made by a feed, then owned by the sink; one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/batch.h"
#include "decode/rows.h"
#include "dispatch/change_filter.h"

namespace wherry::dispatch {

// A table as one table map of the stream describes it, and what the feed does with its rows.
// Immutable.
struct RowTable {
  decode::TableMap map;  // with the names of the columns
  std::shared_ptr<const decode::FormatDescription> format;
  TableName source;
  TableName target;
  ChangeFilterPtr filter;  // null: every change is wanted
  // Counts what the filter leaves out; there where the filter is.
  std::shared_ptr<std::atomic<std::uint64_t>> filtered;
};
using RowTablePtr = std::shared_ptr<const RowTable>;

// The source transaction that something belongs to.
struct Origin {
  std::uint64_t cseq = 0;
  std::uint64_t commit_us = 0;  // microseconds since 1970
  std::string gtid;             // empty: the source has none
};

struct RowEvent {
  RowTablePtr table;
  decode::EventRef event;  // its offset is one in TableRows::bytes
  std::uint32_t origin = 0;
};

struct TableRows {
  std::uint64_t stream = 0;  // the dispatcher that they come from: one for each target table
  std::uint64_t ticket = 0;  // 1, 2, 3 ... in the stream
  TableName target;
  std::vector<std::byte> bytes;
  std::vector<RowEvent> events;
  std::vector<Origin> origins;

  void add(const decode::Batch& batch, const decode::EventRef& event, RowTablePtr table,
           const Origin& origin);
  std::size_t byte_size() const {
    return sizeof(TableRows) + bytes.size() + events.size() * sizeof(RowEvent) +
           origins.size() * sizeof(Origin);
  }
};

// One change. Borrows the rows.
struct ChangeView {
  const RowTable& table;
  const Origin& origin;
  decode::RowKind kind;  // what the filter makes of it: an update may have become another
  const decode::RowView& row;
  bool wanted;  // false: it has a number in its transaction, but the feed leaves it out
};

// All changes in their order, until one is refused.
Status for_each_change(const TableRows& rows, const std::function<Status(const ChangeView&)>& take);

}  // namespace wherry::dispatch
