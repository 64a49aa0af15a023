#include "control/feed_spec.h"

#include <algorithm>
#include <utility>

#include "control/option_setters.h"
#include "model/uri.h"
#include "support/ascii.h"

namespace wherry::control {
namespace {

constexpr std::size_t kNameMax = 64;

}  // namespace

Result<FeedStartAt> parse_feed_start(const std::string& text) {
  FeedStartAt start;
  start.text = text;
  if (text == "snapshot") return start;
  if (text == "now") {
    start.begin = FeedBegin::now;
    return start;
  }
  start.begin = FeedBegin::position;
  const bool gtid =
      !text.empty() && (MysqlGtidSet::parse(text).ok() || MariadbGtidPosition::parse(text).ok());
  if (gtid) {
    start.position.gtid = text;
    return start;
  }
  Result<FilePosition> file = parse_file_position(text);
  if (!file.ok() || file.value().empty()) {
    return usage_error(
        fmt::format("'{}' is neither snapshot, now, a GTID set nor file:offset", text));
  }
  start.position.file = std::move(file).value();
  return start;
}

bool writes_to_server(const FeedSpec& spec) {
  return ascii::starts_with(spec.sink_uri, "mysql:") ||
         ascii::starts_with(spec.sink_uri, "mariadb:");
}

FeedBegin begin_of(const FeedSpec& spec) {
  if (!spec.start.text.empty()) return spec.start.begin;
  return writes_to_server(spec) ? FeedBegin::snapshot : FeedBegin::now;
}

FeedMode mode_of(const FeedSpec& spec) {
  if (spec.mode) return *spec.mode;
  return writes_to_server(spec) ? FeedMode::transaction : FeedMode::table;
}

bool is_feed_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return ascii::letter(c) || ascii::digit(c) || c == '-' || c == '_';
         });
}

}  // namespace wherry::control
