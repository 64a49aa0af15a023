// The net effect of a run of transactions on one table: for each key whether a row was there before
// and what is there after. Cells borrow the batches and readers of the group, which the lane keeps.
// One thread: the lane's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/keys.h"
#include "dispatch/resolve.h"

namespace wherry::sink {

// Whether two cells of one column hold the same bytes, or both NULL.
bool same_cell(const decode::Cell& left, const decode::Cell& right);

class NetRows {
 public:
  // table: kept by the batch of the group's work. cells: emptied, for their memory.
  explicit NetRows(const dispatch::ResolvedTable& table, std::vector<decode::Cell> cells = {})
      : table_(&table), cells_(std::move(cells)) {
    cells_.clear();
  }

  struct Entry {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t first = kNone;  // image before, in cells(); kNone: no row was there before
    std::size_t last = kNone;   // image after, in cells(); kNone: no row is there after
    std::size_t key = kNone;    // an image that carries the key
    Hash128 identity;
  };

  // Adds one change; before is used for updates and erases, after for inserts and updates.
  Status add(decode::RowKind kind, const decode::RowView& row);

  const dispatch::ResolvedTable& table() const { return *table_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // The cells of an image, one for each wire column.
  const decode::Cell* image(std::size_t at) const { return cells_.data() + at; }
  // Ends the use of the images: their memory, for the next group.
  std::vector<decode::Cell> take_cells() { return std::move(cells_); }
  // Whether the row after equals the row before: nothing to write.
  bool unchanged(const Entry& entry) const;

 private:
  // The entry of a key, made where there is none.
  Entry& at(const Hash128& key);
  void grow();
  std::size_t keep(const std::vector<decode::Cell>& image);

  const dispatch::ResolvedTable* table_;
  dispatch::KeyReader keys_;
  std::vector<decode::Cell> cells_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // entry + 1 by key: open addressing, linear probing; 0: free
};

}  // namespace wherry::sink
