#include "storage/memory_storage.h"

#include <algorithm>

#include "storage/object_name.h"
#include "storage/waiting.h"

namespace wherry::storage {
namespace {

std::shared_ptr<const std::vector<std::byte>> joined(Parts parts) {
  auto whole = std::make_shared<std::vector<std::byte>>();
  whole->reserve(total_bytes(parts));
  for (const Bytes part : parts) whole->insert(whole->end(), part.begin(), part.end());
  return whole;
}

Status may_begin(Status named, const Limits& limits) {
  if (!named.ok()) return named;
  return limits.stop.stop_requested() ? Status(interrupted()) : Status(Unit{});
}

}  // namespace

Status MemoryStorage::put(const std::string& name, Parts parts, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may;
  Object fresh = joined(parts);
  // The older object is freed behind the lock.
  objects_.with([&](auto& objects) { std::swap(objects[name], fresh); });
  return Unit{};
}

Result<bool> MemoryStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may.error();
  Object fresh = joined(parts);
  return objects_.with(
      [&](auto& objects) { return objects.try_emplace(name, std::move(fresh)).second; });
}

Result<std::vector<std::byte>> MemoryStorage::get(const std::string& name, std::uint64_t offset,
                                                  std::uint64_t bytes, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may.error();
  const Object object = objects_.read([&](const auto& objects) {
    const auto found = objects.find(name);
    return found == objects.end() ? Object() : found->second;
  });
  if (object == nullptr) return Error{Errc::lost, "there is no " + name + " in memory"};
  const Bytes whole(*object);
  const Bytes rest = whole.subspan(std::min<std::uint64_t>(offset, whole.size()));
  const Bytes wanted = rest.first(std::min<std::uint64_t>(bytes, rest.size()));
  return std::vector<std::byte>(wanted.begin(), wanted.end());
}

Result<std::vector<Entry>> MemoryStorage::list(const std::string& prefix, const std::string& after,
                                               std::size_t count, const Limits& limits) {
  if (Status may = may_begin(check_prefix(prefix), limits); !may.ok()) return may.error();
  return objects_.read([&](const auto& objects) {
    std::vector<Entry> found;
    auto at = after < prefix ? objects.lower_bound(prefix) : objects.upper_bound(after);
    for (; at != objects.end() && at->first.starts_with(prefix) && found.size() < count; ++at)
      found.push_back({at->first, at->second->size()});
    return found;
  });
}

Status MemoryStorage::remove(std::span<const std::string> names, const Limits& limits) {
  if (Status may = may_begin(check_names(names), limits); !may.ok()) return may;
  objects_.with([&](auto& objects) {
    for (const std::string& name : names) objects.erase(name);
  });
  return Unit{};
}

}  // namespace wherry::storage
