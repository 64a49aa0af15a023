// The commands of the program as a table: the dispatcher, the help and the completion file read it.
// Commands run on the main thread and return the exit code.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/option_table.h"
#include "control/options.h"

namespace wherry::cli {

using Arguments = std::span<const std::string>;

struct Command {
  std::string_view name;
  std::string_view use;  // after the name: "--source URI --target URI [options]"
  std::string_view summary;
  // Empty: this build does not have the command.
  std::function<int(Arguments)> run;
  // Its options, for the help and the completion file alone; empty: none.
  std::function<std::vector<control::Option>()> options;
};

// In the order of the help.
const std::vector<Command>& commands();

int run_program(Arguments words);

int run_copy(Arguments arguments);
int run_check(Arguments arguments);
int run_serve(Arguments arguments);
int run_feed(Arguments arguments);
int run_redo(Arguments arguments);
// check, and copy --dry-run.
int check_and_print(const control::CopyOptions& options);

// A completion file for bash, from the table.
std::string bash_completion();

}  // namespace wherry::cli
