// An HTTP server on loopback or a control socket alone: it has no password. Owns its listening
// thread and a bounded pool that answers. What a job answers is given as routes, whose calls come
// from any of its threads and must outlive it; the destructor ends all streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/control_socket.h"
#include "control/json.h"
#include "support/result.h"

namespace wherry::control {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;  // 0: any that is free
};

// "127.0.0.1:8400", "localhost:0", "[::1]:8400". Refuses addresses that others could reach.
Result<ListenAddress> parse_listen_address(std::string_view text);

struct HttpRequest {
  std::vector<std::string> parts;  // what the groups of the route's path matched
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string type = "application/json";
};

HttpAnswer json_answer(int status, const Json& body);
// {"error": {"code", "message", "hint"}} with the status that the code stands for.
int http_status(Errc code);
Json error_json(std::string_view code, std::string_view message, std::string_view hint);
HttpAnswer refusal(const Error& error, std::string_view hint);
HttpAnswer not_found(std::string_view message, std::string_view hint);

enum class HttpMethod { get, post, patch, erase };

struct HttpRoute {
  HttpMethod method;
  std::string path;  // an expression that matches all of it
  std::function<HttpAnswer(const HttpRequest&)> answer;
};

// Server-sent events for one listener: next() is asked at once and then at the interval, and gives
// text to send, or nothing.
struct HttpStream {
  std::chrono::milliseconds interval{1000};
  std::function<std::string()> next;
};

struct HttpRoutes {
  std::vector<HttpRoute> routes;
  std::function<HttpStream()> open_stream;  // for GET /api/v1/events
  std::size_t body_max = 64 * 1024;
  // For GET /metrics and GET /api/v1/openapi.json; /healthz is there always.
  std::function<std::string()> metrics;
  std::function<std::string()> description;
};

class HttpServer {
 public:
  // Listens when it returns.
  static Result<std::unique_ptr<HttpServer>> start(const ListenAddress& address, HttpRoutes routes);
  static Result<std::unique_ptr<HttpServer>> start(ControlSocket socket, HttpRoutes routes);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "http://127.0.0.1:8400", or the path of the socket.
  const std::string& place() const { return place_; }

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  std::string place_;
};

}  // namespace wherry::control
