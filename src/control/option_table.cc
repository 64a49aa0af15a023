#include "control/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "model/uri.h"
#include "support/ascii.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

constexpr std::string_view kConfig = "config";

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

const Option* find(std::span<const Option> table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool may_repeat(const Option& option) {
  return option.kind == OptionKind::list || option.repeatable;
}

Error unknown_option(std::span<const Option> table, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Option& option : table) names.push_back(option.name);
  const std::string_view near = nearest(name, names);
  return usage(near.empty() ? fmt::format("unknown option --{}", name)
                            : fmt::format("unknown option --{} (did you mean --{}?)", name, near));
}

// Adds a value to what the option was given so far.
Status add_value(std::vector<Setting>& settings, const Option& option, std::string value) {
  const auto given = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& s) { return s.name == option.name; });
  if (given == settings.end()) {
    settings.push_back(
        {std::string(option.name), {std::move(value)}, fmt::format("--{}", option.name)});
    return Unit{};
  }
  if (!may_repeat(option)) return usage(fmt::format("--{} is given twice", option.name));
  given->values.push_back(std::move(value));
  return Unit{};
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        ascii::letter(c) || ascii::digit(c) || c == '-' || c == '_' || c == '.' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return usage(fmt::format("cannot read the file {}", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::string> referenced(std::string_view name) {
  constexpr std::string_view kFile = "file:";
  if (name.starts_with(kFile)) {
    Result<std::string> text = read_file(std::string(name.substr(kFile.size())));
    if (!text.ok()) return text.error();
    std::string value = std::move(text).value();
    if (value.ends_with('\n')) value.pop_back();
    if (value.ends_with('\r')) value.pop_back();
    return value;
  }
  const std::string variable(name);
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (value == nullptr)
    return usage(fmt::format("the environment variable {} is not set", variable));
  return std::string(value);
}

Status apply_one(const Option& option, const Setting& setting) {
  for (const std::string& given : setting.values) {
    std::string value = given;
    if (option.kind == OptionKind::secret_uri) {
      Result<std::string> expanded = expand_references(given);
      if (!expanded.ok()) return expanded.error().within(setting.place);
      value = std::move(expanded).value();
    }
    const Status done = option.set(value);
    if (!done.ok()) return done.error().within(setting.place);
  }
  return Unit{};
}

// Breaks text at blanks so that no line is longer than width.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

}  // namespace

Result<std::vector<Setting>> read_arguments(std::span<const Option> table,
                                            std::span<const std::string> arguments) {
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with("--") || word.size() == 2) {
      return usage(
          fmt::format("'{}' is not an option; options are written --name value", redacted(word)));
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const Option* option = find(table, name);
    if (option == nullptr) return unknown_option(table, name);

    std::string value = "true";
    if (equals != word.npos) {
      value = std::string(word.substr(equals + 1));
    } else if (option->kind != OptionKind::toggle) {
      if (i + 1 == arguments.size())
        return usage(fmt::format("--{} needs {}", name, option->value_word));
      value = arguments[++i];
    }
    const Status added = add_value(settings, *option, std::move(value));
    if (!added.ok()) return added.error();
  }
  return settings;
}

Status apply_settings(std::span<const Option> table, std::vector<Setting> command_line,
                      std::vector<Setting> file) {
  std::vector<Setting> all = std::move(command_line);
  for (Setting& setting : file) {
    const bool hidden = std::any_of(all.begin(), all.end(),
                                    [&](const Setting& s) { return s.name == setting.name; });
    if (!hidden) all.push_back(std::move(setting));
  }
  // In the table's order, so that of two mistakes the same one is named each time.
  for (const Option& option : table) {
    const auto setting = std::find_if(all.begin(), all.end(),
                                      [&](const Setting& s) { return s.name == option.name; });
    if (setting == all.end()) continue;
    if (option.kind == OptionKind::toggle && setting->values[0] != "true" &&
        setting->values[0] != "false") {
      return usage(setting->place + " is true or false");
    }
    const Status done = apply_one(option, *setting);
    if (!done.ok()) return done.error();
  }
  return Unit{};
}

Status read_options(std::span<const Option> table, std::span<const std::string> arguments) {
  Result<std::vector<Setting>> line = read_arguments(table, arguments);
  if (!line.ok()) return line.error();
  const auto config = std::find_if(line.value().begin(), line.value().end(),
                                   [](const Setting& s) { return s.name == kConfig; });
  std::vector<Setting> from_file;
  if (config != line.value().end()) {
    const std::string& path = config->values[0];
    const Result<std::string> text = read_file(path);
    if (!text.ok()) return text.error().within("--config");
    Result<std::vector<Setting>> read = read_config(table, text.value(), path);
    if (!read.ok()) return read.error();
    from_file = std::move(read).value();
  }
  return apply_settings(table, std::move(line).value(), std::move(from_file));
}

Result<std::string> expand_references(std::string_view text) {
  std::string out;
  const std::string_view whole = text;
  while (!text.empty()) {
    const std::size_t start = text.find("${");
    out += text.substr(0, start);
    if (start == text.npos) break;
    const std::size_t end = text.find('}', start);
    if (end == text.npos) return usage("'${' without its '}'");
    Result<std::string> value = referenced(text.substr(start + 2, end - start - 2));
    if (!value.ok()) return value.error();
    const bool alone = start == 0 && text.size() == whole.size() && end + 1 == text.size();
    out += alone ? value.value() : percent_encoded(value.value());
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string describe(std::span<const Option> table, std::size_t width) {
  constexpr std::size_t kIndent = 30;
  std::string out;
  for (const Option& option : table) {
    std::string left = fmt::format("  --{}", option.name);
    if (option.kind != OptionKind::toggle) left += " " + option.value_word;
    const std::vector<std::string> lines = wrapped(option.help, width - kIndent);
    std::size_t next = 0;
    if (left.size() + 2 <= kIndent) {
      out += fmt::format("{:<{}}{}\n", left, kIndent, lines[0]);
      next = 1;
    } else {
      out += left + "\n";
    }
    for (; next < lines.size(); ++next) out += fmt::format("{:{}}{}\n", "", kIndent, lines[next]);
  }
  return out;
}

}  // namespace wherry::control
