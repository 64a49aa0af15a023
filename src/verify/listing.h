// Keeps the rows that differ while a range is read a second time, and says how they differ. One
// object a side and one thread each; describe() brings both together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/checksum.h"
#include "verify/compare_plan.h"
#include "verify/unmatched.h"

namespace wherry::verify {

struct KeyHash {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

class KeptRows {
 public:
  struct Kept {
    std::uint64_t ordinal = 0;  // of the row in the reading
    Hash128 row;
    std::string key;
    std::vector<std::string> values;
    std::vector<std::uint64_t> hashes;  // of the values, as the texts are cut
  };

  // Keeps rows of the first rows_max keys of `left`, which is borrowed.
  KeptRows(const ComparePlan& plan, const std::vector<LeftOver>& left, std::size_t keys_max);

  void clear();
  void see(const RowId& id, std::span<const mysql::FieldView> row);

 private:
  friend std::vector<RowDifference> describe(const ComparePlan& plan, const KeptRows& source,
                                             const KeptRows& target);

  const ComparePlan& plan_;
  std::span<const LeftOver> wanted_;
  std::uint64_t seen_ = 0;
  std::unordered_map<Hash128, std::vector<Kept>, KeyHash> rows_;
};

// In the order of the reading: first what the source has, then what only the target has.
std::vector<RowDifference> describe(const ComparePlan& plan, const KeptRows& source,
                                    const KeptRows& target);

}  // namespace wherry::verify
