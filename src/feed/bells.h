// Wakes the readers of a log that follow some tables only, when rows of these or a statement came
// into it: with many feeds of one source, not all of them wake for each transaction. A reader that
// was not woken looks by itself from time to time. One thread rings; each bell is one thread's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/batch.h"
#include "support/guarded.h"

namespace wherry::feed {

// Whether a reader wants to be woken for rows of the table. The thread that rings asks.
using WantsTable = std::function<bool(std::string_view database, std::string_view table)>;

class Bell {
 public:
  explicit Bell(WantsTable wants) : wants_(std::move(wants)) {}

  // Sleeps until it was rung since the last call, or the time passed: false.
  bool wait(std::chrono::milliseconds time) {
    (void)rung_.wait_for(time, [](bool rung) { return rung; });
    return rung_.with([](bool& rung) { return std::exchange(rung, false); });
  }
  void ring() {
    rung_.with([](bool& rung) { rung = true; });
  }

 private:
  friend class Bells;

  Guarded<bool> rung_{false};
  // Of the thread that rings.
  const WantsTable wants_;
  std::unordered_map<std::uint64_t, bool> known_;  // by a hash of the table's names
};

class Bells {
 public:
  // It rings as long as somebody holds it. Any thread.
  std::shared_ptr<Bell> hang(WantsTable wants);
  // This is in the log now.
  void ring(const decode::Batch& batch);

 private:
  Guarded<std::vector<std::weak_ptr<Bell>>> bells_;
};

}  // namespace wherry::feed
