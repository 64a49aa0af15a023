// The options of `wherry copy` and `wherry check` as tables, and what the words of the command line
// become. Refuses what contradicts itself and what this build does not have. Values; no threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/option_table.h"
#include "control/options.h"
#include "support/log.h"
#include "support/result.h"

namespace wherry::control {

// What every command takes.
struct ProgramOptions {
  std::string config_file;
  log::Level log_level = log::Level::info;
  log::Format log_format = log::Format::text;
};

std::vector<Option> program_options(ProgramOptions& program);

// The tables fill the objects they are given, which must outlive them.
std::vector<Option> copy_option_table(CopyOptions& copy, ProgramOptions& program);
// A server that is not named leaves its URI empty.
std::vector<Option> check_option_table(CopyOptions& copy, ProgramOptions& program);

// Command line and file; Errc::usage names the option. What has been read is checked as a whole.
Result<CopyOptions> read_copy_options(std::span<const std::string> arguments,
                                      ProgramOptions& program);
Result<CopyOptions> read_check_options(std::span<const std::string> arguments,
                                       ProgramOptions& program);

}  // namespace wherry::control
