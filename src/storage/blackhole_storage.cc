#include "storage/blackhole_storage.h"

#include "storage/object_name.h"
#include "storage/waiting.h"

namespace wherry::storage {

Status BlackholeStorage::travel(const Limits& limits) {
  const Clock::Time begin = clock_.now();
  return wait_until(clock_, begin, begin + latency_, limits);
}

Status BlackholeStorage::put(const std::string& name, Parts, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named;
  return travel(limits);
}

Result<bool> BlackholeStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  const Status done = put(name, parts, limits);
  if (!done.ok()) return done.error();
  return true;
}

Result<std::vector<std::byte>> BlackholeStorage::get(const std::string& name, std::uint64_t,
                                                     std::uint64_t, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named.error();
  if (Status done = travel(limits); !done.ok()) return done.error();
  return Error{Errc::lost, "there is no " + name + " in blackhole://"};
}

Result<std::vector<Entry>> BlackholeStorage::list(const std::string& prefix, const std::string&,
                                                  std::size_t, const Limits& limits) {
  if (Status named = check_prefix(prefix); !named.ok()) return named.error();
  if (Status done = travel(limits); !done.ok()) return done.error();
  return std::vector<Entry>{};
}

Status BlackholeStorage::remove(std::span<const std::string> names, const Limits& limits) {
  if (Status named = check_names(names); !named.ok()) return named;
  return travel(limits);
}

}  // namespace wherry::storage
