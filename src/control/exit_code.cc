#include "control/exit_code.h"

#include <algorithm>

namespace wherry::control {

ExitCode exit_code(const Error& error) {
  switch (error.code) {
    case Errc::usage:
    case Errc::refused:
      return ExitCode::usage;
    case Errc::interrupted:
      return ExitCode::interrupted;
    case Errc::differs:
      return ExitCode::differs;
    case Errc::truncated:
    case Errc::malformed:
    case Errc::unsupported:
    case Errc::network:
    case Errc::timeout:
    case Errc::server:
    case Errc::conflict:
    case Errc::lost:
    case Errc::io:
      return ExitCode::failed;
  }
  return ExitCode::failed;
}

ExitCode exit_code(const Status& outcome, const CopyStatus& status) {
  if (!outcome.ok()) return exit_code(outcome.error());
  const bool differs = std::any_of(status.tables.begin(), status.tables.end(),
                                   [](const TableStatus& table) { return table.differences > 0; });
  return differs ? ExitCode::differs : ExitCode::done;
}

}  // namespace wherry::control
