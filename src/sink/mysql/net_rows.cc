#include "sink/mysql/net_rows.h"

#include <algorithm>
#include <cstring>

namespace wherry::sink {

bool same_cell(const decode::Cell& left, const decode::Cell& right) {
  if (left.null != right.null || left.size != right.size) return false;
  return left.null || left.size == 0 || std::memcmp(left.data, right.data, left.size) == 0;
}

NetRows::Entry& NetRows::at(const Hash128& key) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = key.low & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (entries_[slots_[slot] - 1].identity == key) return entries_[slots_[slot] - 1];
  }
  entries_.push_back({Entry::kNone, Entry::kNone, Entry::kNone, key});
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back();
}

void NetRows::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].identity.low & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

std::size_t NetRows::keep(const std::vector<decode::Cell>& image) {
  const std::size_t start = cells_.size();
  cells_.insert(cells_.end(), image.begin(), image.end());
  return start;
}

Status NetRows::add(decode::RowKind kind, const decode::RowView& row) {
  if (kind != decode::RowKind::insert) {
    Result<Hash128> key = keys_.identity(*table_, row.before);
    if (!key.ok()) return key.error();
    Entry& entry = at(key.value());
    if (entry.key == Entry::kNone) entry.first = entry.key = keep(row.before);
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
    if (!same_cell(before[i], after[i])) return false;
  }
  return true;
}

}  // namespace wherry::sink
