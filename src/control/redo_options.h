// What `wherry redo` was asked to do. Values; no threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/copy_options.h"
#include "control/option_table.h"
#include "control/redo_apply.h"

namespace wherry::control {

enum class RedoAction { meta, verify, apply };

struct RedoCommandOptions {
  RedoAction action = RedoAction::meta;
  RedoApplyOptions apply;  // storage and feed are of all actions
  bool json = false;
};

// Fills what it is given, which must outlive it.
std::vector<Option> redo_option_table(RedoCommandOptions& options, ProgramOptions& program);

// The first word is the action.
Result<RedoCommandOptions> read_redo_options(std::span<const std::string> arguments,
                                             ProgramOptions& program);

}  // namespace wherry::control
