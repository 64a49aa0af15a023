// Opens what is in the folder: every footer and the whole newest segment are verified, a torn tail
// and a transaction without its end are cut off. Anything else that is wrong is an error that names
// file, byte and cseqs, and changes nothing. One thread, before anybody else reads the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/segment_walk.h"

namespace wherry::store {

struct Recovered {
  std::vector<Segment> sealed;    // ascending
  std::optional<Segment> active;  // unsealed: the log goes on in it
  PlaceTracker tracker;           // at the end of the log
  std::vector<std::string> cuts;  // what was cut off, a sentence each
};

Result<Recovered> recover(const Options& options);

// Takes the unfinished transaction off the end of the segments, from its first block on: whole
// files where it fills them. The segment with its begin comes back unsealed and is not in the list
// any more; SegmentWriter::resume() then cuts the file.
struct CutBack {
  Segment active;
  PlaceTracker tracker;
};
Result<CutBack> cut_back(const Options& options, std::vector<Segment>& segments,
                         std::uint64_t cseq);

}  // namespace wherry::store
