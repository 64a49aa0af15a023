// XA transactions that are prepared and not decided: their rows stand in the log at the PREPARE and
// take their place at the COMMIT. The book remembers where they are, and keeps the checkpoint below
// a PREPARE until the rows of its COMMIT are durable. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "support/guarded.h"

namespace wherry::feed {

class XaBook {
 public:
  void prepared(const std::string& xid, std::uint64_t cseq) {
    pages_.with([&](Pages& pages) { pages.open[xid] = cseq; });
  }
  // Where the rows are that commit here. Nothing: the PREPARE was never seen.
  std::optional<std::uint64_t> committed(const std::string& xid, std::uint64_t cseq) {
    return pages_.with([&](Pages& pages) -> std::optional<std::uint64_t> {
      const auto done = pages.decided.find(cseq);
      if (done != pages.decided.end()) return done->second;
      const auto found = pages.open.find(xid);
      if (found == pages.open.end()) return std::nullopt;
      const std::uint64_t at = found->second;
      pages.open.erase(found);
      pages.decided[cseq] = at;
      return at;
    });
  }
  void rolled_back(const std::string& xid) {
    pages_.with([&](Pages& pages) { pages.open.erase(xid); });
  }
  // What the checkpoint may be, where everything through `durable` is.
  std::uint64_t limit(std::uint64_t durable) {
    return pages_.with([&](Pages& pages) {
      pages.decided.erase(pages.decided.begin(), pages.decided.upper_bound(durable));
      std::uint64_t limit = durable;
      for (const auto& [xid, cseq] : pages.open) limit = std::min(limit, cseq - 1);
      for (const auto& [at, cseq] : pages.decided) limit = std::min(limit, cseq - 1);
      return limit;
    });
  }

 private:
  struct Pages {
    std::map<std::string, std::uint64_t> open;
    std::map<std::uint64_t, std::uint64_t> decided;  // COMMIT -> PREPARE
  };
  Guarded<Pages> pages_;
};

}  // namespace wherry::feed
