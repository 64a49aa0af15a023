#include "control/feed_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "control/feed_keys.h"
#include "control/feed_text.h"
#include "control/http_client.h"
#include "control/option_setters.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kActions = {
    std::pair("create"sv, FeedAction::create), std::pair("list"sv, FeedAction::list),
    std::pair("show"sv, FeedAction::show),     std::pair("pause"sv, FeedAction::pause),
    std::pair("resume"sv, FeedAction::resume), std::pair("update"sv, FeedAction::update),
    std::pair("remove"sv, FeedAction::remove),
};

constexpr std::chrono::milliseconds kPoll{50};

Result<FeedAction> parse_action(std::string_view word) {
  std::vector<std::string_view> names;
  for (const auto& [name, action] : kActions) {
    if (name == word) return action;
    names.push_back(name);
  }
  return usage_error(
      fmt::format("'{}' is none of create, list, show, pause, resume, update, remove{}", word,
                  did_you_mean(word, names)));
}

bool takes_keys(FeedAction action) {
  return action == FeedAction::create || action == FeedAction::update;
}

std::vector<Option> client_options(FeedRequest& request) {
  return {
      {"server", "URL", "the server to ask (http://127.0.0.1:8400)", OptionKind::value,
       text_setter(request.server)},
      {"wait", "TIME", "how long to wait for a feed that is to stop; 0: not at all (30s)",
       OptionKind::value, duration_setter(request.wait)},
      {"json", "", "the result as one JSON document on stdout", OptionKind::toggle,
       flag_setter(request.json)},
  };
}

