#include "control/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "support/guarded.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr int kThreads = 12;
constexpr int kStreamsMax = 8;  // each holds a thread; the rest answer everything else

constexpr std::array kLoopbackNames = {"127.0.0.1"sv, "localhost"sv, "::1"sv};

bool is_loopback(std::string_view host) {
  return std::find(kLoopbackNames.begin(), kLoopbackNames.end(), host) != kLoopbackNames.end();
}

// "[::1]:80" and "localhost:80" without the port and the brackets.
std::string_view host_of(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  return text.substr(0, text.find(':'));
}

void give(httplib::Response& response, const HttpAnswer& answer) {
  response.status = answer.status;
  response.set_content(answer.body, answer.type);
}

HttpAnswer refused(int status, std::string_view message, std::string_view hint) {
  return json_answer(status, error_json(status == 403 ? "forbidden" : "error", message, hint));
}

// The library makes TCP sockets only, but serves any socket that listens.
class Server : public httplib::Server {
 public:
  void use_listener(int socket) { svr_sock_ = socket; }
};

}  // namespace

int http_status(Errc code) {
  switch (code) {
    case Errc::usage:
    case Errc::malformed:
      return 400;
    case Errc::conflict:
    case Errc::refused:
    case Errc::interrupted:
      return 409;
    case Errc::unsupported:
      return 501;
    case Errc::network:
    case Errc::timeout:
    case Errc::server:
    case Errc::lost:
    case Errc::truncated:
    case Errc::io:
    case Errc::differs:
      return 500;
  }
  return 500;
}

HttpAnswer json_answer(int status, const Json& body) { return {status, dump(body) + "\n"}; }

Json error_json(std::string_view code, std::string_view message, std::string_view hint) {
  return {{"error", {{"code", code}, {"message", message}, {"hint", hint}}}};
}

HttpAnswer refusal(const Error& error, std::string_view hint) {
  return json_answer(http_status(error.code), error_json(to_string(error.code), error.what, hint));
}

HttpAnswer not_found(std::string_view message, std::string_view hint) {
  return json_answer(404, error_json("not-found", message, hint));
}

struct HttpServer::Impl {
  explicit Impl(HttpRoutes given) : routes(std::move(given)) {}

  HttpRoutes routes;
  std::optional<ControlSocket> socket;  // removed after the server has ended
  Server server;
  std::thread listener;
  Guarded<bool> closing{false};
  std::atomic<int> streams{0};
  std::atomic<bool> ended{false};  // the listener's

  std::optional<std::string> read_body(const httplib::Request& request,
                                       const httplib::ContentReader& read) const;
  void add_route(const HttpRoute& route);
  void add_texts();
  void add_events();
  void add_errors();
  void add_guards();
  void add_routes();
  void listen();
  bool send_event(httplib::DataSink& sink, const HttpStream& stream, bool first);
};

// A body is read only where the request announces one: without a length the library would wait for
// the end of the connection.
std::optional<std::string> HttpServer::Impl::read_body(const httplib::Request& request,
                                                       const httplib::ContentReader& read) const {
  std::string body;
  if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding"))
    return body;
  const bool whole = read([&](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= routes.body_max;
  });
  return whole ? std::optional(body) : std::nullopt;
}

void HttpServer::Impl::add_route(const HttpRoute& route) {
  const auto parts = [](const httplib::Request& request) {
    std::vector<std::string> found;
    for (std::size_t i = 1; i < request.matches.size(); ++i)
      found.push_back(request.matches[i].str());
    return found;
  };
  if (route.method == HttpMethod::get) {
    server.Get(route.path,
               [&route, parts](const httplib::Request& request, httplib::Response& response) {
                 give(response, route.answer({parts(request), {}}));
               });
    return;
  }
  const httplib::Server::HandlerWithContentReader with_body =
      [this, &route, parts](const httplib::Request& request, httplib::Response& response,
                            const httplib::ContentReader& read) {
        std::optional<std::string> body = read_body(request, read);
        if (!body) return give(response, refused(413, "the body is too long", ""));
        give(response, route.answer({parts(request), std::move(*body)}));
      };
  if (route.method == HttpMethod::post) server.Post(route.path, with_body);
  if (route.method == HttpMethod::patch) server.Patch(route.path, with_body);
  if (route.method == HttpMethod::erase) server.Delete(route.path, with_body);
}

void HttpServer::Impl::add_texts() {
  server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", "text/plain");
  });
  server.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(routes.metrics(), "text/plain; version=0.0.4");
  });
  server.Get("/api/v1/openapi.json", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(routes.description(), "application/json");
  });
}

