// Where the comparison gets rows from: one side of one table. The comparison knows nothing else of
// servers, so its tests read from memory. One thread at a time for each reader.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mysql/session.h"
#include "support/result.h"
#include "verify/key_range.h"

namespace wherry::verify {

struct RowRequest {
  KeyRange range;
  std::uint64_t first = 0;  // only this many rows, in the order of the key; 0: all, in any order
};

class RowReader {
 public:
  virtual ~RowReader() = default;

  // restart() comes before the first row, and again each time the reading begins anew after a
  // failure: what was learnt from rows so far is to be forgotten. Views live until row() returns.
  virtual Status read(const RowRequest& request, const std::function<void()>& restart,
                      const std::function<void(std::span<const mysql::FieldView>)>& row) = 0;
};

}  // namespace wherry::verify