// The options of one action. keys is filled by those of a feed.
std::vector<Option> action_options(FeedRequest& request, FeedSpec& keys, ProgramOptions& program) {
  std::vector<Option> table = client_options(request);
  if (takes_keys(request.action)) {
    std::vector<Option> more = feed_options(keys);
    table.insert(table.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  } else if (request.action != FeedAction::list) {
    table.push_back({"name", "NAME", "the feed", OptionKind::value, text_setter(keys.name)});
  }
  std::vector<Option> more = program_options(program);
  table.insert(table.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return table;
}

// What the file of --config says, where there is one.
Result<std::vector<Setting>> file_settings(std::span<const Option> table,
                                           std::span<const Setting> line) {
  const auto config =
      std::find_if(line.begin(), line.end(), [](const Setting& s) { return s.name == "config"; });
  if (config == line.end()) return std::vector<Setting>();
  const std::string& path = config->values[0];
  std::ifstream file(path, std::ios::binary);
  if (!file) return usage_error(fmt::format("--config: cannot read the file {}", path));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return read_config(table, text, path);
}

// The keys of a feed among the settings, as the API takes them.
Result<Json> keys_json(std::span<const Setting> settings) {
  FeedSpec spec;
  return settings_json(feed_options(spec), settings);
}

Status check_body(const FeedRequest& request, const Json& keys) {
  if (request.action == FeedAction::create) {
    const Result<FeedSpec> spec = feed_from_json(keys);
    if (!spec.ok()) return spec.error();
  } else if (keys.empty()) {
    return usage_error("nothing is to be changed");
  }
  return Unit{};
}

std::string path_of(const FeedRequest& request) {
  std::string path = "/api/v1/feeds";
  if (request.action != FeedAction::create && request.action != FeedAction::list)
    path += "/" + request.name;
  if (request.action == FeedAction::pause) path += "/pause";
  if (request.action == FeedAction::resume) path += "/resume";
  return path;
}

std::string_view method_of(FeedAction action) {
  switch (action) {
    case FeedAction::list:
    case FeedAction::show:
      return "GET";
    case FeedAction::create:
    case FeedAction::pause:
    case FeedAction::resume:
      return "POST";
    case FeedAction::update:
      return "PATCH";
    case FeedAction::remove:
      return "DELETE";
  }
  return "GET";
}

Result<HttpReply> call(const FeedRequest& request, std::string_view method,
                       const std::string& path) {
  std::string server = request.server;
  while (server.ends_with('/')) server.pop_back();
  return http_call({std::string(method), server + path, request.body});
}

// The server's own words; a configuration that it refuses is a usage error here too.
Error refused(const HttpReply& reply) {
  const Json body = Json::parse(reply.body, nullptr, false);
  std::string what = fmt::format("the server answered {}", reply.status);
  if (body.is_object() && body.contains("error") && body["error"].is_object()) {
    what = body["error"].value("message", what);
    const std::string hint = body["error"].value("hint", "");
    if (!hint.empty()) what += "; " + hint;
  }
  return {reply.status == 400 ? Errc::usage : Errc::conflict, what, 0};
}

// Whether the feed has come to rest, or is gone. Errors of the way there count as not yet.
bool at_rest(const FeedRequest& request) {
  FeedRequest look;
  look.server = request.server;
  const Result<HttpReply> reply = call(look, "GET", "/api/v1/feeds/" + request.name);
  if (!reply.ok()) return false;
  if (reply.value().status == 404) return true;
  if (request.action == FeedAction::remove) return false;
  const Json body = Json::parse(reply.value().body, nullptr, false);
  return body.is_object() && !body.value("running", true);
}

FeedReply wait_for_rest(const FeedRequest& request, FeedReply reply) {
  const std::string_view done = request.action == FeedAction::remove ? "removed" : "stopped";
  const auto until = std::chrono::steady_clock::now() + request.wait;
  while (!at_rest(request)) {
    if (std::chrono::steady_clock::now() >= until) {
      reply.words = fmt::format("feed {} is still at it; it will be {} as soon as it has ended\n",
                                request.name, done);
      if (request.wait.count() > 0) reply.exit = ExitCode::failed;
      return reply;
    }
    std::this_thread::sleep_for(kPoll);
  }
  reply.words = fmt::format("feed {} is {}\n", request.name, done);
  return reply;
}

FeedReply shown(const FeedRequest& request, const std::string& text) {
  FeedReply reply;
  if (request.json) reply.result = text;
  const Json body = Json::parse(text, nullptr, false);
  if (!request.json && body.is_object()) {
    if (request.action == FeedAction::list) reply.result = feed_table(body);
    if (request.action == FeedAction::show) reply.result = feed_page(body);
  }
  if (request.action == FeedAction::create)
    reply.words = fmt::format("feed {} is made and starts\n", request.name);
  if (request.action == FeedAction::update)
    reply.words = fmt::format("feed {} is changed\n", request.name);
  if (request.action == FeedAction::resume)
    reply.words = fmt::format("feed {} goes on\n", request.name);
  return reply;
}

}  // namespace

std::vector<Option> feed_option_table() {
  static FeedRequest request;
  static FeedSpec keys;
  static ProgramOptions program;
  request.action = FeedAction::create;
  return action_options(request, keys, program);
}

Result<FeedRequest> read_feed_request(std::span<const std::string> arguments,
                                      ProgramOptions& program) {
  FeedRequest request;
  if (arguments.empty())
    return usage_error("say what: create, list, show, pause, resume, update or remove");
  const Result<FeedAction> action = parse_action(arguments[0]);
  if (!action.ok()) return action.error();
  request.action = action.value();
  arguments = arguments.subspan(1);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  const bool positional =
      request.action != FeedAction::list && !words.empty() && !words[0].starts_with("--");
  if (positional) words.insert(words.begin(), "--name");

  FeedSpec keys;
  const std::vector<Option> table = action_options(request, keys, program);
  Result<std::vector<Setting>> line = read_arguments(table, words);
  if (!line.ok()) return line.error();
  Result<std::vector<Setting>> file = file_settings(table, line.value());
  if (!file.ok()) return file.error();
  std::vector<Setting> all = line.value();
  for (const Setting& setting : file.value()) {
    const bool hidden = std::any_of(all.begin(), all.end(),
                                    [&](const Setting& s) { return s.name == setting.name; });
    if (!hidden) all.push_back(setting);
  }
  const Status applied = apply_settings(table, std::move(line).value(), std::move(file).value());
  if (!applied.ok()) return applied.error();
  request.name = keys.name;
  if (request.action == FeedAction::list) return request;
  if (!is_feed_name(request.name)) return usage_error("name the feed: --name NAME");
  if (!takes_keys(request.action)) return request;

  Result<Json> body = keys_json(all);
  if (!body.ok()) return body.error();
  if (request.action == FeedAction::update) body.value().erase("name");
  const Status checked = check_body(request, body.value());
  if (!checked.ok()) return checked.error();
  request.body = dump(body.value());
  return request;
}

Result<FeedReply> ask_server(const FeedRequest& request) {
  const Result<HttpReply> reply = call(request, method_of(request.action), path_of(request));
  if (!reply.ok()) return reply.error();
  if (reply.value().status / 100 != 2) return refused(reply.value());
  FeedReply out = shown(request, reply.value().body);
  const bool stops = request.action == FeedAction::pause || request.action == FeedAction::remove;
  return stops ? wait_for_rest(request, std::move(out)) : out;
}

}  // namespace wherry::control
