#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
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

// The table of a file and what it adds to the settings.
struct Reading {
  std::span<const Option> table;
  const std::string& file;
  std::vector<Setting> settings;
};

const Option* find(std::span<const Option> table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.name == name; });
  return found == table.end() ? nullptr : &*found;
}

// Whether options have names that go on after this one and a dot: "[log]" for "log.memory".
bool is_section(std::span<const Option> table, std::string_view name) {
  return std::any_of(table.begin(), table.end(), [&](const Option& option) {
    return option.name.size() > name.size() && option.name.starts_with(name) &&
           option.name[name.size()] == '.';
  });
}

Status read_key(Reading& to, const std::string& name, const toml::node& node) {
  const std::string place =
      fmt::format("key {} in {} (line {})", name, to.file, node.source().begin.line);
  const Option* option = find(to.table, name);
  if (option == nullptr) {
    std::vector<std::string_view> names;
    for (const Option& known : to.table) names.push_back(known.name);
    return usage("unknown " + place + did_you_mean(name, names));
  }
  if (option->name == "config") return usage(place + ": a file cannot name another file");
  Result<std::vector<std::string>> values = values_of(node, *option, place);
  if (!values.ok()) return values.error();
  if (values.value().empty()) return Unit{};
  to.settings.push_back({name, std::move(values).value(), place});
  return Unit{};
}

Status read_table(Reading& to, const toml::table& keys, const std::string& section) {
  for (const auto& [key, node] : keys) {
    const std::string name = section + std::string(key.str());
    const toml::table* inner = node.as_table();
    const bool opens = inner != nullptr && is_section(to.table, name);
    Status done = opens ? read_table(to, *inner, name + ".") : read_key(to, name, node);
    if (!done.ok()) return done;
  }
  return Unit{};
}

}  // namespace

Result<std::vector<Setting>> read_config(std::span<const Option> table, std::string_view text,
                                         const std::string& file) {
  try {
    const toml::table root = toml::parse(text, file);
    Reading reading{table, file, {}};
    const Status done = read_table(reading, root, "");
    if (!done.ok()) return done.error();
    return std::move(reading.settings);
  } catch (const toml::parse_error& error) {
    return usage(
        fmt::format("{} (line {}): {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace wherry::control
