// Errors as values. A Result holds either a value or an Error, never neither; every room returns it
// for what may be expected to fail (network, bad bytes, conflicts, refusals). Values, no threads.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace wherry {

// What kind of failure it is: decides retries and the exit code, never the text.
enum class Errc {
  usage,        // an option, a URI or a configuration key is wrong
  refused,      // a preflight rule forbids the run; nothing was written
  truncated,    // bytes end too early
  malformed,    // bytes contradict their own format
  unsupported,  // valid, but not something we can follow; stopping is the safe answer
  network,      // a connection could not be made or was lost; the outcome may be unknown
  timeout,      // a call did not end in its time
  server,       // the server answered with an error; see server_code
  conflict,     // data is not what it must be (row missing, affected counts differ, fencing lost)
  lost,         // something needed is gone for good (purged binlog, dropped table)
  io,           // local files
  interrupted,  // somebody asked to stop
  differs       // verification found differences
};

std::string_view to_string(Errc code);

struct Error {
  Errc code = Errc::server;
  std::string what;
  unsigned server_code = 0;  // the server's error number where code is server or network, else 0

  // Names the step that failed, outermost first.
  Error within(std::string_view step) const {
    return {code, std::string(step) + ": " + what, server_code};
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Unit {};
using Status = Result<Unit>;

}  // namespace wherry
