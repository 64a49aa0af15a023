// One row as a line of LOAD DATA that is encoded while it is sent: a large value is held once, in
// its event, and no packet is as large as it is. One thread; borrows the row's event and table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/resolve.h"
#include "mysql/session.h"

namespace wherry::sink {

// From this size on a row goes by itself.
inline constexpr std::size_t kLargeRowBytes = 1 << 20;
std::size_t row_bytes(const dispatch::ResolvedTable& table, const decode::Cell* image);

class RowLine {
 public:
  // All writable columns; an image that lacks one is an Errc::unsupported.
  static Result<RowLine> make(const dispatch::ResolvedTable& table, const decode::Cell* image);

  // As mysql::Session::Feed; size is 2 at least.
  std::size_t read(char* buffer, std::size_t size);

 private:
  struct Piece {
    std::string text;      // as it is sent
    std::string_view raw;  // sent behind it, escaped
  };

  std::vector<Piece> pieces_;
  std::size_t piece_ = 0;
  std::size_t at_ = 0;  // in the text, then behind it in raw
};

// What LOAD DATA says it did: "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0".
struct LoadCounts {
  unsigned long long records = 0, deleted = 0, skipped = 0, warnings = 0;
};
LoadCounts load_counts(const std::string& info);

}  // namespace wherry::sink
