// Merges the row events of neighbouring transactions into the net rows of each table, and replays a
// transaction row by row where merging is not allowed. One thread: the lane's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sink/mysql/bulk_writer.h"
#include "sink/mysql/ordered_writer.h"

namespace wherry::sink {

class Merge {
 public:
  using CellStore = std::vector<std::vector<decode::Cell>>;
  // spare: memory for cells that is lent from one group to the next.
  explicit Merge(CellStore& spare) : spare_(spare) {}
  // Adds a transaction (or a part of one). The work's batch must live until write().
  // Errc::unsupported: an image does not carry its whole row; nothing was written then. The writer
  // serves a table whose row events change their form in between: what was merged of it is written
  // first.
  Status add(const dispatch::Work& work, BulkWriter& writer);
  Status write(BulkWriter& writer);

 private:
  struct OfTable {
    std::unique_ptr<NetRows> rows;
    bool tolerant = false;
    std::uint64_t changes = 0;
  };
  Status add_event(const dispatch::Work& work, const decode::EventRef& event,
                   const dispatch::ResolvedTable& table, BulkWriter& writer);
  static Status write_together(const std::vector<OfTable*>& tables, BulkWriter& writer);
  void written(OfTable& table);

  CellStore& spare_;
  std::map<std::uint32_t, OfTable> tables_;
  std::deque<decode::RowsReader> readers_;  // own what they unpacked
  decode::RowView row_;
};

// Every row event and savepoint of the transaction, in order.
Status replay(const dispatch::Work& work, OrderedWriter& writer);

}  // namespace wherry::sink
