#include <fmt/format.h>

#include <array>

#include "control/exposition.h"
#include "control/status_json.h"
#include "control/version.h"

namespace wherry::control {
namespace {

constexpr std::array kStates = {CopyState::starting,    CopyState::copying,
                                CopyState::catching_up, CopyState::waiting_for_cutover,
                                CopyState::cutover,     CopyState::verifying,
                                CopyState::done,        CopyState::paused,
                                CopyState::failed,      CopyState::interrupted};

void add_tables(Exposition& out, const CopyStatus& status) {
  const auto each = [&](std::string_view name, std::string_view help, auto value) {
    out.family(name, "counter", help);
    for (const TableStatus& table : status.tables) {
      out.sample(name, fmt::format("table=\"{}\"", label_text(table.name)), value(table));
    }
  };
  each("table_rows_copied_total", "Rows copied, by table of the source.",
       [](const TableStatus& t) { return t.rows_copied; });
  each("table_changes_applied_total", "Row changes applied, by table of the source.",
       [](const TableStatus& t) { return t.changes_applied; });
  each("table_differences_total", "Rows that the verifier found to differ, by table of the source.",
       [](const TableStatus& t) { return t.differences; });
}

}  // namespace

std::string metrics_text(const CopyStatus& status) {
  Exposition out;
  out.family("build_info", "gauge", "The version of the program.");
  out.sample("build_info", fmt::format("version=\"{}\"", version()), 1);
  out.family("copy_state", "gauge", "1 for the state that the copy is in.");
  for (const CopyState state : kStates) {
    out.sample("copy_state", fmt::format("state=\"{}\"", to_string(state)),
               state == status.state ? 1 : 0);
  }
  out.single("copy_rows_estimate", "gauge", "Rows to copy, as the source estimates them.",
             status.rows_estimate);
  out.single("copy_rows_total", "counter", "Rows copied.", status.rows_copied);
  out.single("copy_bytes_total", "counter", "Bytes copied.", status.bytes_copied);
  out.single("transactions_applied_total", "counter", "Source transactions applied.",
             status.transactions_applied);
  out.single("changes_applied_total", "counter", "Row changes applied.", status.changes_applied);
  out.single("lag_seconds", "gauge", "Age of the last change that was applied.",
             static_cast<double>(status.lag.count()) / 1000);
  out.single("source_generation", "gauge", "How often the source was replaced, from 1.",
             status.source_generation);
  out.single("source_fenced", "gauge", "1 while the application's writes are stopped.",
             status.source_fenced ? 1 : 0);
  out.family("ignored_total", "counter", "Statements and events that were left out, by kind.");
  for (const auto& [kind, count] : status.ignored) {
    out.sample("ignored_total", fmt::format("kind=\"{}\"", label_text(kind)), count);
  }
  out.family("phase_seconds", "gauge", "Seconds spent in each phase.");
  for (const auto& [phase, seconds] : status.phase_seconds) {
    out.sample("phase_seconds", fmt::format("phase=\"{}\"", label_text(phase)), seconds);
  }
  add_tables(out, status);
  return out.take();
}

}  // namespace wherry::control
