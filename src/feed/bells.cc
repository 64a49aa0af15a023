#include "feed/bells.h"

#include <algorithm>

#include "feed/event_filter.h"
#include "support/hash.h"

namespace wherry::feed {
namespace {

constexpr std::size_t kKnownMax = 1 << 17;  // tables of one bell

struct Named {
  MapNamesView names;
  std::uint64_t hash = 0;
};

// The tables that the batch has rows of, each once.
std::vector<Named> tables_of(const decode::Batch& batch) {
  std::vector<Named> tables;
  for (const decode::EventRef& event : batch.events) {
    if (event.type != decode::EventType::table_map) continue;
    const MapNamesView names = names_of(batch.body(event));
    if (!tables.empty() && tables.back().names.both == names.both) continue;
    tables.push_back({names, hash64(names.both)});
  }
  const auto before = [](const Named& a, const Named& b) { return a.hash < b.hash; };
  const auto same = [](const Named& a, const Named& b) { return a.hash == b.hash; };
  std::sort(tables.begin(), tables.end(), before);
  tables.erase(std::unique(tables.begin(), tables.end(), same), tables.end());
  return tables;
}

}  // namespace

std::shared_ptr<Bell> Bells::hang(WantsTable wants) {
  auto bell = std::make_shared<Bell>(std::move(wants));
  bells_.with([&](std::vector<std::weak_ptr<Bell>>& bells) {
    std::erase_if(bells, [](const auto& one) { return one.expired(); });
    bells.push_back(bell);
  });
  return bell;
}

void Bells::ring(const decode::Batch& batch) {
  const std::vector<std::weak_ptr<Bell>> bells =
      bells_.read([](const std::vector<std::weak_ptr<Bell>>& all) { return all; });
  if (bells.empty()) return;
  const bool all = std::any_of(batch.groups.begin(), batch.groups.end(),
                               [](const decode::Group& group) { return group.has_statement; });
  const std::vector<Named> tables = all ? std::vector<Named>() : tables_of(batch);
  for (const std::weak_ptr<Bell>& weak : bells) {
    const std::shared_ptr<Bell> bell = weak.lock();
    if (bell == nullptr) continue;
    if (bell->known_.size() > kKnownMax) bell->known_.clear();
    const bool wanted = all || std::any_of(tables.begin(), tables.end(), [&](const Named& table) {
                          const auto [known, fresh] = bell->known_.try_emplace(table.hash, false);
                          if (fresh)
                            known->second = bell->wants_(table.names.database, table.names.table);
                          return known->second;
                        });
    if (wanted) bell->ring();
  }
}

}  // namespace wherry::feed
