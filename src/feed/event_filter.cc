#include "feed/event_filter.h"

#include "decode/event.h"

namespace wherry::feed {
namespace {

using decode::EventRole;

constexpr std::size_t kTableIdSize = 6;
constexpr std::size_t kMapHead = 8;  // the number of the table and its flags

}  // namespace

MapNamesView names_of(Bytes table_map) {
  Cursor in(table_map);
  in.bytes(kMapHead);
  const std::string_view rest = as_text(table_map).substr(table_map.size() - in.size());
  MapNamesView names;
  names.database = in.text(in.uint_le(1));
  in.bytes(1);
  names.table = in.text(in.uint_le(1));
  if (in.failed()) return {};
  names.both = rest.substr(0, rest.size() - in.size());
  return names;
}

bool EventFilter::wants(const store::Event& event) {
  const EventRole role = decode::role_of(static_cast<decode::EventType>(event.type), event.flags);
  if (role != EventRole::table_map && role != EventRole::rows) return true;
  if (event.body.size() < kTableIdSize) return true;
  const std::uint64_t id = load_le(event.body.data(), kTableIdSize);
  if (role == EventRole::table_map) {
    last_id_ = id;
    last_wanted_ = wants(id, names_of(event.body));
    return last_wanted_;
  }
  if (id == last_id_) return last_wanted_;
  const auto found = by_id_.find(id);
  return found == by_id_.end() || found->second.wanted;
}

bool EventFilter::wants(std::uint64_t table_id, const MapNamesView& names) {
  Known& known = by_id_[table_id];
  if (names.both.empty()) return known.wanted = true;
  if (known.names == names.both) return known.wanted;
  known.names = names.both;
  const TableName source{std::string(names.database), std::string(names.table)};
  known.wanted = rules_.follows(source) && (!only_ || rules_.target_of(source) == *only_);
  return known.wanted;
}

}  // namespace wherry::feed
