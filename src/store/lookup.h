// Finds transactions by what else they are called. A look-up first lets the log write its tail out,
// without waiting for the disk; it costs one block for a time or a file position, one segment for a
// GTID set. Any thread; it must not outlive its log.
#pragma once

#include <functional>
#include <optional>

#include "store/segment_walk.h"
#include "store/state.h"

namespace wherry::store {

class Log;

class Lookup {
 public:
  explicit Lookup(Log& log) : log_(log) {}

  // The first transaction at or behind what is given; nothing: the log does not reach so far. The
  // place is whole but for the GTID set. lost: the log begins behind it, so that its first
  // transaction need not be the first.
  Result<std::optional<Place>> by_cseq(std::uint64_t cseq);
  Result<std::optional<Place>> by_time(std::uint64_t commit_us);
  Result<std::optional<Place>> by_file(std::uint64_t generation, const FilePosition& file);
  // The first transaction behind which all of the set was done: a reader that has the set, and
  // nothing else of this log, goes on with the next one. That can be the place before the first.
  // With the GTID set.
  Result<std::optional<Place>> by_gtid(std::string_view set);

  // The place behind transaction cseq, with the GTID set; cseq may be the one before the log's
  // first.
  Result<Place> place_after(std::uint64_t cseq);
  // The place behind what is published now, or a later one. Reads nothing.
  Result<Place> end();

 private:
  using Reached = std::function<bool(const Place&)>;

  Result<Shared*> written();
  Result<std::optional<Place>> find(const Reached& reached);
  Result<std::optional<Place>> find_in(const Segment& segment, const Reached& reached);

  Log& log_;
};

}  // namespace wherry::store
