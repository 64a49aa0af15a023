#include "control/openapi.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "control/feed_keys.h"
#include "control/json.h"

namespace wherry::control {
namespace {

Json composed(std::string_view job) {
  Json document = Json::parse(openapi_common_text());
  document.merge_patch(Json::parse(job));
  return document;
}

Json property(const FeedKey& key) {
  Json out = Json::object();
  if (key.option.kind == OptionKind::list) {
    out = {{"type", "array"}, {"items", {{"type", "string"}}}};
  } else if (key.option.kind == OptionKind::toggle) {
    out = {{"type", "boolean"}};
  } else {
    out = {{"type", "string"}};
  }
  out["description"] =
      fmt::format("{}. Default: {}. Range: {}.", key.option.help, key.usual, key.range);
  return out;
}

}  // namespace

std::string copy_openapi() { return dump(composed(openapi_copy_text()), 2); }

std::string feed_openapi() {
  Json document = composed(openapi_feeds_text());
  FeedSpec spec;
  Json keys = Json::object();
  for (const FeedKey& key : feed_key_table(spec))
    keys[std::string(key.option.name)] = property(key);
  document["components"]["schemas"]["FeedConfig"] = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(keys)}};
  return dump(document, 2);
}

}  // namespace wherry::control
