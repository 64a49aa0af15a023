#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"

namespace wherry::cli {
namespace {

// One line of the case statement that completes values: "--cutover) words=..." for a|b|c, files for
// FILE and DIR, nothing otherwise.
std::string value_case(const control::Option& option) {
  if (option.value_word == "FILE" || option.value_word == "DIR") {
    return fmt::format("    --{}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n",
                       option.name);
  }
  const bool words = option.value_word.find('|') != std::string::npos &&
                     std::none_of(option.value_word.begin(), option.value_word.end(),
                                  [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!words) return "";
  std::string list = option.value_word;
  std::replace(list.begin(), list.end(), '|', ' ');
  return fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                     option.name, list);
}

}  // namespace

std::string bash_completion() {
  std::string names;
  std::string values;
  std::string options;
  for (const Command& command : commands()) {
    if (!command.run) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    if (!command.options) continue;
    std::string list;
    for (const control::Option& option : command.options()) {
      list += fmt::format("{}--{}", list.empty() ? "" : " ", option.name);
      const std::string line = value_case(option);
      if (values.find(line) == std::string::npos) values += line;
    }
    options += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n",
                           command.name, list);
  }
  return "_wherry() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         names +
         "\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $before in\n" +
         values +
         "  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         options + "    help) COMPREPLY=($(compgen -W \"" + names +
         "\" -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _wherry wherry\n";
}

}  // namespace wherry::cli
