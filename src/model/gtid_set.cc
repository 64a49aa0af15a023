#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "model/position.h"
#include "support/ascii.h"

namespace wherry {
namespace {

using Interval = MysqlGtidSet::Interval;

// The server keeps the end of an interval as a signed number, one past the last transaction.
constexpr std::uint64_t kNumberMax =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - 1;
constexpr std::size_t kUuidDigits = 32;
constexpr std::size_t kTagLettersMax = 32;

Error malformed(std::string_view what, std::string_view text) {
  return {Errc::malformed, "GTID set: " + std::string(what) + ": \"" + ascii::shown(text) + "\""};
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return ascii::trim(part);
}

// Lower case with dashes, from a text with or without them; empty where it is no UUID.
std::string read_uuid(std::string_view text) {
  std::string uuid;
  std::size_t digits = 0;
  const bool dashes = text.size() == kUuidDigits + 4;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash_place = dashes && (i == 8 || i == 13 || i == 18 || i == 23);
    if (dash_place != (text[i] == '-')) return {};
    if (dash_place) continue;
    if (ascii::hex_value(text[i]) < 0) return {};
    if (digits == 8 || digits == 12 || digits == 16 || digits == 20) uuid += '-';
    uuid += ascii::lower(text[i]);
    ++digits;
  }
  return digits == kUuidDigits ? uuid : std::string();
}

bool is_tag(std::string_view text) {
  if (text.empty() || text.size() > kTagLettersMax || ascii::digit(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return ascii::letter(c) || ascii::digit(c) || c == '_'; });
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  text = ascii::trim(text);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool whole = !text.empty() && error == std::errc() && stop == end;
  if (!whole || number == 0 || number > kNumberMax) return std::nullopt;
  return number;
}

std::optional<Interval> read_interval(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = read_number(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return Interval{*first, *first};
  const std::optional<std::uint64_t> last = read_number(text.substr(dash + 1));
  if (!last || *last < *first) return std::nullopt;
  return Interval{*first, *last};
}

// Keeps the list sorted, disjoint and not adjacent. Most additions extend the last interval.
void insert(std::vector<Interval>& list, Interval added) {
  auto begin = std::partition_point(list.begin(), list.end(), [&](const Interval& interval) {
    return interval.last + 1 < added.first;
  });
  auto end = begin;
  while (end != list.end() && end->first <= added.last + 1) {
    added.first = std::min(added.first, end->first);
    added.last = std::max(added.last, end->last);
    ++end;
  }
  if (begin == end) {
    list.insert(begin, added);
    return;
  }
  *begin = added;
  list.erase(begin + 1, end);
}

void remove(std::vector<Interval>& list, const Interval& removed) {
  std::vector<Interval> rest;
  for (const Interval& interval : list) {
    if (interval.last < removed.first || interval.first > removed.last) {
      rest.push_back(interval);
      continue;
    }
    if (interval.first < removed.first) rest.push_back({interval.first, removed.first - 1});
    if (interval.last > removed.last) rest.push_back({removed.last + 1, interval.last});
  }
  list = std::move(rest);
}

// The interval that could hold a number: the last one that starts at or before it.
const Interval* find(const std::vector<Interval>& list, std::uint64_t number) {
  const auto after = std::partition_point(
      list.begin(), list.end(), [&](const Interval& interval) { return interval.first <= number; });
  return after == list.begin() ? nullptr : &*(after - 1);
}

void append_le(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

void append_uuid(std::string& out, std::string_view uuid) {
  int high = -1;
  for (const char c : uuid) {
    const int digit = ascii::hex_value(c);
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
      continue;
    }
    out += static_cast<char>(high * 16 + digit);
    high = -1;
  }
}

std::string_view uuid_of(std::string_view source) { return source.substr(0, source.find(':')); }

std::string_view tag_of(std::string_view source) {
  const std::size_t colon = source.find(':');
  return colon == std::string_view::npos ? std::string_view() : source.substr(colon + 1);
}

}  // namespace

Result<MysqlGtidSet> MysqlGtidSet::parse(std::string_view text) {
  MysqlGtidSet set;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view part = take_until(rest, ',');
    if (part.empty()) continue;  // the server allows empty members and a comma at the end
    const std::string_view uuid_text = take_until(part, ':');
    const std::string uuid = read_uuid(uuid_text);
    if (uuid.empty()) return malformed("not a UUID", uuid_text);
    if (part.empty()) return malformed("a UUID without numbers", uuid_text);
    std::string source = uuid;
    bool tag_waits = false;  // a tag must be followed by at least one interval
    while (!part.empty()) {
      const std::string_view item = take_until(part, ':');
      if (is_tag(item)) {
        if (tag_waits) return malformed("a tag without numbers", item);
        source = uuid + ":" + ascii::lower(item);
        tag_waits = true;
        continue;
      }
      const std::optional<Interval> interval = read_interval(item);
      if (!interval) return malformed("neither a number, a range nor a tag", item);
      insert(set.intervals_[source], *interval);
      tag_waits = false;
    }
    if (tag_waits) return malformed("a tag without numbers", source);
  }
  return set;
}

