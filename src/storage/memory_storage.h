// Objects in this process, for as long as it lives. Any thread.
#pragma once

#include <map>

#include "storage/storage.h"
#include "support/guarded.h"

namespace wherry::storage {

class MemoryStorage : public Storage {
 public:
  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  std::string describe() const override { return "memory"; }

 private:
  using Object = std::shared_ptr<const std::vector<std::byte>>;

  Guarded<std::map<std::string, Object>> objects_;
};

}  // namespace wherry::storage
