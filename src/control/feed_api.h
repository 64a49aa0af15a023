// The HTTP API of `wherry serve`: feeds, their status, events and metrics. Pure routing; the fleet
// must outlive whoever serves them. docs/feeds.md and GET /api/v1/openapi.json describe it.
#pragma once

#include <chrono>

#include "control/feed_fleet.h"
#include "control/http_server.h"

namespace wherry::control {

HttpRoutes feed_routes(FeedFleet& fleet, std::chrono::system_clock::time_point started);

}  // namespace wherry::control
