#include "control/redo_mapping.h"

#include <nlohmann/json.hpp>

#include "control/feed_words.h"
#include "control/rename_rule.h"

namespace wherry::control {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

std::optional<sql::Policy> policy_named(std::string_view name) {
  if (name == "apply") return sql::Policy::apply;
  if (name == "ignore") return sql::Policy::ignore;
  if (name == "stop") return sql::Policy::stop;
  return std::nullopt;
}

std::string_view name_of(sql::Policy policy) {
  switch (policy) {
    case sql::Policy::apply:
      return "apply";
    case sql::Policy::ignore:
      return "ignore";
    default:
      return "stop";
  }
}

Json to_json(const RenameRule& rule) {
  if (rule.pattern) return rename_text(rule);
  return {rule.from_database, rule.from_table, rule.to_database, rule.to_table};
}

Json to_json(const std::vector<EventFilter>& skip, const std::vector<RowFilter>& where) {
  Json json = Json::array();
  for (const EventFilter& filter : skip)
    json.push_back({{"tables", filter.pattern},
                    {"inserts", filter.inserts},
                    {"updates", filter.updates},
                    {"deletes", filter.deletes}});
  for (const RowFilter& filter : where)
    json.push_back({{"tables", filter.pattern}, {"where", filter.expression}});
  return json;
}

void read_filters(const Json& json, RedoMapping& into) {
  for (const Json& one : json) {
    const auto tables = one.at("tables").get<std::string>();
    if (one.contains("where")) {
      into.where.push_back({tables, one.at("where").get<std::string>()});
    } else {
      into.skip.push_back({tables, one.at("inserts").get<bool>(), one.at("updates").get<bool>(),
                           one.at("deletes").get<bool>()});
    }
  }
}

Result<RenameRule> rename_of(const Json& rule) {
  if (rule.is_string()) return parse_rename(rule.get<std::string>());
  const auto names = rule.get<std::vector<std::string>>();
  if (names.size() != 4) return Error{Errc::malformed, "a rule of names that has not four"};
  return RenameRule{names[0], names[1], names[2], names[3]};
}

Status read_policies(const Json& json, std::map<sql::Kind, sql::Policy>& into) {
  for (const sql::KindRow& row : sql::kinds()) {
    const auto found = json.find(row.name);
    if (found == json.end()) continue;
    const auto policy = policy_named(found->get<std::string>());
    if (!policy) return Error{Errc::malformed, "an unknown policy of statements"};
    into[row.kind] = *policy;
  }
  return Unit{};
}

}  // namespace

std::string to_json(const RedoMapping& mapping) {
  Json json;
  json["version"] = kVersion;
  json["job"] = mapping.job;
  json["include"] = mapping.include;
  json["exclude"] = mapping.exclude;
  json["rename"] = Json::array();
  for (const RenameRule& rule : mapping.rename) json["rename"].push_back(to_json(rule));
  json["filters"] = to_json(mapping.skip, mapping.where);
  json["policies"] = Json::object();
  for (const auto& [kind, policy] : mapping.policies)
    json["policies"][std::string(sql::row_of(kind).name)] = name_of(policy);
  json["by_gtid"] = mapping.by_gtid;
  json["fold_names"] = mapping.fold_names;
  return json.dump();
}

Result<RedoMapping> parse_redo_mapping(std::string_view text) {
  const Error malformed{Errc::malformed,
                        "the redo's record of tables and names is no JSON of this "
                        "program"};
  // What a library throws over a wrong type ends here.
  try {
    const Json json = Json::parse(text);
    if (json.at("version").get<int>() != kVersion)
      return Error{Errc::unsupported, "the redo was written by another version of wherry"};
    RedoMapping mapping;
    mapping.job = json.at("job").get<std::string>();
    mapping.include = json.at("include").get<std::vector<std::string>>();
    mapping.exclude = json.at("exclude").get<std::vector<std::string>>();
    for (const Json& rule : json.at("rename")) {
      Result<RenameRule> read = rename_of(rule);
      if (!read.ok()) return read.error();
      mapping.rename.push_back(std::move(read).value());
    }
    read_filters(json.value("filters", Json::array()), mapping);
    if (Status read = read_policies(json.at("policies"), mapping.policies); !read.ok())
      return read.error();
    mapping.by_gtid = json.at("by_gtid").get<bool>();
    mapping.fold_names = json.at("fold_names").get<bool>();
    return mapping;
  } catch (const Json::exception&) {
    return malformed;
  }
}

}  // namespace wherry::control
