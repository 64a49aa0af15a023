// One request to an HTTP server and its answer, so that what is asked and how it travels can be
// tested apart. Any thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace wherry::storage {

struct HttpRequest {
  std::string method;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  Parts body;                           // borrowed until the answer is there
  std::uint64_t answer_max = 64 << 20;  // bytes of its body
};

struct HttpAnswer {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::vector<std::byte> body;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // Any answer is a success, whatever its status. network: none came, or not the whole of it;
  // timeout: within the limit, or nothing moved for too long; malformed: it is too long;
  // interrupted; refused: the server is not who it must be (TLS).
  virtual Result<HttpAnswer> send(const HttpRequest& request, const Limits& limits) = 0;
};

}  // namespace wherry::storage
