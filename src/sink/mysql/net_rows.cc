#include "sink/mysql/net_rows.h"

#include <cstring>

namespace wherry::sink {

NetRows::Entry& NetRows::at(const Hash128& key) {
  const auto [found, added] = by_key_.try_emplace(key, entries_.size());
  if (added) entries_.emplace_back();
  return entries_[found->second];
}

std::size_t NetRows::keep(const std::vector<decode::Cell>& image) {
  const std::size_t start = cells_.size();
  cells_.insert(cells_.end(), image.begin(), image.end());
  for (const decode::Cell& cell : image) payload_ += cell.size;
  return start;
}

Status NetRows::add(decode::RowKind kind, const decode::RowView& row) {
  if (kind != decode::RowKind::insert) {
    Result<Hash128> key = keys_.identity(*table_, row.before);
    if (!key.ok()) return key.error();
    const bool known = by_key_.contains(key.value());
    Entry& entry = at(key.value());
    if (!known) entry.first = entry.key = keep(row.before);
    entry.last = Entry::kNone;
  }
  if (kind != decode::RowKind::erase) {
    Result<Hash128> key = keys_.identity(*table_, row.after);
    if (!key.ok()) return key.error();
    Entry& entry = at(key.value());
    entry.last = keep(row.after);
    if (entry.key == Entry::kNone) entry.key = entry.last;
  }
  return Unit{};
}

bool NetRows::unchanged(const Entry& entry) const {
  if (entry.first == Entry::kNone || entry.last == Entry::kNone) return false;
  const decode::Cell* before = image(entry.first);
  const decode::Cell* after = image(entry.last);
  for (std::size_t i = 0; i < table_->map.columns.size(); ++i) {
    if (before[i].null != after[i].null || before[i].size != after[i].size) return false;
    if (!before[i].null && std::memcmp(before[i].data, after[i].data, before[i].size) != 0)
      return false;
  }
  return true;
}

}  // namespace wherry::sink
