// The descriptions of the HTTP APIs that GET /api/v1/openapi.json answers. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace wherry::control {

std::string copy_openapi();
// With a property for every key of a feed.
std::string feed_openapi();

// The parts, in openapi_table.cc.
std::string_view openapi_common_text();
std::string_view openapi_copy_text();
std::string_view openapi_feeds_text();

}  // namespace wherry::control
