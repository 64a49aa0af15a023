// Which events of a log a walk has to look at: all but table maps and rows of tables that it does
// not follow, or that go elsewhere. It tells without a copy of the event, so that what belongs to
// others costs a walk next to nothing. One thread; the rules must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "feed/table_rules.h"
#include "store/entry.h"

namespace wherry::feed {

// The names in the body of a table map, which they borrow; empty: it has none that can be read.
struct MapNamesView {
  std::string_view database;
  std::string_view table;
  std::string_view both;  // with what stands between them
};
MapNamesView names_of(Bytes table_map);

class EventFilter {
 public:
  // only: tables that go elsewhere are left out.
  EventFilter(const TableRules& rules, std::optional<TableName> only)
      : rules_(rules), only_(std::move(only)) {}

  // Events come in their order: rows belong to the newest table map of their number. What cannot be
  // told is wanted.
  bool wants(const store::Event& event);

 private:
  struct Known {
    std::string names;  // as the table map has them
    bool wanted = true;
  };

  bool wants(std::uint64_t table_id, const MapNamesView& names);

  const TableRules& rules_;
  const std::optional<TableName> only_;
  std::unordered_map<std::uint64_t, Known> by_id_;
  std::uint64_t last_id_ = 0;  // of the newest table map, to which most rows belong
  bool last_wanted_ = true;
};

}  // namespace wherry::feed
