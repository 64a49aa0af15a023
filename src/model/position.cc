#include "model/position.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "support/ascii.h"

namespace wherry {
namespace {

// The digits after the last dot without leading zeros; empty where the name has no number.
std::string_view number_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string_view digits = file.substr(dot + 1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), ascii::digit)) return {};
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

template <typename T>
bool read_number(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return !text.empty() && error == std::errc() && stop == end;
}

Error malformed(std::string_view what, std::string_view text) {
  return {Errc::malformed, std::string(what) + ": \"" + ascii::shown(text) + "\""};
}

// Splits at a separator and trims each part; an empty text has no parts.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(ascii::trim(text.substr(0, end)));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

}  // namespace

std::string FilePosition::to_string() const { return file + ":" + std::to_string(offset); }

std::strong_ordering compare(const FilePosition& a, const FilePosition& b) {
  const std::string_view number_a = number_of(a.file);
  const std::string_view number_b = number_of(b.file);
  return std::tuple(number_a.size(), number_a, std::string_view(a.file), a.offset) <=>
         std::tuple(number_b.size(), number_b, std::string_view(b.file), b.offset);
}

Result<FilePosition> parse_file_position(std::string_view text) {
  text = ascii::trim(text);
  const std::size_t colon = text.rfind(':');
  FilePosition position;
  if (colon == std::string_view::npos || colon == 0 ||
      !read_number(text.substr(colon + 1), position.offset)) {
    return malformed("a binlog position is file:offset", text);
  }
  position.file = std::string(text.substr(0, colon));
  if (std::any_of(position.file.begin(), position.file.end(), ascii::control)) {
    return malformed("a binlog file name has no control characters", text);
  }
  return position;
}

Result<MariadbGtidPosition> MariadbGtidPosition::parse(std::string_view text) {
  MariadbGtidPosition position;
  for (const std::string_view part : split(ascii::trim(text), ',')) {
    const std::vector<std::string_view> fields = split(part, '-');
    std::uint32_t domain = 0;
    Gtid gtid;
    if (fields.size() != 3 || !read_number(fields[0], domain) ||
        !read_number(fields[1], gtid.server) || !read_number(fields[2], gtid.sequence)) {
      return malformed("a MariaDB GTID is domain-server-sequence", part);
    }
    if (!position.domains_.emplace(domain, gtid).second) {
      return malformed("a MariaDB position holds each domain once", text);
    }
  }
  return position;
}

std::string MariadbGtidPosition::to_string() const {
  std::string text;
  for (const auto& [domain, gtid] : domains_) {
    if (!text.empty()) text += ',';
    text += std::to_string(domain) + "-" + std::to_string(gtid.server) + "-" +
            std::to_string(gtid.sequence);
  }
  return text;
}

bool MariadbGtidPosition::contains(const MariadbGtidPosition& other) const {
  return std::all_of(other.domains_.begin(), other.domains_.end(), [&](const auto& entry) {
    const auto own = domains_.find(entry.first);
    const std::uint64_t reached = own == domains_.end() ? 0 : own->second.sequence;
    return reached >= entry.second.sequence;
  });
}

Result<bool> gtid_contains(Dialect dialect, std::string_view whole, std::string_view part) {
  if (dialect == Dialect::mariadb) {
    const Result<MariadbGtidPosition> outer = MariadbGtidPosition::parse(whole);
    if (!outer.ok()) return outer.error();
    const Result<MariadbGtidPosition> inner = MariadbGtidPosition::parse(part);
    if (!inner.ok()) return inner.error();
    return outer.value().contains(inner.value());
  }
  const Result<MysqlGtidSet> outer = MysqlGtidSet::parse(whole);
  if (!outer.ok()) return outer.error();
  const Result<MysqlGtidSet> inner = MysqlGtidSet::parse(part);
  if (!inner.ok()) return inner.error();
  return outer.value().contains(inner.value());
}

}  // namespace wherry
