// Looks at every record of a segment, block by block: when a log is opened, when it is checked
// behind the readers, and when a place in it is searched. One thread.
#pragma once

#include <functional>
#include <set>

#include "store/place_tracker.h"
#include "store/record.h"
#include "store/segment.h"

namespace wherry::store {

// What the records of one block's body say.
struct BodySummary {
  std::set<std::uint64_t> table_versions;
  Point end;  // behind the last record
};
// Follows the records from `first` on; commits go to the tracker. malformed: bytes that are no
// records, or commits that do not follow each other.
Result<BodySummary> summarize(Bytes body, const Point& first, PlaceTracker& tracker);

class SegmentWalk {
 public:
  // The segment and the file must outlive the walk. The tracker begins where the segment does.
  SegmentWalk(const Segment& segment, const File& file, PlaceTracker tracker);

  // The next block verified, and its records followed. False: `limit` is reached, which is where
  // the footer begins or the file's end.
  Result<bool> next(std::uint64_t limit);

  std::uint64_t offset() const { return offset_; }  // behind the last good block
  const BlockHeader& header() const { return header_; }
  Bytes body() const { return reader_.body(); }
  bool open() const { return open_; }  // the last block of records ended inside a transaction
  const Point& end() const { return end_; }
  const PlaceTracker& tracker() const { return tracker_; }
  // Gathered on the way, as a footer holds them.
  std::vector<IndexEntry>& index() { return index_; }
  Definitions& definitions() { return definitions_; }

 private:
  Status follow(std::uint64_t at);

  const Segment& segment_;
  const File& file_;
  BlockReader reader_;
  BlockHeader header_;
  PlaceTracker tracker_;
  Point end_;
  std::uint64_t offset_;
  bool open_ = false;
  std::vector<IndexEntry> index_;
  Definitions definitions_;
};

}  // namespace wherry::store
