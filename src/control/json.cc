#include "control/json.h"

#include <nlohmann/json.hpp>

#include "support/units.h"

namespace wherry::control {

Json to_json(std::chrono::system_clock::time_point time) {
  if (time.time_since_epoch().count() == 0) return nullptr;
  return format_utc(std::chrono::time_point_cast<std::chrono::milliseconds>(time));
}

Json to_json(const Error& error) {
  Json out = {{"code", std::string(to_string(error.code))}, {"message", error.what}};
  if (error.server_code != 0) out["server_code"] = error.server_code;
  return out;
}

Json to_json(const Position& position) {
  if (position.empty()) return nullptr;
  Json out = Json::object();
  if (!position.file.empty()) {
    out["file"] = position.file.file;
    out["offset"] = position.file.offset;
  }
  if (!position.gtid.empty()) out["gtid"] = position.gtid;
  return out;
}

std::string dump(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wherry::control
