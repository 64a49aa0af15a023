#include "verify/listing.h"

#include <algorithm>
#include <utility>

#include "verify/row_text.h"

namespace wherry::verify {
namespace {

// A row without a key may have many copies; more than these of one row tell nothing new.
constexpr std::size_t kCopiesMax = 1000;

using Kept = KeptRows::Kept;
using Ordered = std::vector<std::pair<std::uint64_t, RowDifference>>;

std::vector<ColumnDifference> columns_of(const ComparePlan& plan, const Kept& source,
                                         const Kept& target) {
  std::vector<ColumnDifference> out;
  for (std::size_t i = 0; i < plan.fields.size(); ++i) {
    if (source.hashes[i] == target.hashes[i]) continue;
    out.push_back({plan.fields[i].column, source.values[i], target.values[i]});
  }
  return out;
}

void add_lonely(Ordered& out, const std::vector<Kept>& rows, std::size_t from,
                RowDifference::Kind kind) {
  for (std::size_t i = from; i < rows.size(); ++i) {
    out.push_back({rows[i].ordinal, RowDifference{kind, rows[i].key, {}}});
  }
}

void append_sorted(std::vector<RowDifference>& out, Ordered& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [ordinal, row] : rows) out.push_back(std::move(row));
}

}  // namespace

KeptRows::KeptRows(const ComparePlan& plan, const std::vector<LeftOver>& left, std::size_t keys_max)
    : plan_(plan), wanted_(std::span(left).first(std::min(left.size(), keys_max))) {}

void KeptRows::clear() {
  rows_.clear();
  seen_ = 0;
}

void KeptRows::see(const RowId& id, std::span<const mysql::FieldView> row) {
  ++seen_;
  if (!contains(wanted_, id.key)) return;
  std::vector<Kept>& copies = rows_[id.key];
  if (copies.size() >= kCopiesMax) return;
  Kept& kept = copies.emplace_back();
  kept.ordinal = seen_;
  kept.row = id.row;
  kept.key = key_text(plan_, row);
  if (plan_.key.empty()) return;
  for (std::size_t i = 0; i < plan_.fields.size(); ++i) {
    kept.values.push_back(value_text(plan_.fields[i], row[i]));
    // The seed keeps NULL apart from the empty text.
    kept.hashes.push_back(row[i].data == nullptr ? hash64({}, 1) : hash64(row[i].text()));
  }
}

std::vector<RowDifference> describe(const ComparePlan& plan, const KeptRows& source,
                                    const KeptRows& target) {
  Ordered of_source;
  Ordered of_target;
  static const std::vector<Kept> kNone;
  for (const auto& [key, rows] : source.rows_) {
    const auto found = target.rows_.find(key);
    const std::vector<Kept>& others = found == target.rows_.end() ? kNone : found->second;
    const std::size_t both = std::min(rows.size(), others.size());
    for (std::size_t i = 0; i < both; ++i) {
      if (rows[i].row == others[i].row) continue;
      of_source.push_back({rows[i].ordinal, RowDifference{RowDifference::Kind::differs, rows[i].key,
                                                          columns_of(plan, rows[i], others[i])}});
    }
    add_lonely(of_source, rows, both, RowDifference::Kind::missing_on_target);
  }
  for (const auto& [key, rows] : target.rows_) {
    const auto found = source.rows_.find(key);
    const std::size_t both =
        found == source.rows_.end() ? 0 : std::min(rows.size(), found->second.size());
    add_lonely(of_target, rows, both, RowDifference::Kind::only_on_target);
  }
  std::vector<RowDifference> out;
  append_sorted(out, of_source);
  append_sorted(out, of_target);
  return out;
}

}  // namespace wherry::verify
