#include <fmt/format.h>
#include <toml++/toml.h>

#include <optional>
#include <utility>

#include "control/option_table.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

// The value as the command line would have it; nothing for a table, a date and other kinds.
std::optional<std::string> as_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

Result<std::vector<std::string>> values_of(const toml::node& node, const Option& option,
                                           const std::string& place) {
  std::vector<std::string> values;
  if (const toml::array* list = node.as_array()) {
    if (option.kind != OptionKind::list && !option.repeatable) {
      return usage(place + " takes one value, not a list");
    }
    for (const toml::node& item : *list) {
      std::optional<std::string> text = as_text(item);
      if (!text) return usage(place + " is a list of texts");
      values.push_back(std::move(*text));
    }
    return values;
  }
  std::optional<std::string> text = as_text(node);
  if (!text) return usage(place + " is a text, a number, true or false");
  if (option.kind == OptionKind::toggle && !node.is_boolean())
    return usage(place + " is true or false");
  values.push_back(std::move(*text));
  return values;
}

Result<std::vector<Setting>> settings_of(std::span<const Option> table, const toml::table& root,
                                         const std::string& file) {
  std::vector<std::string_view> names;
  for (const Option& option : table) names.push_back(option.name);

  std::vector<Setting> settings;
  for (const auto& [key, node] : root) {
    const std::string place =
        fmt::format("key {} in {} (line {})", key.str(), file, node.source().begin.line);
    const Option* option = nullptr;
    for (const Option& candidate : table) {
      if (candidate.name == key.str()) option = &candidate;
    }
    if (option == nullptr) return usage("unknown " + place + did_you_mean(key.str(), names));
    if (option->name == "config") return usage(place + ": a file cannot name another file");
    Result<std::vector<std::string>> values = values_of(node, *option, place);
    if (!values.ok()) return values.error();
    if (values.value().empty()) continue;
    settings.push_back({std::string(key.str()), std::move(values).value(), place});
  }
  return settings;
}

}  // namespace

Result<std::vector<Setting>> read_config(std::span<const Option> table, std::string_view text,
                                         const std::string& file) {
  try {
    const toml::table root = toml::parse(text, file);
    return settings_of(table, root, file);
  } catch (const toml::parse_error& error) {
    return usage(
        fmt::format("{} (line {}): {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace wherry::control
