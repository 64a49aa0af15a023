// Passes a request to stop on to a source of one's own, for as long as it lives: so a call can be
// stopped by several. Any thread.
#pragma once

#include <stop_token>
#include <utility>

namespace wherry {

class StopLink {
 public:
  StopLink(const std::stop_token& from, std::stop_source to) : passed_(from, Pass{std::move(to)}) {}

 private:
  struct Pass {
    std::stop_source to;
    void operator()() { to.request_stop(); }
  };
  std::stop_callback<Pass> passed_;
};

}  // namespace wherry
