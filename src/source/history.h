// Whether a source's log holds, at the place that was applied last, what was applied there: a
// server that was set back, or another one that took its name, may know as much and something else.
// Stateless; the caller's thread.
#pragma once

#include <cstdint>
#include <string>

#include "model/position.h"
#include "source/runtime.h"

namespace wherry::source {

struct AppliedPlace {
  Position position;            // applied through
  std::string gtid;             // of the last group there alone; empty: none, or it had none
  std::uint64_t commit_us = 0;  // of that group, at most
};

// Errc::refused names what is expected and what is there. A log that was purged since cannot be
// asked and is taken: the stream itself tells whether what follows is still there. session: one of
// the source for positions, as Lease::control_session() gives.
Status require_applied(const Lease& lease, mysql::Session& session, bool by_gtid,
                       const AppliedPlace& place);

}  // namespace wherry::source
