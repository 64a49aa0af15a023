#include "control/openapi.h"

#include <nlohmann/json.hpp>

#include "control/json.h"

namespace wherry::control {
namespace {

Json composed(std::string_view job) {
  Json document = Json::parse(openapi_common_text());
  document.merge_patch(Json::parse(job));
  return document;
}

}  // namespace

std::string copy_openapi() { return dump(composed(openapi_copy_text()), 2); }

}  // namespace wherry::control
