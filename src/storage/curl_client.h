// HTTP over libcurl. Connections are kept and used again; a call that is told to stop ends at once.
// Any thread; destroyed when no call runs.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "storage/http.h"
#include "support/guarded.h"

namespace wherry::storage {

struct CurlOptions {
  std::string tls_ca;  // a file; empty: the authorities of the system
  std::chrono::milliseconds connect_timeout{10'000};
  // A call in which no byte moves for so long is given up.
  std::chrono::milliseconds stall_timeout{30'000};
};

class CurlClient : public HttpClient {
 public:
  explicit CurlClient(CurlOptions options);
  ~CurlClient() override;

  Result<HttpAnswer> send(const HttpRequest& request, const Limits& limits) override;

 private:
  class Session;

  std::unique_ptr<Session> take();
  void give_back(std::unique_ptr<Session> session);

  const CurlOptions options_;
  Guarded<std::vector<std::unique_ptr<Session>>> idle_;
};

}  // namespace wherry::storage
