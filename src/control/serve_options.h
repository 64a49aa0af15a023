// What `wherry serve` was asked to do. Values; no threads.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "control/copy_options.h"
#include "control/option_table.h"
#include "support/result.h"

namespace wherry::control {

struct ServeOptions {
  std::string data_dir;
  std::string api = "127.0.0.1:8400";
  std::chrono::milliseconds drain_timeout{60'000};
};

// Fills what it is given, which must outlive it.
std::vector<Option> serve_option_table(ServeOptions& serve, ProgramOptions& program);

Result<ServeOptions> read_serve_options(std::span<const std::string> arguments,
                                        ProgramOptions& program);

}  // namespace wherry::control
