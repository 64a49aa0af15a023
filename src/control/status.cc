#include "control/status.h"

namespace wherry::control {

std::string_view to_string(CopyState state) {
  switch (state) {
    case CopyState::starting:
      return "starting";
    case CopyState::copying:
      return "copying";
    case CopyState::catching_up:
      return "catching-up";
    case CopyState::waiting_for_cutover:
      return "waiting-for-cutover";
    case CopyState::cutover:
      return "cutover";
    case CopyState::verifying:
      return "verifying";
    case CopyState::done:
      return "done";
    case CopyState::paused:
      return "paused";
    case CopyState::failed:
      return "failed";
    case CopyState::interrupted:
      return "interrupted";
  }
  return "failed";
}

std::uint64_t rows_verified(const CopyStatus& status) {
  std::uint64_t rows = 0;
  for (const TableStatus& table : status.tables) rows += table.rows_verified;
  return rows;
}

}  // namespace wherry::control
