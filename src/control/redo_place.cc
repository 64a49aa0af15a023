#include "control/redo_place.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>

#include "redo/find.h"

namespace wherry::control {
namespace {

using Within = redo::Within;

Within up_to_time(std::uint64_t time_us) {
  return
      [time_us](const store::Place& place) -> Result<bool> { return place.commit_us <= time_us; };
}
Within up_to_file(FilePosition file) {
  return [file = std::move(file)](const store::Place& place) -> Result<bool> {
    return compare(place.file, file) <= 0;
  };
}
// A place is within while it has nothing that the set has not.
Within up_to_gtid(Dialect dialect, std::string set) {
  return [dialect, set = std::move(set)](const store::Place& place) {
    return gtid_contains(dialect, set, place.gtid);
  };
}

}  // namespace

Result<std::uint64_t> parse_time_us(std::string_view text) {
  const Error wrong{Errc::usage, fmt::format("'{}' is no time such as 2026-11-30T08:15:00Z", text)};
  std::tm parts{};
  const std::string copy(text);
  const char* rest = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return wrong;
  std::uint64_t fraction = 0;
  if (*rest == '.') {
    std::uint64_t unit = 100'000;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, unit /= 10)
      fraction += static_cast<std::uint64_t>(*rest - '0') * unit;
  }
  if (std::string_view(rest) != "Z" && *rest != '\0') return wrong;
  const std::time_t seconds = ::timegm(&parts);
  if (seconds < 0) return wrong;
  return static_cast<std::uint64_t>(seconds) * 1'000'000 + fraction;
}

Result<store::Place> find_redo_place(storage::Storage& storage, const redo::Archive& archive,
                                     const std::string& text, const storage::Limits& limits) {
  Within within;
  if (const Result<std::uint64_t> time = parse_time_us(text); time.ok()) {
    within = up_to_time(time.value());
  } else if (Result<FilePosition> file = parse_file_position(text);
             file.ok() && !file.value().empty()) {
    within = up_to_file(std::move(file).value());
  } else if (gtid_contains(archive.claim().dialect, text, text).ok()) {
    within = up_to_gtid(archive.claim().dialect, text);
  } else {
    return Error{Errc::usage,
                 fmt::format("--to {}: it is no GTID set of the source, no file:offset "
                             "and no time such as 2026-11-30T08:15:00Z",
                             text)};
  }
  const Result<bool> inside = within(archive.begin());
  if (!inside.ok()) return inside.error().within("--to");
  if (!inside.value()) {
    return Error{Errc::usage,
                 fmt::format("--to {} lies before the redo, which begins at {} ({})", text,
                             archive.begin().file.to_string(), archive.begin().gtid)};
  }
  return redo::last_within(storage, archive, within, limits);
}

}  // namespace wherry::control
