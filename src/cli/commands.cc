#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.h"
#include "control/copy_options.h"
#include "control/exit_code.h"
#include "control/feed_client.h"
#include "control/redo_options.h"
#include "control/serve_options.h"
#include "control/version.h"
#include "support/nearest.h"

namespace wherry::cli {
namespace {

using control::ExitCode;

constexpr std::size_t kHelpWidth = 100;

// The options of a table without the objects that it would fill: only names and help are read.
std::vector<control::Option> copy_options() {
  static control::CopyOptions copy;
  static control::ProgramOptions program;
  return control::copy_option_table(copy, program);
}
std::vector<control::Option> check_options() {
  static control::CopyOptions copy;
  static control::ProgramOptions program;
  return control::check_option_table(copy, program);
}

std::vector<control::Option> serve_options() {
  static control::ServeOptions serve;
  static control::ProgramOptions program;
  return control::serve_option_table(serve, program);
}

std::vector<control::Option> redo_options() {
  static control::RedoCommandOptions redo;
  static control::ProgramOptions program;
  return control::redo_option_table(redo, program);
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

int shown(std::string_view text) {
  return static_cast<int>(give(text) ? ExitCode::done : ExitCode::failed);
}

int refuse(std::string_view message) {
  say(fmt::format("wherry: {}\n", message));
  return static_cast<int>(ExitCode::usage);
}

int unknown_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return refuse(fmt::format("unknown command '{}'{}; wherry help lists them", name,
                            did_you_mean(name, names)));
}

int not_built(const Command& command) {
  return refuse(fmt::format("this build does not have the command '{}'", command.name));
}

std::string overview() {
  std::string out =
      "wherry moves a live MySQL or MariaDB database to another server.\n\n"
      "  wherry <command> [options]\n\n";
  for (const Command& command : commands()) {
    out += fmt::format("  {:<10} {}{}\n", command.name, command.summary,
                       command.run ? "" : " (not in this build)");
  }
  return out +
         "\nwherry help COMMAND shows its options. Each is also a key of the TOML file given by "
         "--config.\n"
         "Exit codes: 0 done, 1 failed, 2 refused, 3 differences found, 4 interrupted and "
         "resumable.\n";
}

int run_help(Arguments arguments) {
  if (arguments.empty()) {
    return shown(overview());
  }
  if (arguments.size() > 1) return refuse("help takes one command");
  const Command* command = find_command(arguments[0]);
  if (command == nullptr) return unknown_command(arguments[0]);
  if (!command->run) return not_built(*command);
  std::string text =
      fmt::format("wherry {} {}\n\n  {}\n", command->name, command->use, command->summary);
  if (command->options) text += "\n" + control::describe(command->options(), kHelpWidth);
  return shown(text);
}

int run_version(Arguments arguments) {
  if (!arguments.empty()) return refuse("version takes no arguments");
  return shown(fmt::format("wherry {}\n", control::version()));
}

int run_completion(Arguments arguments) {
  if (!arguments.empty()) return refuse("completion takes no arguments");
  return shown(bash_completion());
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"copy", "--source URI --target URI [options]", "one live migration", run_copy, copy_options},
      {"check", "[--source URI] [--target URI] [options]",
       "look at the servers before a copy; changes nothing", run_check, check_options},
      {"verify", "", "compare two servers", {}, {}},
      {"serve", "--data-dir DIR [options]", "continuous feeds behind an API", run_serve,
       serve_options},
      {"feed", "create|list|show|pause|resume|update|remove [NAME] [options]",
       "steer the feeds of a server", run_feed, control::feed_option_table},
      {"redo", "meta|verify|apply --storage URI [options]",
       "look at a redo, check it, or replay it into the target", run_redo, redo_options},
      {"consume", "", "replay what a sink stored", {}, {}},
      {"help", "[COMMAND]", "the commands, or the options of one", run_help, {}},
      {"completion",
       "",
       "a completion file for bash: source <(wherry completion)",
       run_completion,
       {}},
      {"version", "", "the version", run_version, {}},
  };
  return table;
}

int run_program(Arguments words) {
  if (words.empty()) {
    say(overview());
    return static_cast<int>(ExitCode::usage);
  }
  std::string name = words[0];
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  const Command* command = find_command(name);
  if (command == nullptr) return unknown_command(words[0]);
  const Arguments arguments = words.subspan(1);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    return run_help(words.first(1));
  }
  return command->run ? command->run(arguments) : not_built(*command);
}

}  // namespace wherry::cli
