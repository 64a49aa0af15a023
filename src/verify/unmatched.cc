#include "verify/unmatched.h"

#include <algorithm>
#include <tuple>

namespace wherry::verify {
namespace {

auto rank(const Hash128& hash) { return std::tuple(hash.high, hash.low); }
auto rank(const RowId& id) { return std::tuple_cat(rank(id.key), rank(id.row)); }

bool before(const RowId& a, const RowId& b) { return rank(a) < rank(b); }

LeftOver& left_over(std::vector<LeftOver>& out, const Hash128& key) {
  if (out.empty() || out.back().key != key) out.push_back({key});
  return out.back();
}

void leave(LeftOver& into, const RowId& row, std::uint64_t copies, bool at_source) {
  (at_source ? into.source : into.target) += copies;
  const std::uint64_t weight = at_source ? copies : copies << 32;
  into.rows.high += row.row.high * weight;
  into.rows.low += row.row.low * weight;
}

}  // namespace

void RowIds::add(const RowId& id) {
  ids_.push_back(id);
  if (ids_.size() < compact_at_) return;
  compact();
  compact_at_ = std::max<std::size_t>(compact_at_, 2 * ids_.size());
}

const std::vector<RowId>& RowIds::compact() {
  std::sort(ids_.begin(), ids_.end(), before);
  std::size_t kept = 0;
  for (const RowId& id : ids_) {
    if (kept > 0 && rank(ids_[kept - 1]) == rank(id)) {
      ids_[kept - 1].copies += id.copies;
    } else {
      ids_[kept++] = id;
    }
  }
  ids_.resize(kept);
  return ids_;
}

std::vector<LeftOver> match(RowIds& source, RowIds& target) {
  const std::vector<RowId>& lefts = source.compact();
  const std::vector<RowId>& rights = target.compact();
  std::vector<LeftOver> out;
  auto left = lefts.begin();
  auto right = rights.begin();
  while (left != lefts.end() || right != rights.end()) {
    if (right == rights.end() || (left != lefts.end() && before(*left, *right))) {
      leave(left_over(out, left->key), *left, left->copies, true);
      ++left;
    } else if (left == lefts.end() || before(*right, *left)) {
      leave(left_over(out, right->key), *right, right->copies, false);
      ++right;
    } else {
      if (left->copies > right->copies)
        leave(left_over(out, left->key), *left, left->copies - right->copies, true);
      if (right->copies > left->copies)
        leave(left_over(out, left->key), *left, right->copies - left->copies, false);
      ++left;
      ++right;
    }
  }
  return out;
}

std::vector<LeftOver> still_left(std::span<const LeftOver> before, std::vector<LeftOver> now) {
  auto old = before.begin();
  std::erase_if(now, [&](LeftOver& row) {
    while (old != before.end() && rank(old->key) < rank(row.key)) ++old;
    if (old == before.end() || old->key != row.key) return true;
    row.looks = old->rows == row.rows ? old->looks + 1 : 0;
    return false;
  });
  return now;
}

std::uint64_t differences(const std::vector<LeftOver>& rows) {
  std::uint64_t sum = 0;
  for (const LeftOver& row : rows) sum += row.differences();
  return sum;
}

bool contains(std::span<const LeftOver> rows, const Hash128& key) {
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), key,
      [](const LeftOver& row, const Hash128& wanted) { return rank(row.key) < rank(wanted); });
  return found != rows.end() && found->key == key;
}

}  // namespace wherry::verify
