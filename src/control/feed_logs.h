// What of a feed's specification concerns the log of its source. Pure.
#pragma once

#include "control/feed_spec.h"
#include "control/state_store.h"
#include "feed/source_log.h"

namespace wherry::control {

inline feed::SourceLogOptions log_options(const LogLimits& limits) {
  feed::SourceLogOptions options;
  options.log.tail_bytes = limits.memory;
  options.log.disk_bytes_max = limits.disk_max;
  options.log.segment_bytes = limits.segment;
  options.log.compress = limits.compress;
  return options;
}

inline store::Place place_of(const Checkpoint& checkpoint) {
  store::Place place;
  place.cseq = checkpoint.cseq;
  place.generation = 1;
  place.file = checkpoint.position.file;
  place.gtid = checkpoint.position.gtid;
  return place;
}

}  // namespace wherry::control
