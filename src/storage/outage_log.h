// What is said while a storage fails: once a minute how long it lasts, and that it is over if its
// beginning was told. All callers of one kind of call share it, so that neither a long outage nor
// one call in ten that fails fills the log. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/clock.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::storage {

class OutageLog {
 public:
  // what: "put into file:///redo". The line to log, if one is due.
  std::optional<std::string> failed(std::string_view what, const Error& error, Clock::Time now);
  std::optional<std::string> succeeded(std::string_view what, Clock::Time now);
  // Since when calls fail.
  std::optional<Clock::Time> since() const;

 private:
  struct State {
    std::optional<Clock::Time> since;
    std::optional<Clock::Time> told;  // at last, in this outage or an earlier one
    bool announced = false;           // this outage
    std::uint64_t tries = 0;
  };
  Guarded<State> state_;
};

}  // namespace wherry::storage
