#include "control/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "control/status_json.h"
#include "control/version.h"
#include "support/units.h"

namespace wherry::control {
namespace {

using std::chrono::milliseconds;

milliseconds elapsed(const CopyStatus& status) {
  return std::chrono::duration_cast<milliseconds>(status.updated - status.started);
}

std::uint64_t count_differences(const CopyStatus& status) {
  std::uint64_t count = 0;
  for (const TableStatus& table : status.tables) count += table.differences;
  return count;
}

// Equal in every table, and at least looked at.
bool is_verified(const CopyStatus& status, const CopyOptions& options) {
  if (options.verify == VerifyKind::none || status.state != CopyState::done) return false;
  return std::all_of(status.tables.begin(), status.tables.end(),
                     [](const TableStatus& table) { return table.verified == "equal"; });
}

// What the reader must know whatever happened in the run.
std::vector<std::string> standing_warnings(const CopyStatus& status, const CopyOptions& options) {
  std::vector<std::string> out = status.warnings;
  if (!status.source_fenced && status.state == CopyState::done) {
    out.emplace_back(
        "the source was not fenced: writes that came after the stop position are not at the "
        "target");
  }
  if (options.verify == VerifyKind::none) out.emplace_back("nothing was verified (--verify none)");
  out.emplace_back("accounts, roles and grants are not copied");
  std::string missing;
  const auto note = [&](bool copied, std::string_view name) {
    if (!copied) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  };
  note(options.with_views, "views");
  note(options.with_triggers, "triggers");
  note(options.with_routines, "routines");
  note(options.with_events, "events");
  if (!missing.empty())
    out.push_back(fmt::format("not copied, since --with does not name them: {}", missing));
  return out;
}

Json totals_json(const CopyStatus& status) {
  std::uint64_t verified = 0;
  for (const TableStatus& table : status.tables) verified += table.rows_verified;
  return {{"tables", status.tables.size()},
          {"rows_copied", status.rows_copied},
          {"bytes_copied", status.bytes_copied},
          {"transactions_applied", status.transactions_applied},
          {"changes_applied", status.changes_applied},
          {"rows_verified", verified},
          {"differences", count_differences(status)}};
}

std::string_view verify_word(VerifyKind kind) {
  return kind == VerifyKind::none ? "none" : "checksum";
}

std::string table_lines(const CopyStatus& status) {
  std::size_t width = 5;
  for (const TableStatus& table : status.tables) width = std::max(width, table.name.size());
  width = std::min<std::size_t>(width, 50);
  std::string out = fmt::format("  {:<{}} {:>14} {:>12} {:>12} {:>14}  {}\n", "table", width,
                                "rows copied", "bytes", "changes", "rows verified", "verdict");
  for (const TableStatus& table : status.tables) {
    std::string verdict = table.verified.empty() ? "not verified" : table.verified;
    if (table.differences > 0) verdict += fmt::format(" ({} rows)", table.differences);
    fmt::format_to(std::back_inserter(out), "  {:<{}} {:>14} {:>12} {:>12} {:>14}  {}\n",
                   table.name, width, table.rows_copied, format_bytes(table.bytes_copied),
                   table.changes_applied, table.rows_verified, verdict);
  }
  return out;
}

// In the order in which they pass; phases of other names come last.
std::string phase_line(const CopyStatus& status) {
  constexpr std::array kOrder = {CopyState::starting,    CopyState::copying,
                                 CopyState::catching_up, CopyState::waiting_for_cutover,
                                 CopyState::cutover,     CopyState::verifying,
                                 CopyState::paused};
  std::map<std::string, double> rest = status.phase_seconds;
  std::string out;
  const auto add = [&](std::string_view phase, double seconds) {
    out += fmt::format("{}{} {:.2f} s", out.empty() ? "  " : ", ", phase, seconds);
  };
  for (const CopyState state : kOrder) {
    const auto found = rest.find(std::string(to_string(state)));
    if (found == rest.end()) continue;
    add(found->first, found->second);
    rest.erase(found);
  }
  for (const auto& [phase, seconds] : rest) add(phase, seconds);
  return out + "\n";
}

std::string position_text(const Position& position) {
  if (position.empty()) return "-";
  if (position.gtid.empty()) return position.file.to_string();
  if (position.file.empty()) return position.gtid;
  return fmt::format("{} ({})", position.gtid, position.file.to_string());
}

std::string headline(const CopyStatus& status, const CopyOptions& options) {
  std::string out = fmt::format("copy {} -> {}: {}", options.source.to_string(),
                                options.target.to_string(), to_string(status.state));
  if (status.state == CopyState::done) {
    out += is_verified(status, options)    ? ", source and target are equal"
           : count_differences(status) > 0 ? ", DIFFERENCES FOUND"
                                           : ", not verified";
  }
  return out + fmt::format(", {}\n", format_duration(elapsed(status)));
}

Error io_error(const std::string& path, std::string_view step) {
  return {Errc::io, fmt::format("{} {}: {}", step, path, std::strerror(errno))};
}

Status write_all(int file, const std::string& text, const std::string& path) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t count = ::write(file, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error(path, "write");
    at += static_cast<std::size_t>(count);
  }
  if (::fsync(file) != 0) return io_error(path, "sync");
  return Unit{};
}

}  // namespace

