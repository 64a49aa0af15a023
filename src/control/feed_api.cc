#include "control/feed_api.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/feed_keys.h"
#include "control/openapi.h"
#include "control/version.h"

namespace wherry::control {
namespace {

constexpr std::size_t kBodyMax = 1 << 20;
constexpr std::chrono::milliseconds kEventInterval{100};
constexpr const char* kKeysHint = "docs/feeds-config.md and /api/v1/openapi.json list the keys";

Result<Json> parsed(const HttpRequest& request) {
  Json document = Json::parse(request.body, nullptr, false);
  if (document.is_discarded()) return Error{Errc::usage, "the body is no JSON", 0};
  return document;
}

struct FeedApi {
  FeedFleet& fleet;
  std::chrono::system_clock::time_point started;

  static HttpAnswer no_feed(const std::string& name) {
    return not_found(fmt::format("there is no feed {}", name), "GET /api/v1/feeds lists them");
  }
  HttpAnswer list() const {
    Json feeds = Json::array();
    for (const FeedView& view : fleet.views()) feeds.push_back(feed_view_json(view));
    return json_answer(200, {{"feeds", std::move(feeds)}});
  }
  HttpAnswer show(const std::string& name, int status = 200) const {
    const std::optional<FeedView> view = fleet.view(name);
    return view ? json_answer(status, feed_view_json(*view)) : no_feed(name);
  }
  HttpAnswer create(const HttpRequest& request) const {
    const Result<Json> document = parsed(request);
    if (!document.ok()) return refusal(document.error(), kKeysHint);
    const Result<std::string> name = fleet.create(document.value());
    if (name.ok()) return show(name.value(), 201);
    const bool clash = name.error().code == Errc::conflict;
    return refusal(name.error(),
                   clash ? "choose another name, or change that feed with PATCH" : kKeysHint);
  }
  HttpAnswer change(const HttpRequest& request) const {
    const std::string& name = request.parts[0];
    const Result<Json> document = parsed(request);
    if (!document.ok()) return refusal(document.error(), kKeysHint);
    if (!fleet.view(name)) return no_feed(name);
    const Status done = fleet.change(name, document.value());
    if (done.ok()) return show(name);
    return refusal(done.error(), done.error().code == Errc::conflict
                                     ? fmt::format("POST /api/v1/feeds/{}/pause first", name)
                                     : kKeysHint);
  }
  HttpAnswer act(const HttpRequest& request, std::string_view action,
                 Status (FeedFleet::*call)(const std::string&)) const {
    const std::string& name = request.parts[0];
    if (!fleet.view(name)) return no_feed(name);
    const Status done = (fleet.*call)(name);
    if (!done.ok()) {
      return refusal(done.error(), fmt::format("GET /api/v1/feeds/{} tells its state", name));
    }
    const std::optional<FeedView> view = fleet.view(name);
    Json body = {{"accepted", action}, {"name", name}};
    body["state"] = view ? Json(to_string(view->note.state)) : Json(nullptr);
    return json_answer(202, body);
  }
  HttpAnswer status() const {
    Json body = {{"version", version()}, {"job", "serve"}, {"started", to_json(started)}};
    body.update(fleet_json(fleet.views()));
    return json_answer(200, body);
  }
  // What is now comes first, so that a listener needs nothing else.
  HttpStream stream() const {
    struct Listener {
      std::unique_ptr<EventHub::Reader> reader;
      bool told = false;
    };
    auto listener = std::make_shared<Listener>();
    listener->reader = fleet.events().open();
    return {kEventInterval, [api = *this, listener] {
              if (std::exchange(listener->told, true)) return listener->reader->take();
              return fmt::format("event: status\ndata: {}\n\n",
                                 dump(fleet_json(api.fleet.views())));
            }};
  }
};

}  // namespace

HttpRoutes feed_routes(FeedFleet& fleet, std::chrono::system_clock::time_point started) {
  const FeedApi api{fleet, started};
  const auto action = [api](std::string_view name, Status (FeedFleet::*call)(const std::string&)) {
    return [api, name, call](const HttpRequest& request) { return api.act(request, name, call); };
  };
  HttpRoutes all;
  all.body_max = kBodyMax;
  all.metrics = [api] { return fleet_metrics(api.fleet.views()); };
  all.description = [] { return feed_openapi(); };
  all.open_stream = [api] { return api.stream(); };
  const std::string feeds = "/api/v1/feeds";
  const std::string feed = feeds + "/([^/]+)";
  all.routes = {
      {HttpMethod::get, "/api/v1/status", [api](const HttpRequest&) { return api.status(); }},
      {HttpMethod::get, feeds, [api](const HttpRequest&) { return api.list(); }},
      {HttpMethod::post, feeds, [api](const HttpRequest& request) { return api.create(request); }},
      {HttpMethod::get, feed,
       [api](const HttpRequest& request) { return api.show(request.parts[0]); }},
      {HttpMethod::patch, feed, [api](const HttpRequest& request) { return api.change(request); }},
      {HttpMethod::erase, feed, action("remove", &FeedFleet::remove)},
      {HttpMethod::post, feed + "/pause", action("pause", &FeedFleet::pause)},
      {HttpMethod::post, feed + "/resume", action("resume", &FeedFleet::resume)},
      {HttpMethod::post, feed + "/syncpoint", action("syncpoint", &FeedFleet::request_syncpoint)},
  };
  return all;
}

}  // namespace wherry::control
