// A storage with the latency, the bandwidth and the faults of a bad one, in front of a storage
// without: for tests, benchmarks and rehearsals. What happens to a call depends on the seed and on
// the call alone, not on the order of threads. Any thread; the clock outlives it.
#pragma once

#include <chrono>
#include <memory>

#include "storage/counts.h"
#include "storage/faults.h"
#include "support/clock.h"

namespace wherry::storage {

class EmulatedStorage : public Storage {
 public:
  // behind: shared, so that a test can look past the faults.
  EmulatedStorage(std::shared_ptr<Storage> behind, const FaultOptions& options, Clock& clock);

  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  Status sweep(const std::string& prefix, const Limits& limits) override {
    return behind_->sweep(prefix, limits);
  }
  bool is_remote() const override { return true; }
  std::string describe() const override { return "emulated in front of " + behind_->describe(); }

  // From now on, also for the calls that wait already.
  enum class Outage {
    none,
    failing,  // calls end with Errc::network at once
    hanging   // calls go on when it is over, from their beginning
  };
  void set_outage(Outage outage);

  // What came here, so what a client claims can be compared.
  Counts counts() const { return meter_.counts(); }

 private:
  struct Line {
    Outage outage = Outage::none;
    std::stop_source changed;    // asked when `outage` changes
    Clock::Time link_free_at{};  // when all bytes of the calls so far are through the link
  };

  Status travel(Clock::Time begin, double latency_factor, std::uint64_t bytes,
                const Limits& limits);
  Clock::Time arrival(double latency_factor, std::uint64_t bytes);
  Result<bool> write(const std::string& name, Parts parts, const Limits& limits, bool only_new);
  Status note_change(const std::string& name, const Limits& limits);
  Result<bool> place(const std::string& name, Parts parts, const Limits& limits, bool only_new);

  const std::shared_ptr<Storage> behind_;
  const FaultOptions options_;
  Clock& clock_;
  CallMeter meter_;
  Dice dice_;
  StaleView stale_;
  Guarded<Line> line_;
};

}  // namespace wherry::storage
