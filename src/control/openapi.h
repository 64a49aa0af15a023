// The description of the HTTP API that GET /api/v1/openapi.json answers. Any thread.
#pragma once

#include <string_view>

namespace wherry::control {

std::string_view openapi_text();

}  // namespace wherry::control
