// What may be changed while a copy runs. A field that is absent stays as it is. Values; no threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "support/result.h"
#include "support/units.h"

namespace wherry::control {

struct LiveSettings {
  std::optional<std::uint64_t> chunk_rows;
  std::optional<Rate> rate;  // per_second 0: no limit
  std::optional<std::chrono::milliseconds> max_lag;
  std::optional<unsigned> readers;
  std::optional<unsigned> lanes;
};

// From the JSON object of PATCH /api/v1/copy/settings, whose keys are the options' names ('_' may
// stand for '-') and whose values are written as there. Errc::usage names the key.
Result<LiveSettings> parse_live_settings(std::string_view json);

}  // namespace wherry::control
