#include "dispatch/change_ring.h"

#include <algorithm>

namespace wherry::dispatch {
namespace {

constexpr std::size_t kPartialWeight = 8;  // entries that one with its key's texts counts for

}  // namespace

std::uint32_t ChangeRing::intern(std::vector<std::string>& pool, const std::string& text) {
  for (std::size_t i = pool.size(); i-- > 0;) {
    if (pool[i] == text) return static_cast<std::uint32_t>(i);
  }
  pool.push_back(text);
  return static_cast<std::uint32_t>(pool.size() - 1);
}

void ChangeRing::begin(const FilePosition& end, const std::string& gtid_source,
                       std::uint64_t gtid_number, bool late) {
  Mark mark;
  mark.number = next_mark_++;
  mark.file = intern(files_, end.file);
  mark.offset = end.offset;
  mark.source = intern(sources_, gtid_source);
  mark.gtid = gtid_number;
  mark.late = late;
  marks_.push_back(mark);
  trim();
}

void ChangeRing::add(std::uint32_t table, const Hash128& identity) {
  by_table_[table].push_back({marks_.back().number, identity});
  ++entries_;
  trim();
}

void ChangeRing::add_partial(std::uint32_t table, const Hash128& identity, RowKey key) {
  partial_[table].push_back({marks_.back(), identity, std::move(key)});
  entries_ += kPartialWeight;
  trim();
}

void ChangeRing::barrier(std::uint32_t table) { barriers_[table] = marks_.back(); }

// Drops the oldest eighth at once, so that the walk over the tables is rare.
void ChangeRing::trim() {
  if (entries_ * sizeof(Entry) + marks_.size() * sizeof(Mark) <= bytes_max_ || marks_.size() < 2)
    return;
  const std::size_t drop = std::max<std::size_t>(1, marks_.size() / 8);
  std::unordered_set<std::uint64_t> unnamed;
  for (std::size_t i = 0; i < drop; ++i) {
    const Mark& oldest = marks_.front();
    trimmed_through_ = {files_[oldest.file], oldest.offset};
    if (oldest.gtid != 0) {
      trimmed_gtids_.add(sources_[oldest.source], oldest.gtid);
    } else {
      unnamed.insert(oldest.number);
    }
    marks_.pop_front();
  }
  const std::uint64_t first = marks_.front().number;
  for (auto& [table, entries] : by_table_) {
    while (!entries.empty() && entries.front().mark < first) {
      if (unnamed.contains(entries.front().mark)) trimmed_unnamed_.insert(table);
      entries.pop_front();
      --entries_;
    }
  }
  for (auto& [table, partials] : partial_) {
    while (!partials.empty() && partials.front().mark.number < first) {
      partials.pop_front();
      entries_ -= kPartialWeight;
    }
  }
}

Result<ChangeRing::PartialKeys> ChangeRing::partial_since(const SnapshotPoint& point,
                                                          std::uint32_t table) const {
  PartialKeys keys;
  const auto found = partial_.find(table);
  if (found == partial_.end()) return keys;
  Result<MysqlGtidSet> low = MysqlGtidSet::parse(point.low);
  if (!low.ok()) return low.error();
  for (const Partial& partial : found->second) {
    if (may_be_after(partial.mark, point, low.value())) keys[partial.identity] = partial.key;
  }
  return keys;
}

bool ChangeRing::is_after(const Mark& mark, const SnapshotPoint& point,
                          const MysqlGtidSet& low) const {
  if (point.exact) return compare({files_[mark.file], mark.offset}, point.high) > 0;
  return mark.gtid == 0 || !low.contains(sources_[mark.source], mark.gtid);
}

Result<IdentitySet> ChangeRing::changed_since(const SnapshotPoint& point,
                                              std::uint32_t table) const {
  const Error too_old{Errc::lost,
                      "the snapshot is older than the changes that are still remembered", 0};
  MysqlGtidSet low;
  if (point.exact) {
    if (!trimmed_through_.empty() && compare(trimmed_through_, point.high) > 0) return too_old;
  } else {
    Result<MysqlGtidSet> parsed = MysqlGtidSet::parse(point.low);
    if (!parsed.ok()) return parsed.error();
    low = std::move(parsed).value();
    // No set says of a group without GTID whether the snapshot shows it.
    if (!low.contains(trimmed_gtids_) || trimmed_unnamed_.contains(table)) return too_old;
  }
  const auto barrier = barriers_.find(table);
  if (barrier != barriers_.end() && is_after(barrier->second, point, low)) {
    return Error{Errc::lost, "changes that keys do not tell came after the snapshot", 0};
  }
  IdentitySet changed;
  const auto found = by_table_.find(table);
  if (found == by_table_.end()) return changed;
  // Entries of one mark follow each other: the question is asked once a mark.
  auto mark = marks_.begin();
  std::uint64_t asked = 0;
  bool after = false;
  for (const Entry& entry : found->second) {
    if (entry.mark != asked) {
      mark =
          std::lower_bound(mark, marks_.end(), entry.mark,
                           [](const Mark& m, std::uint64_t number) { return m.number < number; });
      asked = entry.mark;
      after = may_be_after(*mark, point, low);
    }
    if (after) changed.insert(entry.identity);
  }
  return changed;
}

Result<bool> ChangeRing::touched_since(const SnapshotPoint& point, std::uint32_t table) const {
  Result<IdentitySet> changed = changed_since(point, table);
  if (!changed.ok()) return changed.error();
  return !changed.value().empty();
}

void ChangeRing::forget(std::uint32_t table) {
  barriers_.erase(table);
  trimmed_unnamed_.erase(table);
  if (const auto partials = partial_.find(table); partials != partial_.end()) {
    entries_ -= kPartialWeight * partials->second.size();
    partial_.erase(partials);
  }
  const auto found = by_table_.find(table);
  if (found == by_table_.end()) return;
  entries_ -= found->second.size();
  by_table_.erase(found);
}

void ChangeRing::clear() {
  marks_.clear();
  by_table_.clear();
  partial_.clear();
  entries_ = 0;
  barriers_.clear();
  trimmed_through_ = {};
  trimmed_gtids_ = {};
  trimmed_unnamed_.clear();
}

}  // namespace wherry::dispatch