// The first events at once, later ones at the interval; ends when the server does or the reader has
// gone.
bool HttpServer::Impl::send_event(httplib::DataSink& sink, const HttpStream& stream, bool first) {
  const bool over = first ? closing.read([](bool value) { return value; })
                          : closing.wait_for(stream.interval, [](bool value) { return value; });
  if (over) {
    sink.done();
    return true;
  }
  const std::string events = stream.next();
  return events.empty() || sink.write(events.data(), events.size());
}

void HttpServer::Impl::add_events() {
  server.Get("/api/v1/events", [this](const httplib::Request&, httplib::Response& response) {
    if (streams.fetch_add(1) >= kStreamsMax) {
      streams.fetch_sub(1);
      return give(response, refused(503, "too many event streams",
                                    "close one, or ask GET /api/v1/status instead"));
    }
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, stream = routes.open_stream(), first = true](std::size_t,
                                                            httplib::DataSink& sink) mutable {
          return send_event(sink, stream, std::exchange(first, false));
        },
        [this](bool) { streams.fetch_sub(1); });
  });
}

// A web page that somebody here has open must not steer the job: neither by a name that it has
// pointed at 127.0.0.1 nor from its own origin.
void HttpServer::Impl::add_guards() {
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    const std::string origin = request.get_header_value("Origin");
    if (is_loopback(host_of(host)) && (origin.empty() || origin == "http://" + host)) {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    give(response, refused(403, "only this machine may ask", "use the address that was printed"));
    return httplib::Server::HandlerResponse::Handled;
  });
}

void HttpServer::Impl::add_errors() {
  server.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    if (response.status == 404) {
      give(response, not_found(fmt::format("nothing is at {} {}", request.method, request.path),
                               "GET /api/v1/openapi.json lists what there is"));
    } else {
      give(response, refused(response.status, "the request cannot be read", ""));
    }
  });
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        give(response, refused(500, "the request failed", ""));
      });
}

void HttpServer::Impl::add_routes() {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_keep_alive_timeout(2);
  server.set_payload_max_length(routes.body_max);
  add_errors();
  add_texts();
  for (const HttpRoute& route : routes.routes) add_route(route);
  add_events();
}

void HttpServer::Impl::listen() {
  listener = std::thread([this] {
    server.listen_after_bind();
    ended = true;
  });
  // stop() would do nothing before the listener has begun.
  while (!server.is_running() && !ended.load()) std::this_thread::yield();
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos)
    return Error{Errc::usage, "an address is host:port, for example 127.0.0.1:8400"};
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  ListenAddress address;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || stop != port.data() + port.size()) {
    return Error{Errc::usage, "the port of an address is a number from 0 to 65535"};
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!is_loopback(host)) {
    return Error{Errc::usage,
                 fmt::format("{} is not this machine alone; the API listens on 127.0.0.1, "
                             "localhost or [::1]",
                             host)};
  }
  address.host = std::string(host);
  return address;
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ListenAddress& address,
                                                      HttpRoutes routes) {
  auto impl = std::make_unique<Impl>(std::move(routes));
  httplib::Server& server = impl->server;
  impl->add_routes();
  impl->add_guards();
  server.set_tcp_nodelay(true);
  // The library's default shares the port with whoever asks for it too.
  server.set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  int port = address.port;
  const bool bound = port == 0 ? (port = server.bind_to_any_port(address.host)) > 0
                               : server.bind_to_port(address.host, port);
  if (!bound) {
    return Error{Errc::usage, fmt::format("cannot listen on {}:{}", address.host, address.port)};
  }
  impl->listen();
  std::unique_ptr<HttpServer> made(new HttpServer(std::move(impl)));
  const bool bare_v6 = address.host.find(':') != std::string::npos;
  made->place_ =
      fmt::format("http://{}:{}", bare_v6 ? "[" + address.host + "]" : address.host, port);
  return made;
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(ControlSocket socket, HttpRoutes routes) {
  auto impl = std::make_unique<Impl>(std::move(routes));
  impl->add_routes();
  impl->server.use_listener(socket.take_listener());
  std::string path = socket.path();
  impl->socket.emplace(std::move(socket));
  impl->listen();
  std::unique_ptr<HttpServer> made(new HttpServer(std::move(impl)));
  made->place_ = std::move(path);
  return made;
}

HttpServer::~HttpServer() {
  impl_->closing.with([](bool& value) { value = true; });
  impl_->server.stop();
  impl_->listener.join();
}

}  // namespace wherry::control
