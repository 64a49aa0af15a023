#include "control/live_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "support/nearest.h"

namespace wherry::control {
namespace {

using nlohmann::json;
using std::string_view_literals::operator""sv;

constexpr std::array kKeys = {"chunk-rows"sv, "rate"sv, "max-lag"sv, "readers"sv, "lanes"sv};
constexpr std::uint64_t kChunkRowsMax = 10'000'000;
constexpr std::uint64_t kSessionsMax = 256;

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

Result<std::uint64_t> whole(const json& value, std::uint64_t most) {
  if (!value.is_number_unsigned()) return usage("it is a whole number");
  const auto number = value.get<std::uint64_t>();
  if (number == 0 || number > most) return usage(fmt::format("it is a number from 1 to {}", most));
  return number;
}

Status set_rate(LiveSettings& settings, const json& value) {
  if (value.is_null() || value == "0" || value == "0rows") {
    settings.rate = Rate{};
    return Unit{};
  }
  if (!value.is_string())
    return usage("it is a text such as \"20000rows\" or \"50MiB\"; null or \"0rows\" lifts it");
  const Result<Rate> rate = parse_rate(value.get<std::string>());
  if (!rate.ok()) return rate.error();
  settings.rate = rate.value();
  return Unit{};
}

Status set_max_lag(LiveSettings& settings, const json& value) {
  if (!value.is_string()) return usage("it is a text such as \"2s\"");
  const Result<std::chrono::milliseconds> lag = parse_duration(value.get<std::string>());
  if (!lag.ok()) return lag.error();
  settings.max_lag = lag.value();
  return Unit{};
}

Status set_key(LiveSettings& settings, std::string_view key, const json& value) {
  if (key == "rate") return set_rate(settings, value);
  if (key == "max-lag") return set_max_lag(settings, value);
  const bool rows = key == "chunk-rows";
  if (!rows && key != "readers" && key != "lanes") {
    return usage("no such setting" + did_you_mean(key, kKeys));
  }
  const Result<std::uint64_t> number = whole(value, rows ? kChunkRowsMax : kSessionsMax);
  if (!number.ok()) return number.error();
  if (rows) {
    settings.chunk_rows = number.value();
  } else {
    (key == "readers" ? settings.readers : settings.lanes) = static_cast<unsigned>(number.value());
  }
  return Unit{};
}

}  // namespace

Result<LiveSettings> parse_live_settings(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.empty())
    return usage("a JSON object of settings is expected");
  LiveSettings settings;
  for (const auto& [name, value] : document.items()) {
    std::string key = name;
    std::replace(key.begin(), key.end(), '_', '-');
    const Status done = set_key(settings, key, value);
    if (!done.ok()) return done.error().within(name);
  }
  return settings;
}

}  // namespace wherry::control
