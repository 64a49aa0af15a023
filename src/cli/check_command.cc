#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "control/copy_options.h"
#include "control/exit_code.h"
#include "control/finding.h"
#include "control/servers_check.h"
#include "support/log.h"

namespace wherry::cli {

int check_and_print(const control::CopyOptions& options) {
  const Result<std::vector<control::Finding>> findings = control::check_servers(options);
  if (!findings.ok()) {
    say(fmt::format("wherry: {}\n", findings.error().what));
    return static_cast<int>(control::exit_code(findings.error()));
  }
  const bool given = give(options.json ? control::findings_json(findings.value())
                                       : control::findings_table(findings.value()));
  const bool refused = !control::verdict(findings.value()).ok();
  if (refused) return static_cast<int>(control::ExitCode::usage);
  return static_cast<int>(given ? control::ExitCode::done : control::ExitCode::failed);
}

int run_check(Arguments arguments) {
  control::ProgramOptions program;
  const Result<control::CopyOptions> options = control::read_check_options(arguments, program);
  if (!options.ok()) {
    say(fmt::format("wherry check: {}\n", options.error().what));
    return static_cast<int>(control::exit_code(options.error()));
  }
  log::configure(program.log_level, program.log_format);
  return check_and_print(options.value());
}

}  // namespace wherry::cli
