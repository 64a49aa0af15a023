// The status of a copy as JSON and as Prometheus text: one spelling for the API, the report,
// SIGUSR1 and --progress json. Pure.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "control/status.h"
#include "support/result.h"

namespace wherry::control {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are written

// Without the tables and differences: what changes every second.
Json progress_json(const CopyStatus& status);
// All of it.
Json status_json(const CopyStatus& status);

Json to_json(const Error& error);
Json to_json(const Position& position);
Json to_json(const TableStatus& table);
Json to_json(const Difference& difference);
// "2026-11-30T16:24:38Z", or null where the time was never set.
Json to_json(std::chrono::system_clock::time_point time);

// Bytes that are no UTF-8 (a key may hold any) become U+FFFD instead of an exception.
std::string dump(const Json& document, int indent = -1);

// Prometheus, prefix wherry_.
std::string metrics_text(const CopyStatus& status);

}  // namespace wherry::control
