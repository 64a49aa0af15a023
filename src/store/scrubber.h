// Reads every segment that was sealed when the log was opened, behind the readers' backs, so that
// damage is known before somebody needs the rows. One thread runs it.
#pragma once

#include <vector>

#include "store/state.h"

namespace wherry::store {

class Scrubber {
 public:
  Scrubber(Shared& shared, std::vector<Segment> segments)
      : shared_(shared), segments_(std::move(segments)) {}

  // Until all were read or the log stops. What it finds is State::damage.
  void run();

 private:
  Status scrub(const Segment& segment);
  bool wanted(const Segment& segment) const;

  Shared& shared_;
  std::vector<Segment> segments_;
};

}  // namespace wherry::store
