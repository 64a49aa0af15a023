#include "control/api_server.h"

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

#include "control/openapi.h"
#include "control/status_json.h"
#include "control/version.h"
#include "support/guarded.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr int kThreads = 12;
constexpr int kStreamsMax = 8;  // each holds a thread; the rest answer everything else
constexpr std::size_t kBodyMax = 64 * 1024;
constexpr std::chrono::seconds kEventInterval{1};
constexpr const char* kJson = "application/json";

constexpr std::array kLoopbackNames = {"127.0.0.1"sv, "localhost"sv, "::1"sv};

bool is_loopback(std::string_view host) {
  return std::find(kLoopbackNames.begin(), kLoopbackNames.end(), host) != kLoopbackNames.end();
}

// "[::1]:80" and "localhost:80" without the port and the brackets.
std::string_view host_of(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  return text.substr(0, text.find(':'));
}

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

void answer(httplib::Response& response, int code, const Json& body) {
  response.status = code;
  response.set_content(dump(body) + "\n", kJson);
}

Json error_body(std::string_view code, std::string_view message, std::string_view hint) {
  return {{"error", {{"code", code}, {"message", message}, {"hint", hint}}}};
}

void refuse(httplib::Response& response, int status, std::string_view message,
            std::string_view hint) {
  const std::string_view code = status == 404 ? "not-found" : status == 403 ? "forbidden" : "error";
  answer(response, status, error_body(code, message, hint));
}

// A body is read only where the request announces one: without a length the library would wait for
// the end of the connection.
std::optional<std::string> read_body(const httplib::Request& request,
                                     const httplib::ContentReader& read) {
  std::string body;
  if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding"))
    return body;
  const bool whole = read([&](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= kBodyMax;
  });
  return whole ? std::optional(body) : std::nullopt;
}

// The library makes TCP sockets only, but serves any socket that listens.
class Server : public httplib::Server {
 public:
  void use_listener(int socket) { svr_sock_ = socket; }
};

}  // namespace

struct ApiServer::Impl {
  explicit Impl(ApiCalls given) : calls(std::move(given)) {}

  ApiCalls calls;
  std::optional<ControlSocket> socket;  // removed after the server has ended
  Server server;
  std::thread listener;
  Guarded<bool> closing{false};
  std::atomic<int> streams{0};
  std::atomic<bool> ended{false};  // the listener's

  std::shared_ptr<const CopyStatus> status() const {
    std::shared_ptr<const CopyStatus> current = calls.status();
    return current ? current : std::make_shared<const CopyStatus>();
  }
  std::string state() const { return std::string(to_string(status()->state)); }

  void answer_failure(httplib::Response& response, const Error& error) const {
    const int code = http_status(error.code);
    Json body = error_body(to_string(error.code), error.what,
                           code == 409 ? "GET /api/v1/copy tells what it is doing" : "");
    body["state"] = state();
    answer(response, code, body);
  }
  void answer_action(httplib::Response& response, std::string_view action,
                     const Status& done) const {
    if (!done.ok()) return answer_failure(response, done.error());
    answer(response, 202, {{"accepted", action}, {"state", state()}});
  }

  void add_reads();
  void add_actions();
  void add_failover();
  void add_settings();
  void add_events();
  void add_errors();
  void add_guards();
  void add_routes();
  void listen();
  bool send_event(httplib::DataSink& sink, bool first);
};

void ApiServer::Impl::add_reads() {
  server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", "text/plain");
  });
  server.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics_text(*status()), "text/plain; version=0.0.4");
  });
  server.Get("/api/v1/openapi.json", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(openapi_text()), kJson);
  });
  server.Get("/api/v1/copy", [this](const httplib::Request&, httplib::Response& response) {
    answer(response, 200, status_json(*status()));
  });
  server.Get("/api/v1/status", [this](const httplib::Request&, httplib::Response& response) {
    const std::shared_ptr<const CopyStatus> current = status();
    answer(response, 200,
           {{"version", version()},
            {"job", "copy"},
            {"started", to_json(current->started)},
            {"copy", progress_json(*current)}});
  });
}

void ApiServer::Impl::add_actions() {
  struct Action {
    const char* path;
    const char* name;
    CopyAction action;
  };
  constexpr std::array kActions = {
      Action{"/api/v1/copy/pause", "pause", CopyAction::pause},
      Action{"/api/v1/copy/resume", "resume", CopyAction::resume},
      Action{"/api/v1/copy/cutover", "cutover", CopyAction::cutover},
      Action{"/api/v1/copy/stop", "stop", CopyAction::stop},
  };
  for (const Action& action : kActions) {
    server.Post(action.path,
                [this, action](const httplib::Request& request, httplib::Response& response,
                               const httplib::ContentReader& read) {
                  if (!read_body(request, read))
                    return refuse(response, 413, "the body is too long", "");
                  answer_action(response, action.name, calls.request(action.action));
                });
  }
}

