#include "control/http_client.h"

#include <fmt/format.h>
#include <httplib.h>

#include "model/uri.h"

namespace wherry::control {

Result<HttpReply> http_call(const HttpCall& call) {
  const std::size_t scheme = call.url.find("://");
  if (scheme == std::string::npos)
    return Error{Errc::usage, "an address is http://host:port, for example http://127.0.0.1:8400",
                 0};
  const std::size_t slash = call.url.find('/', scheme + 3);
  const std::string host = call.url.substr(0, slash);
  httplib::Client client(host);
  if (!client.is_valid())
    return Error{Errc::usage, fmt::format("'{}' is no address of a server", redacted(host)), 0};
  client.set_connection_timeout(call.timeout.count());
  client.set_read_timeout(call.timeout.count());
  client.set_write_timeout(call.timeout.count());
  httplib::Request request;
  request.method = call.method;
  request.path = slash == std::string::npos ? "/" : call.url.substr(slash);
  if (!call.body.empty()) {
    request.set_header("Content-Type", "application/json");
    request.body = call.body;
  }
  const httplib::Result answer = client.send(request);
  if (!answer) {
    return Error{
        Errc::network,
        fmt::format("{} does not answer: {}", redacted(host), httplib::to_string(answer.error())),
        0};
  }
  return HttpReply{answer->status, answer->body};
}

}  // namespace wherry::control
