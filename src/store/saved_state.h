// The small file `state` beside the segments: how far the log certainly reached, and what each
// consumer is done with, so that a reopened log keeps what they need before they are back. Values;
// one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/options.h"
#include "support/result.h"

namespace wherry::store {

struct SavedState {
  std::uint64_t durable_cseq = 0;
  std::map<std::string, std::uint64_t> consumers;  // name to the last cseq it is done with
};

// A missing file is the state of a new log; a damaged one is an error.
Result<SavedState> read_state(const std::string& folder);
Status write_state(const Options& options, const SavedState& state);

}  // namespace wherry::store