std::string report_json(const CopyStatus& status, const CopyOptions& options) {
  Json out = {{"wherry", version()},
              {"command", "copy"},
              {"state", to_string(status.state)},
              {"error", status.error ? to_json(*status.error) : Json(nullptr)},
              {"resumable", status.resumable},
              {"verify", verify_word(options.verify)},
              {"verified", is_verified(status, options)},
              {"fenced", status.source_fenced},
              {"source", options.source.to_string()},
              {"target", options.target.to_string()},
              {"started", to_json(status.started)},
              {"ended", to_json(status.updated)},
              {"seconds", static_cast<double>(elapsed(status).count()) / 1000},
              {"phase_seconds", status.phase_seconds},
              {"downtime_ms", status.downtime ? Json(status.downtime->count()) : Json(nullptr)},
              {"positions",
               {{"start", to_json(status.start)},
                {"stop", to_json(status.current)},
                {"cutover", to_json(status.stop)}}},
              {"source_generations", status.source_generation},
              {"totals", totals_json(status)},
              {"ignored", status.ignored},
              {"warnings", standing_warnings(status, options)}};
  out["tables"] = Json::array();
  for (const TableStatus& table : status.tables) out["tables"].push_back(to_json(table));
  out["differences"] = Json::array();
  for (const Difference& difference : status.differences)
    out["differences"].push_back(to_json(difference));
  return dump(out, 2) + "\n";
}

std::string report_text(const CopyStatus& status, const CopyOptions& options) {
  std::string out = headline(status, options);
  if (status.error) {
    out += fmt::format("  error: {} ({})\n", status.error->what, to_string(status.error->code));
    out += status.resumable ? "  it can be gone on with: the same command with --resume\n"
                            : "  it cannot be resumed\n";
  }
  if (!status.tables.empty()) out += table_lines(status);
  out += fmt::format("  {} transactions with {} row changes applied\n", status.transactions_applied,
                     status.changes_applied);
  out += fmt::format("  position at start {}, at the end {}\n", position_text(status.start),
                     position_text(status.current));
  if (status.downtime) out += fmt::format("  downtime {}\n", format_duration(*status.downtime));
  if (!status.phase_seconds.empty()) out += phase_line(status);
  for (const Difference& difference : status.differences) {
    out += fmt::format("  difference: {} {} {}{}{}\n", difference.table, difference.key,
                       difference.kind, difference.columns.empty() ? "" : " in ",
                       fmt::join(difference.columns, ", "));
  }
  for (const std::string& warning : standing_warnings(status, options)) {
    out += fmt::format("  note: {}\n", warning);
  }
  return out;
}

Status check_report_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return Unit{};
  return Error{Errc::usage,
               fmt::format("--report: cannot write into {}: {}", folder, std::strerror(errno))};
}

Status write_report(const std::string& path, const std::string& text) {
  const std::string draft = fmt::format("{}.{}.new", path, ::getpid());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return io_error(draft, "open");
  Status written = write_all(file, text, draft);
  ::close(file);
  if (written.ok() && ::rename(draft.c_str(), path.c_str()) != 0)
    written = io_error(path, "rename to");
  if (!written.ok()) ::unlink(draft.c_str());
  return written;
}

}  // namespace wherry::control
