// What went through a storage so far. A value; CallMeter keeps one for callers of any thread.
#pragma once

#include <cstdint>

#include "storage/storage.h"
#include "support/guarded.h"

namespace wherry::storage {

struct Counts {
  // Calls that began.
  std::uint64_t puts = 0;  // creates too
  std::uint64_t gets = 0;
  std::uint64_t lists = 0;
  std::uint64_t removes = 0;
  std::uint64_t failures = 0;   // of these
  std::uint64_t bytes_put = 0;  // by those that succeeded
  std::uint64_t bytes_got = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t in_flight_peak = 0;
};

class CallMeter {
 public:
  // Adds one to a kind of calls, and makes the call.
  template <typename F>
  auto call(std::uint64_t Counts::*kind, F&& made) {
    counts_.with([&](Counts& counts) {
      ++(counts.*kind);
      if (++counts.in_flight > counts.in_flight_peak) counts.in_flight_peak = counts.in_flight;
    });
    auto result = std::forward<F>(made)();
    counts_.with([&](Counts& counts) {
      --counts.in_flight;
      if (!result.ok()) ++counts.failures;
    });
    return result;
  }
  void add(std::uint64_t Counts::*what, std::uint64_t by) {
    counts_.with([&](Counts& counts) { counts.*what += by; });
  }
  Counts counts() const {
    return counts_.read([](const Counts& counts) { return counts; });
  }

 private:
  Guarded<Counts> counts_;
};

}  // namespace wherry::storage
