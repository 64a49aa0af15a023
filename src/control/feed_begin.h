// Where a feed takes up the log of its source. All of it waits, until the log is there or
// `stopping` says that nobody wants it any more (Errc::interrupted). The feed's thread.
#pragma once

#include <functional>
#include <string>

#include "feed/source_log.h"
#include "store/entry.h"

namespace wherry::control {

using Stopping = std::function<bool()>;

// As a log that is new begins, for a feed that starts at this text: a GTID set or "file:offset".
store::Place given_place(const std::string& text);

// Behind all that was committed at the given text. Errc::refused: the source has not reached it.
// Errc::lost: the log begins behind it.
Result<store::Place> find_place(feed::SourceLog& log, const std::string& text,
                                const Stopping& stopping);

// Behind what the source has committed by now: what was read of it before is older than what
// follows. session: one of the source for positions.
Result<store::Place> place_behind_source(feed::SourceLog& log, mysql::Session& session,
                                         const Stopping& stopping);

// Numbers are local to a log: what a sink knows by a number must be what this log calls so.
// Errc::lost and Errc::refused say what else it is.
Status require_same_count(feed::SourceLog& log, std::uint64_t cseq, const std::string& gtid);

// Waits until the log has this transaction.
Status wait_for_count(feed::SourceLog& log, std::uint64_t cseq, const Stopping& stopping);

}  // namespace wherry::control
