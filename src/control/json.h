// JSON of what every job has: errors, positions and times in one spelling, and documents as text.
// Pure.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/position.h"
#include "support/result.h"

namespace wherry::control {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are written

Json to_json(const Error& error);
Json to_json(const Position& position);
// "2026-11-30T16:24:38Z", or null where the time was never set.
Json to_json(std::chrono::system_clock::time_point time);

// Bytes that are no UTF-8 (a key may hold any) become U+FFFD instead of an exception.
std::string dump(const Json& document, int indent = -1);

}  // namespace wherry::control
