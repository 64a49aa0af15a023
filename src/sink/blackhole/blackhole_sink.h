// blackhole://?latency=10ms: decodes and counts what comes, keeps nothing, and calls it durable
// when the latency has passed. Owns one thread.
#pragma once

#include <memory>

#include "dispatch/async_sink.h"
#include "model/uri.h"

namespace wherry::sink {

// usage: an option that there is not.
Result<std::unique_ptr<dispatch::AsyncSink>> open_blackhole(const Uri& uri);

}  // namespace wherry::sink