void ApiServer::Impl::add_failover() {
  server.Post(
      "/api/v1/copy/failover", [this](const httplib::Request& request, httplib::Response& response,
                                      const httplib::ContentReader& read) {
        const std::optional<std::string> body = read_body(request, read);
        if (!body) return refuse(response, 413, "the body is too long", "");
        const Json document = Json::parse(*body, nullptr, false);
        const bool named = document.is_object() && document.contains("endpoint") &&
                           document["endpoint"].is_string() && document.size() == 1;
        if (!named) {
          return answer(response, 400,
                        error_body("usage", "the body names no endpoint",
                                   "send {\"endpoint\": \"mysql://user:password@host:port/\"}"));
        }
        const Result<Endpoint> endpoint = parse_endpoint(document["endpoint"].get<std::string>());
        if (!endpoint.ok()) return answer_failure(response, endpoint.error().within("endpoint"));
        answer_action(response, "failover", calls.swap_source(endpoint.value()));
      });
}

void ApiServer::Impl::add_settings() {
  server.Patch("/api/v1/copy/settings", [this](const httplib::Request& request,
                                               httplib::Response& response,
                                               const httplib::ContentReader& read) {
    const std::optional<std::string> body = read_body(request, read);
    if (!body) return refuse(response, 413, "the body is too long", "");
    const Result<LiveSettings> settings = parse_live_settings(*body);
    if (!settings.ok()) return answer_failure(response, settings.error());
    if (!calls.change_settings) {
      return answer_failure(response, {Errc::conflict, "this run does not take other settings", 0});
    }
    answer_action(response, "settings", calls.change_settings(settings.value()));
  });
}

// One event a second, the first at once; ends when the server does or the reader has gone.
bool ApiServer::Impl::send_event(httplib::DataSink& sink, bool first) {
  const bool over = first ? closing.read([](bool value) { return value; })
                          : closing.wait_for(kEventInterval, [](bool value) { return value; });
  if (over) {
    sink.done();
    return true;
  }
  const std::string event =
      fmt::format("event: status\ndata: {}\n\n", dump(progress_json(*status())));
  return sink.write(event.data(), event.size());
}

void ApiServer::Impl::add_events() {
  server.Get("/api/v1/events", [this](const httplib::Request&, httplib::Response& response) {
    if (streams.fetch_add(1) >= kStreamsMax) {
      streams.fetch_sub(1);
      return refuse(response, 503, "too many event streams",
                    "close one, or ask GET /api/v1/copy instead");
    }
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, first = true](std::size_t, httplib::DataSink& sink) mutable {
          return send_event(sink, std::exchange(first, false));
        },
        [this](bool) { streams.fetch_sub(1); });
  });
}

// A web page that somebody here has open must not steer the copy: neither by a name that it has
// pointed at 127.0.0.1 nor from its own origin.
void ApiServer::Impl::add_guards() {
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    const std::string origin = request.get_header_value("Origin");
    if (is_loopback(host_of(host)) && (origin.empty() || origin == "http://" + host)) {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    refuse(response, 403, "only this machine may ask", "use the address that was printed");
    return httplib::Server::HandlerResponse::Handled;
  });
}

void ApiServer::Impl::add_errors() {
  server.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    if (response.status == 404) {
      refuse(response, 404, fmt::format("nothing is at {} {}", request.method, request.path),
             "GET /api/v1/openapi.json lists what there is");
    } else {
      refuse(response, response.status, "the request cannot be read", "");
    }
  });
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        refuse(response, 500, "the request failed", "");
      });
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

void ApiServer::Impl::add_routes() {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_keep_alive_timeout(2);
  server.set_payload_max_length(kBodyMax);
  add_errors();
  add_reads();
  add_actions();
  add_failover();
  add_settings();
  add_events();
}

void ApiServer::Impl::listen() {
  listener = std::thread([this] {
    server.listen_after_bind();
    ended = true;
  });
  // stop() would do nothing before the listener has begun.
  while (!server.is_running() && !ended.load()) std::this_thread::yield();
}

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<ApiServer>> ApiServer::start(const ListenAddress& address, ApiCalls calls) {
  auto impl = std::make_unique<Impl>(std::move(calls));
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
  std::unique_ptr<ApiServer> api(new ApiServer(std::move(impl)));
  const bool bare_v6 = address.host.find(':') != std::string::npos;
  api->place_ =
      fmt::format("http://{}:{}", bare_v6 ? "[" + address.host + "]" : address.host, port);
  return api;
}

Result<std::unique_ptr<ApiServer>> ApiServer::start(ControlSocket socket, ApiCalls calls) {
  auto impl = std::make_unique<Impl>(std::move(calls));
  impl->add_routes();
  impl->server.use_listener(socket.take_listener());
  std::string path = socket.path();
  impl->socket.emplace(std::move(socket));
  impl->listen();
  std::unique_ptr<ApiServer> api(new ApiServer(std::move(impl)));
  api->place_ = std::move(path);
  return api;
}

ApiServer::~ApiServer() {
  impl_->closing.with([](bool& value) { value = true; });
  impl_->server.stop();
  impl_->listener.join();
}

}  // namespace wherry::control
