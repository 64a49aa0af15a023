// The log of the program: lines to stderr, as text or JSON, filtered by level. Any thread. The line
// is written whole, so lines of several threads never mix. Callers never pass secrets.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace wherry::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

// Once, before threads start.
void configure(Level level, Format format);
bool enabled(Level level);

// room: who speaks, for example "source".
void write(Level level, std::string_view room, std::string_view message);

// What the terminal shows on its last line (a progress bar); log lines are written above it. Empty
// removes it.
void set_status_line(std::string line);

template <typename... Args>
void info(std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::info))
    write(Level::info, room, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void debug(std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::debug))
    write(Level::debug, room, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void warning(std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::warning))
    write(Level::warning, room, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void error(std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::error))
    write(Level::error, room, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace wherry::log
