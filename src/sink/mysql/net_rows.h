// The net effect of a run of transactions on one table: for each key whether a row was there before
// and what is there after. Cells borrow the batches and readers of the group, which the lane keeps.
// One thread: the lane's.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "dispatch/keys.h"
#include "dispatch/resolve.h"

namespace wherry::sink {

class NetRows {
 public:
  // table: kept by the batch of the group's work.
  explicit NetRows(const dispatch::ResolvedTable& table) : table_(&table) {}

  struct Entry {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t first = kNone;  // image before, in cells(); kNone: no row was there before
    std::size_t last = kNone;   // image after, in cells(); kNone: no row is there after
    std::size_t key = kNone;    // an image that carries the key
  };

  // Adds one change; before is used for updates and erases, after for inserts and updates.
  Status add(decode::RowKind kind, const decode::RowView& row);

  const dispatch::ResolvedTable& table() const { return *table_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // The cells of an image, one for each wire column.
  const decode::Cell* image(std::size_t at) const { return cells_.data() + at; }
  // Whether the row after equals the row before: nothing to write.
  bool unchanged(const Entry& entry) const;
  std::size_t byte_size() const {
    return cells_.size() * sizeof(decode::Cell) + entries_.size() * 64 + payload_;
  }

 private:
  Entry& at(const Hash128& key);
  std::size_t keep(const std::vector<decode::Cell>& image);

  const dispatch::ResolvedTable* table_;
  dispatch::KeyReader keys_;
  std::vector<decode::Cell> cells_;
  std::vector<Entry> entries_;
  std::unordered_map<Hash128, std::size_t, HashOfHash> by_key_;
  std::size_t payload_ = 0;
};

}  // namespace wherry::sink
