// The end of a feed's redo. While a feed has redo, a mark in the server's folder says whose it is
// and which epoch it began last: what is removed later is what this server's feed wrote, and never
// what another one keeps under the same name. Stateless.
#pragma once

#include <stop_token>
#include <string>

#include "control/feed_spec.h"
#include "redo/epoch.h"
#include "support/result.h"

namespace wherry::control {

// The file of the feed's mark.
std::string redo_mark(const std::string& data_dir, const std::string& feed);
// Durable when it returns. path: empty leaves none.
Status mark_redo(const std::string& path, const redo::FeedOwner& owner);

// Once the feed has ended for good: removes its redo if the spec says so, and the mark. Waits for
// the storage as long as that takes; may be called again after a crash. What is another writer's,
// or cannot be read, stays with a warning. Errc::interrupted: stop was asked; io: the mark.
Status discard_redo(const std::string& data_dir, const FeedSpec& spec, const std::stop_token& stop);

}  // namespace wherry::control
