#include "control/feed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "control/json.h"
#include "control/option_setters.h"
#include "control/rename_rule.h"
#include "model/uri.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

// A value of JSON as the command line would have it; nothing for an object or a list.
std::optional<std::string> as_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_number_unsigned() || value.is_number_integer()) return value.dump();
  return std::nullopt;
}

Result<std::vector<std::string>> texts_of(const Option& option, const Json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) {
    std::optional<std::string> text = as_text(value);
    if (!text) return usage_error("it is a text, a number, true or false");
    texts.push_back(std::move(*text));
    return texts;
  }
  if (option.kind != OptionKind::list) return usage_error("it takes one value, not a list");
  for (const Json& item : value) {
    std::optional<std::string> text = as_text(item);
    if (!text) return usage_error("it is a list of texts");
    texts.push_back(std::move(*text));
  }
  return texts;
}

Status set_key(const FeedKey& key, const Json& value) {
  const Result<std::vector<std::string>> texts = texts_of(key.option, value);
  if (!texts.ok()) return texts.error();
  for (const std::string& text : texts.value()) {
    Status done = key.option.set(text);
    if (!done.ok()) return done;
  }
  return Unit{};
}

const FeedKey* find(std::span<const FeedKey> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const FeedKey& key) { return key.option.name == name; });
  return found == table.end() ? nullptr : &*found;
}

Error unknown_key(std::span<const FeedKey> table, std::string_view name) {
  std::vector<std::string_view> names;
  for (const FeedKey& key : table) names.push_back(key.option.name);
  return usage_error(fmt::format("unknown key {}{}", name, did_you_mean(name, names)));
}

// {"log": {"memory": x}} as {"log.memory": x}.
Json flattened(const Json& document) {
  Json out = Json::object();
  for (const auto& [name, value] : document.items()) {
    if (!value.is_object()) {
      out[name] = value;
      continue;
    }
    for (const auto& [inner, inner_value] : value.items())
      out[fmt::format("{}.{}", name, inner)] = inner_value;
  }
  return out;
}

// Each interval of a busy feed ends a file.
Status check_requests(const RedoLimits& redo) {
  const std::chrono::milliseconds minute = std::chrono::minutes(1);
  const auto files = static_cast<std::uint64_t>(minute / redo.interval);
  if (redo.requests == 0 || redo.requests >= files) return Unit{};
  return usage_error(fmt::format(
      "redo.requests: {} a minute are fewer than the {} files that a redo.interval of {}ms makes",
      redo.requests, files, redo.interval.count()));
}

Status check_feed(const FeedSpec& spec) {
  if (spec.name.empty()) return usage_error("name is missing");
  if (spec.source_uri.empty()) return usage_error("source is missing");
  if (spec.sink_uri.empty()) return usage_error("sink is missing");
  if (!spec.redo.storage_uri.empty() && !writes_to_server(spec)) {
    return usage_error(
        "redo.storage is for feeds into a MySQL or MariaDB server: other sinks keep every change "
        "themselves");
  }
  if (Status renames = check_renames(spec.rename); !renames.ok()) return renames;
  if (Status redo = check_requests(spec.redo); !redo.ok()) return redo;
  return dispatch::check_limits(spec.inflight);
}

Json values_json(const FeedKey& key, Secrets secrets) {
  std::vector<std::string> values = key.get();
  if (secrets == Secrets::hidden && key.option.kind == OptionKind::secret_uri) {
    for (std::string& value : values) value = redacted(value);
  }
  if (key.option.kind == OptionKind::list) return values;
  if (key.option.kind == OptionKind::toggle) return values[0] == "true";
  return values[0];
}

}  // namespace

std::vector<Option> feed_options(FeedSpec& spec) {
  std::vector<Option> options;
  for (FeedKey& key : feed_key_table(spec)) options.push_back(std::move(key.option));
  return options;
}

Result<FeedSpec> feed_from_json(const Json& document) {
  if (!document.is_object()) return usage_error("a JSON object with the feed's keys is expected");
  FeedSpec spec;
  const std::vector<FeedKey> table = feed_key_table(spec);
  const Json flat = flattened(document);
  for (const auto& [name, value] : flat.items()) {
    if (find(table, name) == nullptr) return unknown_key(table, name);
  }
  // In the table's order, so that of two mistakes the same one is named each time.
  for (const FeedKey& key : table) {
    const auto value = flat.find(std::string(key.option.name));
    if (value == flat.end() || value->is_null()) continue;
    const Status done = set_key(key, *value);
    if (!done.ok()) return done.error().within(key.option.name);
  }
  const Status checked = check_feed(spec);
  if (!checked.ok()) return checked.error();
  return spec;
}

Json feed_json(const FeedSpec& spec, Secrets secrets) {
  FeedSpec copy = spec;
  Json out = Json::object();
  for (const FeedKey& key : feed_key_table(copy)) {
    if (!key.get().empty()) out[std::string(key.option.name)] = values_json(key, secrets);
  }
  return out;
}

Result<FeedChange> changed_feed(const FeedSpec& spec, const Json& patch) {
  if (!patch.is_object()) return usage_error("a JSON object with the keys to change is expected");
  const Json before = feed_json(spec, Secrets::kept);
  const Json flat = flattened(patch);
  Json after = before;
  for (const auto& [name, value] : flat.items()) after[name] = value;
  Result<FeedSpec> made = feed_from_json(after);
  if (!made.ok()) return made.error();
  if (made.value().name != spec.name) return usage_error("name: a feed keeps its name");

  FeedChange change{std::move(made).value(), {}};
  const Json now = feed_json(change.spec, Secrets::kept);
  for (const FeedKey& key : feed_key_table(change.spec)) {
    const std::string name(key.option.name);
    const auto old_value = before.find(name);
    const auto new_value = now.find(name);
    const bool same = old_value == before.end()
                          ? new_value == now.end()
                          : new_value != now.end() && *old_value == *new_value;
    if (!same) change.changed.push_back(name);
  }
  return change;
}

std::vector<std::string> keys_that_need_a_stop(std::span<const std::string> changed) {
  FeedSpec spec;
  const std::vector<FeedKey> table = feed_key_table(spec);
  std::vector<std::string> out;
  for (const std::string& name : changed) {
    const FeedKey* key = find(table, name);
    if (key == nullptr || !key->while_running) out.push_back(name);
  }
  return out;
}

Result<Json> settings_json(std::span<const Option> table, std::span<const Setting> settings) {
  Json out = Json::object();
  for (const Setting& setting : settings) {
    const auto option = std::find_if(table.begin(), table.end(),
                                     [&](const Option& o) { return o.name == setting.name; });
    if (option == table.end()) continue;
    std::vector<std::string> values = setting.values;
    if (option->kind == OptionKind::secret_uri) {
      for (std::string& value : values) {
        Result<std::string> expanded = expand_references(value);
        if (!expanded.ok()) return expanded.error().within(setting.place);
        value = std::move(expanded).value();
      }
    }
    out[setting.name] =
        option->kind == OptionKind::list ? Json(std::move(values)) : Json(std::move(values[0]));
  }
  return out;
}

std::string page_row(const FeedKey& key) {
  return fmt::format("| `{}` | {} | {} | {} | {} |", key.option.name, key.option.help, key.usual,
                     key.range, key.while_running ? "yes" : "no");
}

}  // namespace wherry::control
