// One request to an HTTP server and its answer. Any thread; waits for the answer, with a limit.
#pragma once

#include <chrono>
#include <string>

#include "support/result.h"

namespace wherry::control {

struct HttpCall {
  std::string method;  // "GET", "POST", "PATCH", "DELETE"
  std::string url;     // "http://127.0.0.1:8400/api/v1/feeds"
  std::string body;    // JSON; empty: none
  std::chrono::seconds timeout{30};
};

struct HttpReply {
  int status = 0;
  std::string body;
};

// Errc::usage: it is no URL. Errc::network: no answer came; the message names the host alone.
Result<HttpReply> http_call(const HttpCall& call);

}  // namespace wherry::control
