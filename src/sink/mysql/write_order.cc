#include "sink/mysql/write_order.h"

#include <algorithm>
#include <utility>

namespace wherry::sink {
namespace {

using dispatch::ResolvedTable;

constexpr std::size_t kSample = 64;  // entries that are asked whether they change an index

bool is_integer(WireType type) {
  return type == WireType::tiny || type == WireType::short_ || type == WireType::int24 ||
         type == WireType::long_ || type == WireType::longlong;
}

// Collects eight bytes, the most significant first.
class Place {
 public:
  bool full() const { return left_ == 0; }
  std::uint64_t value() const { return value_; }
  void add(const ColumnShape& shape, const decode::Cell& cell) {
    if (!is_integer(shape.type)) {
      for (std::size_t i = 0; i < cell.size; ++i)
        push(std::to_integer<std::uint64_t>(cell.data[i]));
      return;
    }
    for (std::size_t i = cell.size; i-- > 0;) {
      const auto byte = std::to_integer<std::uint64_t>(cell.data[i]);
      push(i + 1 == cell.size && !shape.is_unsigned ? byte ^ 0x80 : byte);
    }
  }

 private:
  void push(std::uint64_t byte) {
    if (left_ == 0) return;
    --left_;
    value_ |= byte << (8 * left_);
  }

  std::uint64_t value_ = 0;
  std::size_t left_ = sizeof value_;
};

std::uint64_t place_of(const ResolvedTable& table, const decode::Cell* image,
                       const std::vector<std::size_t>& columns) {
  Place place;
  for (const std::size_t column : columns) {
    const std::size_t wire = table.wire_of[column];
    if (wire == ResolvedTable::kNoWire || place.full()) break;
    if (!image[wire].null) place.add(table.map.columns[wire], image[wire]);
  }
  return place.value();
}

std::vector<std::size_t> columns_of(const Index& index) {
  std::vector<std::size_t> columns;
  for (const IndexPart& part : index.parts) columns.push_back(part.column);
  return columns;
}

bool changes(const NetRows& rows, const NetRows::Entry& entry,
             const std::vector<std::size_t>& columns) {
  if (entry.first == NetRows::Entry::kNone || entry.last == NetRows::Entry::kNone) return false;
  const decode::Cell* before = rows.image(entry.first);
  const decode::Cell* after = rows.image(entry.last);
  return std::any_of(columns.begin(), columns.end(), [&](std::size_t column) {
    const std::size_t wire = rows.table().wire_of[column];
    return wire != ResolvedTable::kNoWire && !same_cell(before[wire], after[wire]);
  });
}

std::vector<std::size_t> leading_columns(const NetRows& rows,
                                         const std::vector<std::size_t>& entries) {
  const std::size_t asked = std::min(kSample, entries.size());
  for (const Index& index : rows.table().plan->source.indexes) {
    if (index.primary || index.functional) continue;
    std::vector<std::size_t> columns = columns_of(index);
    const auto changing = std::count_if(
        entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(asked),
        [&](std::size_t entry) { return changes(rows, rows.entries()[entry], columns); });
    if (static_cast<std::size_t>(changing) * 2 > asked) return columns;
  }
  return rows.table().plan->key;
}

}  // namespace

std::vector<std::size_t> in_write_order(const NetRows& rows, std::vector<std::size_t> entries) {
  const std::vector<std::size_t> columns = leading_columns(rows, entries);
  std::vector<std::pair<std::uint64_t, std::size_t>> placed;
  placed.reserve(entries.size());
  for (const std::size_t at : entries) {
    const NetRows::Entry& entry = rows.entries()[at];
    const std::size_t image = entry.last != NetRows::Entry::kNone ? entry.last : entry.key;
    placed.emplace_back(place_of(rows.table(), rows.image(image), columns), at);
  }
  std::sort(placed.begin(), placed.end());
  std::transform(placed.begin(), placed.end(), entries.begin(),
                 [](const auto& one) { return one.second; });
  return entries;
}

}  // namespace wherry::sink
