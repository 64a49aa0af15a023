// Compares one table, or one part of it, between two readers: digests of ranges first, and the rows
// of those that differ. Reads both sides at once, the source in a thread of its own for the length
// of a call. The readers and the plan are borrowed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "verify/checksum.h"
#include "verify/listing.h"
#include "verify/row_digest.h"
#include "verify/row_reader.h"

namespace wherry::verify {

struct CompareLimits {
  std::uint64_t range_rows = 50000;
  std::uint64_t drill_rows = 1000000;  // rows a side whose hashes may be held at once
  std::size_t listed_max = 1000;
  unsigned recheck = 0;
  std::chrono::milliseconds recheck_pause{500};
  std::function<Status()> catch_up;
};

struct Findings {
  std::uint64_t rows = 0;
  std::uint64_t ranges = 0;
  std::uint64_t differences = 0;
  std::vector<RowDifference> listed;
  bool at_least = false;  // there were too many to count one by one
  // Rows that were written to at each look, so that nothing can be said of them.
  std::uint64_t moving = 0;
};

class TableCompare {
 public:
  struct Ends {
    RowReader& source;
    RowReader& target;
  };

  // progress is told the rows of the source as they are compared.
  TableCompare(Ends ends, const ComparePlan& plan, const CompareLimits& limits,
               const std::atomic<bool>& stop, std::function<void(std::uint64_t)> progress)
      : ends_(ends), plan_(plan), limits_(limits), stop_(stop), progress_(std::move(progress)) {}

  // By ranges of the key, cut on the source; plan.order must not be none.
  Status by_ranges(const KeyRange& whole, Findings& findings);

  // Without any order: both sides are split by the hash of the key into parts, whose sums are
  // compared. Reads everything again for the parts that differ.
  Status as_bag(Findings& findings);

 private:
  struct CutRange {
    KeyRange range;
    SetDigest cut;     // of the side that chose the range
    SetDigest follow;  // of the other side
    std::size_t byte_size() const;
  };
  using Wanted = std::function<bool(const Hash128& key)>;

  Status scan(Ends ends, const KeyRange& whole, const std::function<Status(CutRange&)>& on_range);
  Status cut_ranges(RowReader& reader, const KeyRange& whole,
                    const std::function<bool(CutRange)>& push);
  Status digest_both(const KeyRange& range, SetDigest& source, SetDigest& target);
  Status recheck(std::vector<CutRange>& suspects);
  Status drill(const CutRange& suspect, Findings& findings);
  Status drill_small(const KeyRange& range, const Wanted& wanted, Findings& findings);
  Status look_again(const KeyRange& range, std::vector<LeftOver>& left, Findings& findings);
  Status read_ids(const KeyRange& range, const Wanted& wanted, std::vector<LeftOver>& left);
  Status list(const KeyRange& range, const std::vector<LeftOver>& left, Findings& findings);
  Status digest_parts(std::vector<SetDigest>& source, std::vector<SetDigest>& target);
  Status drill_parts(const std::vector<std::size_t>& parts, const std::vector<std::uint64_t>& rows,
                     Findings& findings);
  Status pause();

  const Ends ends_;
  const ComparePlan& plan_;
  const CompareLimits limits_;
  const std::atomic<bool>& stop_;
  const std::function<void(std::uint64_t)> progress_;
};

}  // namespace wherry::verify
