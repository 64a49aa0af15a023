#include "control/table_record.h"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "control/table_shape.h"

namespace wherry::control {

TableRecord to_record(const dispatch::TablePlan& plan, std::string key,
                      std::vector<std::string> late, ShapeRecords shapes) {
  TableRecord record{plan.id,
                     plan.source.name,
                     plan.target,
                     std::move(key),
                     std::move(late),
                     plan.filter == nullptr ? "" : plan.filter->text(),
                     {},
                     {}};
  if (shapes == ShapeRecords::kept) record.shape = plan.source;
  return record;
}

sink::NamedRecord to_named(const TableRecord& record) {
  nlohmann::json json;
  json["database"] = record.source.database;
  json["table"] = record.source.table;
  json["target_database"] = record.target.database;
  json["target_table"] = record.target.table;
  json["key"] = record.key;
  json["late"] = record.late;
  if (!record.filter.empty()) json["filter"] = record.filter;
  if (!record.outrun.empty()) json["outrun"] = record.outrun;
  if (record.shape) json["shape"] = shape_json(*record.shape);
  return {"table", std::to_string(record.id), json.dump()};
}

Result<TableRecord> to_table_record(const sink::NamedRecord& named) {
  const Error malformed{Errc::malformed,
                        fmt::format("the saved table record {} is damaged", named.name), 0};
  TableRecord record;
  const char* const end = named.name.data() + named.name.size();
  if (std::from_chars(named.name.data(), end, record.id).ptr != end) return malformed;
  const nlohmann::json json = nlohmann::json::parse(named.body, nullptr, false);
  if (!json.is_object()) return malformed;
  const auto text = [&](const char* name, std::string& into) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_string()) return false;
    into = found->get<std::string>();
    return true;
  };
  const bool named_all = text("database", record.source.database) &&
                         text("table", record.source.table) &&
                         text("target_database", record.target.database) &&
                         text("target_table", record.target.table) && text("key", record.key);
  const auto late = json.find("late");
  if (!named_all || late == json.end() || !late->is_array()) return malformed;
  for (const nlohmann::json& key : *late) {
    if (!key.is_string()) return malformed;
    record.late.push_back(key.get<std::string>());
  }
  (void)text("filter", record.filter);  // most have none
  (void)text("outrun", record.outrun);
  if (const auto shape = json.find("shape"); shape != json.end()) {
    Result<Table> read = shape_from_json(*shape);
    if (!read.ok()) return read.error().within(record.source.to_string());
    record.shape = std::move(read).value();
  }
  return record;
}

}  // namespace wherry::control
