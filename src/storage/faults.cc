#include "storage/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "support/hash.h"

namespace wherry::storage {
namespace {

// From above 0 to 1, by a digest.
double unit(std::uint64_t hash) { return (static_cast<double>(hash >> 11) + 1) * 0x1p-53; }

}  // namespace

Throw Dice::cast(std::string_view kind, std::string_view what, std::uint64_t number) const {
  const std::string call = fmt::format("{} {} {}", kind, number, what);
  const auto draw = [&](std::uint64_t which) {
    return unit(hash64(call, options_.seed * 8 + which));
  };
  Throw thrown;
  if (options_.sigma > 0) {
    const double normal =
        std::sqrt(-2 * std::log(draw(0))) * std::cos(2 * std::numbers::pi * draw(1));
    thrown.latency_factor = std::exp(options_.sigma * normal);
  }
  thrown.share = draw(2);
  const double luck = draw(3);
  if (luck <= options_.errors) {
    thrown.fate = draw(4) <= 0.5 ? Fate::fails : Fate::fails_behind;
  } else if (luck <= options_.errors + options_.torn) {
    thrown.fate = Fate::is_torn;
  } else if (luck <= options_.errors + options_.torn + options_.lost) {
    thrown.fate = Fate::is_lost;
  }
  return thrown;
}

Throw Dice::write(const std::string& name) {
  return thrown_.with([&](Thrown& thrown) {
    const std::uint64_t number = thrown.failed_writes[name]++;
    const Throw next = cast("write", name, number);
    if (next.fate == Fate::passes || next.fate == Fate::is_lost) thrown.failed_writes.erase(name);
    return next;
  });
}

Throw Dice::read(std::string_view kind) {
  const std::uint64_t number =
      thrown_.with([&](Thrown& thrown) { return thrown.calls[std::string(kind)]++; });
  Throw next = cast(kind, "", number);
  if (next.fate == Fate::is_torn || next.fate == Fate::is_lost) next.fate = Fate::passes;
  return next;
}

void StaleView::forget(Changes& changes) const {
  const Clock::Time seen = clock_.now() - behind_;
  std::erase_if(changes, [&](const auto& change) { return change.second.at <= seen; });
}

void StaleView::changed(const std::string& name, const Entry* before) {
  changes_.with([&](Changes& changes) {
    forget(changes);
    // What was listed before the first of several changes stays listed.
    const auto [at, fresh] = changes.try_emplace(name);
    at->second.at = clock_.now();
    if (!fresh) return;
    at->second.was_there = before != nullptr;
    if (before != nullptr) at->second.before = *before;
  });
}

std::size_t StaleView::differences() {
  return changes_.with([&](Changes& changes) {
    forget(changes);
    return changes.size();
  });
}

void StaleView::turn_back(std::vector<Entry>& page, const std::string& prefix,
                          const std::string& after, bool whole) {
  const std::string last = page.empty() ? std::string() : page.back().name;
  const Changes changes = changes_.read([](const Changes& now) { return now; });
  std::erase_if(page, [&](const Entry& entry) { return changes.contains(entry.name); });
  for (const auto& [name, change] : changes) {
    const bool asked = name > after && name.starts_with(prefix) && (whole || name <= last);
    if (change.was_there && asked) page.push_back(change.before);
  }
  std::sort(page.begin(), page.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
}

}  // namespace wherry::storage
