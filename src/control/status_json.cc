#include "control/status_json.h"

#include <nlohmann/json.hpp>

namespace wherry::control {

Json to_json(const TableStatus& table) {
  return {{"name", table.name},
          {"target_name", table.target_name},
          {"copied", table.copied},
          {"rows_estimate", table.rows_estimate},
          {"rows_copied", table.rows_copied},
          {"bytes_copied", table.bytes_copied},
          {"changes_applied", table.changes_applied},
          {"rows_verified", table.rows_verified},
          {"differences", table.differences},
          {"verified", table.verified.empty() ? "not verified" : table.verified}};
}

Json to_json(const Difference& difference) {
  return {{"table", difference.table},
          {"key", difference.key},
          {"kind", difference.kind},
          {"columns", difference.columns}};
}

Json progress_json(const CopyStatus& status) {
  Json out = {{"state", std::string(to_string(status.state))},
              {"time", to_json(status.updated)},
              {"rows_copied", status.rows_copied},
              {"rows_estimate", status.rows_estimate},
              {"bytes_copied", status.bytes_copied},
              {"rows_verified", rows_verified(status)},
              {"rows_per_second", status.rows_per_second},
              {"bytes_per_second", status.bytes_per_second},
              {"transactions_applied", status.transactions_applied},
              {"changes_applied", status.changes_applied},
              {"lag_ms", status.lag.count()}};
  out["eta_seconds"] = status.eta ? Json(status.eta->count()) : Json(nullptr);
  out["waiting_for"] = status.waiting_for.empty() ? Json(nullptr) : Json(status.waiting_for);
  out["error"] = status.error ? to_json(*status.error) : Json(nullptr);
  return out;
}

Json status_json(const CopyStatus& status) {
  Json out = progress_json(status);
  out["resumable"] = status.resumable;
  out["started"] = to_json(status.started);
  out["positions"] = {{"start", to_json(status.start)},
                      {"current", to_json(status.current)},
                      {"stop", to_json(status.stop)}};
  out["source_generation"] = status.source_generation;
  out["source_fenced"] = status.source_fenced;
  out["downtime_ms"] = status.downtime ? Json(status.downtime->count()) : Json(nullptr);
  out["phase_seconds"] = status.phase_seconds;
  out["ignored"] = status.ignored;
  out["warnings"] = status.warnings;
  out["tables"] = Json::array();
  for (const TableStatus& table : status.tables) out["tables"].push_back(to_json(table));
  out["differences"] = Json::array();
  for (const Difference& difference : status.differences)
    out["differences"].push_back(to_json(difference));
  return out;
}

}  // namespace wherry::control
