// Rows of one range that have no equal on the other side. Each side fills a list of its own;
// match() brings them together. Costs 40 bytes for each different row, so ranges are kept small.
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/hash.h"

namespace wherry::verify {

struct RowId {
  Hash128 key;
  Hash128 row;
  std::uint64_t copies = 1;
};

// Rows of one side. Copies of one row are counted, so that a table of equal rows stays small.
class RowIds {
 public:
  void add(const RowId& id);
  void clear() { ids_.clear(); }
  // Sorted, each row once.
  const std::vector<RowId>& compact();

 private:
  std::vector<RowId> ids_;
  std::size_t compact_at_ = 65536;
};

// All rows of one key that are left over. With a key there is at most one row a side; without one
// the key is the row itself and only one side has any.
struct LeftOver {
  Hash128 key;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  Hash128 rows{};      // a sum over them: another one when the same key is left over otherwise
  unsigned looks = 0;  // in a row at which it was left over just so

  std::uint64_t differences() const { return source > target ? source : target; }
};

// In the order of the keys' hashes. Equal rows cancel one for one.
std::vector<LeftOver> match(RowIds& source, RowIds& target);

// What of an earlier look is still left over now, with the looks counted on. Both as match()
// returned them.
std::vector<LeftOver> still_left(std::span<const LeftOver> before, std::vector<LeftOver> now);

std::uint64_t differences(const std::vector<LeftOver>& rows);
// rows as match() returned them.
bool contains(std::span<const LeftOver> rows, const Hash128& key);

}  // namespace wherry::verify
