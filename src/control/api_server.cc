#include "control/api_server.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/openapi.h"
#include "control/status_json.h"
#include "control/version.h"

namespace wherry::control {

struct ApiServer::Answers {
  ApiCalls calls;

  std::shared_ptr<const CopyStatus> status() const {
    std::shared_ptr<const CopyStatus> current = calls.status();
    return current ? current : std::make_shared<const CopyStatus>();
  }
  std::string state() const { return std::string(to_string(status()->state)); }

  HttpAnswer failure(const Error& error) const {
    const int code = http_status(error.code);
    Json body = error_json(to_string(error.code), error.what,
                           code == 409 ? "GET /api/v1/copy tells what it is doing" : "");
    body["state"] = state();
    return json_answer(code, body);
  }
  HttpAnswer action(std::string_view name, const Status& done) const {
    if (!done.ok()) return failure(done.error());
    return json_answer(202, {{"accepted", name}, {"state", state()}});
  }
  HttpAnswer short_status() const {
    const std::shared_ptr<const CopyStatus> current = status();
    return json_answer(200, {{"version", version()},
                             {"job", "copy"},
                             {"started", to_json(current->started)},
                             {"copy", progress_json(*current)}});
  }
  HttpAnswer failover(const HttpRequest& request) const;
  HttpAnswer settings(const HttpRequest& request) const;
  HttpRoutes routes() const;
};

HttpAnswer ApiServer::Answers::failover(const HttpRequest& request) const {
  const Json document = Json::parse(request.body, nullptr, false);
  const bool named = document.is_object() && document.contains("endpoint") &&
                     document["endpoint"].is_string() && document.size() == 1;
  if (!named) {
    return json_answer(400,
                       error_json("usage", "the body names no endpoint",
                                  "send {\"endpoint\": \"mysql://user:password@host:port/\"}"));
  }
  const Result<Endpoint> endpoint = parse_endpoint(document["endpoint"].get<std::string>());
  if (!endpoint.ok()) return failure(endpoint.error().within("endpoint"));
  return action("failover", calls.swap_source(endpoint.value()));
}

HttpAnswer ApiServer::Answers::settings(const HttpRequest& request) const {
  const Result<LiveSettings> settings = parse_live_settings(request.body);
  if (!settings.ok()) return failure(settings.error());
  if (!calls.change_settings)
    return failure({Errc::conflict, "this run does not take other settings", 0});
  return action("settings", calls.change_settings(settings.value()));
}

HttpRoutes ApiServer::Answers::routes() const {
  HttpRoutes all;
  all.metrics = [this] { return metrics_text(*status()); };
  all.description = [] { return copy_openapi(); };
  all.open_stream = [this] {
    return HttpStream{std::chrono::seconds(1), [this] {
                        return fmt::format("event: status\ndata: {}\n\n",
                                           dump(progress_json(*status())));
                      }};
  };
  all.routes = {
      {HttpMethod::get, "/api/v1/copy",
       [this](const HttpRequest&) { return json_answer(200, status_json(*status())); }},
      {HttpMethod::get, "/api/v1/status", [this](const HttpRequest&) { return short_status(); }},
      {HttpMethod::post, "/api/v1/copy/failover",
       [this](const HttpRequest& request) { return failover(request); }},
      {HttpMethod::patch, "/api/v1/copy/settings",
       [this](const HttpRequest& request) { return settings(request); }},
  };
  constexpr std::array kActions = {
      std::pair("pause", CopyAction::pause),
      std::pair("resume", CopyAction::resume),
      std::pair("cutover", CopyAction::cutover),
      std::pair("stop", CopyAction::stop),
  };
  for (const auto& [name, asked] : kActions) {
    all.routes.push_back({HttpMethod::post, fmt::format("/api/v1/copy/{}", name),
                          [this, name = name, asked = asked](const HttpRequest&) {
                            return action(name, calls.request(asked));
                          }});
  }
  return all;
}

ApiServer::ApiServer(std::unique_ptr<Answers> answers) : answers_(std::move(answers)) {}
ApiServer::~ApiServer() = default;

template <typename Place>
Result<std::unique_ptr<ApiServer>> ApiServer::start_at(Place place, ApiCalls calls) {
  std::unique_ptr<ApiServer> api(
      new ApiServer(std::make_unique<Answers>(Answers{std::move(calls)})));
  Result<std::unique_ptr<HttpServer>> server =
      HttpServer::start(std::move(place), api->answers_->routes());
  if (!server.ok()) return server.error();
  api->server_ = std::move(server).value();
  return api;
}

Result<std::unique_ptr<ApiServer>> ApiServer::start(const ListenAddress& address, ApiCalls calls) {
  return start_at(address, std::move(calls));
}

Result<std::unique_ptr<ApiServer>> ApiServer::start(ControlSocket socket, ApiCalls calls) {
  return start_at(std::move(socket), std::move(calls));
}

}  // namespace wherry::control
