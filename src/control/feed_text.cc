#include "control/feed_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/units.h"

namespace wherry::control {
namespace {

constexpr std::size_t kColumns = 5;
using Line = std::array<std::string, kColumns>;

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : dump(value);
}

std::string text_at(const Json& from, const char* key) {
  return from.is_object() && from.contains(key) ? text_of(from[key]) : "-";
}

std::string lag_of(const Json& feed) {
  if (!feed.contains("lag_ms") || !feed["lag_ms"].is_number_integer()) return "-";
  return format_duration(std::chrono::milliseconds(feed["lag_ms"].get<std::int64_t>()));
}

// What is wrong with it, or what it waits for.
std::string matter_of(const Json& feed) {
  if (feed.contains("error") && feed["error"].is_object()) return text_at(feed["error"], "message");
  if (feed.contains("stalled") && feed["stalled"].is_object())
    return "stalled: " + text_at(feed["stalled"], "reason");
  const std::string waiting = text_at(feed, "waiting_for");
  return waiting == "-" ? "" : waiting;
}

std::string state_of(const Json& feed) {
  std::string state = text_at(feed, "state");
  const std::string wanted = text_at(feed, "wanted");
  if (wanted == "removed") return state + " (being removed)";
  if (wanted == "paused" && state != "stopped" && state != "finished") return state + " (stopping)";
  return state;
}

}  // namespace

std::string feed_table(const Json& list) {
  std::vector<Line> lines = {{"NAME", "STATE", "LAG", "SINK", ""}};
  if (list.contains("feeds") && list["feeds"].is_array()) {
    for (const Json& feed : list["feeds"]) {
      const Json config = feed.value("config", Json::object());
      lines.push_back({text_at(feed, "name"), state_of(feed), lag_of(feed), text_at(config, "sink"),
                       matter_of(feed)});
    }
  }
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i + 1 < kColumns; ++i)
      row += fmt::format("{:<{}}  ", line[i], widths[i]);
    row += line[kColumns - 1];
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

std::string feed_page(const Json& feed) {
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) {
    out += fmt::format("{:<20} {}\n", name, value);
  };
  line("name", text_at(feed, "name"));
  line("state", state_of(feed));
  line("lag", lag_of(feed));
  const Json checkpoint = feed.value("checkpoint", Json());
  if (checkpoint.is_object()) {
    line("checkpoint",
         fmt::format("{} at {}", text_at(checkpoint, "cseq"), text_at(checkpoint, "position")));
  }
  for (const char* key : {"rows_copied", "transactions", "changes"}) line(key, text_at(feed, key));
  if (const std::string matter = matter_of(feed); !matter.empty()) line("because", matter);
  if (const std::string retry = text_at(feed, "retry_at"); retry != "-") line("next try", retry);
  for (const char* key : {"created", "changed"}) line(key, text_at(feed, key));
  const Json config = feed.value("config", Json::object());
  for (const auto& [key, value] : config.items()) {
    if (key == "name") continue;
    if (!value.is_array()) {
      line(key, text_of(value));
      continue;
    }
    for (const Json& item : value) line(key, text_of(item));
  }
  return out;
}

}  // namespace wherry::control
