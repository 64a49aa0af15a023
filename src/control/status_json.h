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

// Without the tables and differences: what changes every second.
nlohmann::json progress_json(const CopyStatus& status);
// All of it.
nlohmann::json status_json(const CopyStatus& status);

nlohmann::json to_json(const Error& error);
nlohmann::json to_json(const Position& position);
nlohmann::json to_json(const TableStatus& table);
nlohmann::json to_json(const Difference& difference);
// "2026-11-30T16:24:38Z", or null where the time was never set.
nlohmann::json to_json(std::chrono::system_clock::time_point time);

// Bytes that are no UTF-8 (a key may hold any) become U+FFFD instead of an exception.
std::string dump(const nlohmann::json& document, int indent = -1);

// Prometheus, prefix wherry_.
std::string metrics_text(const CopyStatus& status);

}  // namespace wherry::control
