#include "support/log.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>

namespace wherry::log {
namespace {

struct State {
  std::mutex mutex;
  std::string status_line;  // mutex
  std::atomic<Level> level{Level::info};
  std::atomic<Format> format{Format::text};
};

State& state() {
  static State instance;
  return instance;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms);
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "info";
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

void configure(Level level, Format format) {
  state().level = level;
  state().format = format;
}

bool enabled(Level level) { return level >= state().level.load(std::memory_order_relaxed); }

void write(Level level, std::string_view room, std::string_view message) {
  std::string line;
  if (state().format == Format::json) {
    line = fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",\"room\":{},\"message\":{}}}\n",
                       utc_now(), name_of(level), json_text(room), json_text(message));
  } else {
    line = fmt::format("{} {:<7} {}: {}\n", utc_now(), name_of(level), room, message);
  }
  const std::lock_guard lock(state().mutex);
  if (!state().status_line.empty()) line = "\r\x1b[K" + line + state().status_line;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void set_status_line(std::string line) {
  const std::lock_guard lock(state().mutex);
  if (line.empty() && state().status_line.empty()) return;
  const std::string out = "\r\x1b[K" + line;
  state().status_line = std::move(line);
  std::fwrite(out.data(), 1, out.size(), stderr);
  std::fflush(stderr);
}

}  // namespace wherry::log
