// Which errors of the target are tried again, how soon and for how long. Values; the lane's thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sink/mysql/target_session.h"

namespace wherry::sink {

struct Retry {
  bool again = false;
  bool tell = false;  // worth a line in the log this time
  std::chrono::milliseconds pause{0};
  std::string waits_for;  // what an operator has to end: "disk space at the target"
};

// Counts the attempts at one piece of work.
class RetryClock {
 public:
  explicit RetryClock(std::chrono::seconds give_up_after) : give_up_after_(give_up_after) {}
  Retry next(const Error& error);

 private:
  const std::chrono::seconds give_up_after_;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  unsigned attempts_ = 0;
};

// Sleeps in steps; false when stop() became true.
bool retry_pause(std::chrono::milliseconds pause, const std::function<bool()>& stop);

// What or whom the target keeps us waiting for, in words. For a lock it asks the server who has the
// oldest transaction there.
std::string describe_wait(const TargetOptions& options, const Retry& retry, const Error& error);

}  // namespace wherry::sink