// As the server prints it: a UUID once, its intervals without a tag, then those of each tag.
std::string MysqlGtidSet::to_string() const {
  std::string text;
  std::string_view uuid;
  for (const auto& [source, list] : intervals_) {
    if (uuid_of(source) != uuid) {
      uuid = uuid_of(source);
      if (!text.empty()) text += ',';
      text += uuid;
    }
    if (!tag_of(source).empty()) text += ":" + std::string(tag_of(source));
    for (const Interval& interval : list) {
      text += ":" + std::to_string(interval.first);
      if (interval.last != interval.first) text += "-" + std::to_string(interval.last);
    }
  }
  return text;
}

void MysqlGtidSet::add(std::string_view source, std::uint64_t number) {
  auto found = intervals_.find(source);
  if (found == intervals_.end())
    found = intervals_.emplace(std::string(source), std::vector<Interval>()).first;
  insert(found->second, {number, number});
}

void MysqlGtidSet::add(const MysqlGtidSet& other) {
  if (&other == this) return;
  for (const auto& [source, list] : other.intervals_) {
    std::vector<Interval>& own = intervals_[source];
    for (const Interval& interval : list) insert(own, interval);
  }
}

void MysqlGtidSet::subtract(const MysqlGtidSet& other) {
  if (&other == this) {
    intervals_.clear();
    return;
  }
  for (const auto& [source, list] : other.intervals_) {
    const auto own = intervals_.find(source);
    if (own == intervals_.end()) continue;
    for (const Interval& interval : list) remove(own->second, interval);
    if (own->second.empty()) intervals_.erase(own);
  }
}

bool MysqlGtidSet::contains(std::string_view source, std::uint64_t number) const {
  const auto own = intervals_.find(source);
  if (own == intervals_.end()) return false;
  const Interval* interval = find(own->second, number);
  return interval != nullptr && interval->last >= number;
}

bool MysqlGtidSet::contains(const MysqlGtidSet& other) const {
  return std::all_of(other.intervals_.begin(), other.intervals_.end(), [&](const auto& entry) {
    const auto own = intervals_.find(entry.first);
    if (own == intervals_.end()) return entry.second.empty();
    return std::all_of(entry.second.begin(), entry.second.end(), [&](const Interval& part) {
      const Interval* whole = find(own->second, part.first);
      return whole != nullptr && whole->last >= part.last;
    });
  });
}

// Count, then for each source: UUID, with tags the tag's length (as a variable-length number: twice
// the length in one byte) and the tag, the count of intervals, and each as first and one past last.
// The tagged format says so in the lowest and the highest byte of the count; servers before 8.3
// know only the other, which is therefore used wherever it can be.
std::string MysqlGtidSet::encode() const {
  const bool tagged = std::any_of(intervals_.begin(), intervals_.end(),
                                  [](const auto& entry) { return !tag_of(entry.first).empty(); });
  std::string out;
  const std::uint64_t count = intervals_.size();
  append_le(out, tagged ? std::uint64_t{1} << 56 | count << 8 | 1 : count);
  for (const auto& [source, list] : intervals_) {
    append_uuid(out, uuid_of(source));
    if (tagged) {
      out += static_cast<char>(tag_of(source).size() << 1);
      out += tag_of(source);
    }
    append_le(out, list.size());
    for (const Interval& interval : list) {
      append_le(out, interval.first);
      append_le(out, interval.last + 1);
    }
  }
  return out;
}

}  // namespace wherry
