// Takes everything after a wait and keeps nothing: what a pipeline can do by itself. Any thread.
#pragma once

#include <chrono>

#include "storage/storage.h"
#include "support/clock.h"

namespace wherry::storage {

class BlackholeStorage : public Storage {
 public:
  // The clock outlives it.
  BlackholeStorage(std::chrono::milliseconds latency, Clock& clock)
      : latency_(latency), clock_(clock) {}

  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  std::string describe() const override { return "blackhole://"; }

 private:
  Status travel(const Limits& limits);

  const std::chrono::milliseconds latency_;
  Clock& clock_;
};

}  // namespace wherry::storage
