// Writes one segment: blocks one behind the other, then the footer. It is the flusher's; a failure
// leaves a tail that the next opening cuts. One thread.
#pragma once

#include "store/segment_walk.h"

namespace wherry::store {

class SegmentWriter {
 public:
  // The file appears under its name only once its header is durable.
  static Result<SegmentWriter> create(const Options& options, const SegmentHeader& header);
  // An unsealed segment goes on where its last good block ends; what stands behind is cut off.
  static Result<SegmentWriter> resume(const Options& options, Segment segment);

  // The footer's parts are kept here, so the block's summary is needed.
  Status append(BlockHeader header, Bytes body, const BodySummary& summary, const Place& newest);
  Status append(const Definitions& definitions, std::uint64_t last_cseq);
  Status sync();
  // Writes the footer and syncs. after: with the GTID set.
  Status seal(const Place& after);

  bool carries(std::uint64_t version) const {
    return segment_.content.definitions.contains(version);
  }
  const Segment& segment() const { return segment_; }

 private:
  SegmentWriter(File file, Segment segment, const Options& options);
  Status write(BlockHeader header, Bytes body);

  File file_;
  Segment segment_;
  bool compress_;
  std::vector<std::byte> packed_;
};

}  // namespace wherry::store
