#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/output.h"
#include "control/exit_code.h"
#include "control/redo_look.h"
#include "control/redo_options.h"
#include "control/signals.h"
#include "support/guarded.h"
#include "support/log.h"

namespace wherry::cli {
namespace {

using control::ExitCode;
using namespace std::chrono_literals;

constexpr auto kTellEvery = 10s;

int fail(const Error& error) {
  say(fmt::format("wherry redo: {}\n", error.what));
  return static_cast<int>(control::exit_code(error));
}

int give_result(const std::string& text, ExitCode code) {
  return static_cast<int>(give(text) ? code : ExitCode::failed);
}

int run_meta(const control::RedoCommandOptions& options) {
  const Result<std::string> meta =
      control::redo_meta(options.apply.storage_uri, options.apply.feed, options.json);
  return meta.ok() ? give_result(meta.value(), ExitCode::done) : fail(meta.error());
}

int run_verify(const control::RedoCommandOptions& options) {
  const Result<control::RedoVerdict> verdict =
      control::verify_redo(options.apply.storage_uri, options.apply.feed);
  if (!verdict.ok()) return fail(verdict.error());
  return give_result(options.json ? control::verdict_json(verdict.value())
                                  : control::verdict_text(verdict.value()),
                     verdict.value().findings.empty() ? ExitCode::done : ExitCode::differs);
}

std::string progress_line(const control::RedoApplyProgress& now, double seconds) {
  const std::uint64_t all = now.last - now.from;
  const std::uint64_t done = now.low - now.from;
  std::string line = fmt::format("{} of {} transactions", done, all);
  if (done > 0 && seconds > 0) {
    const double left = seconds * static_cast<double>(all - done) / static_cast<double>(done);
    line += fmt::format(", {:.0f} /s, {:.0f} s left", static_cast<double>(done) / seconds, left);
  }
  if (!now.waiting_for.empty()) line += "; waits for " + now.waiting_for;
  return line;
}

std::string report_text(const control::RedoApplyReport& report, bool dry_run) {
  const std::string who = report.tables.empty()
                              ? "the target stands"
                              : fmt::format("{} alone stand", fmt::join(report.tables, ","));
  return fmt::format("{} {} transactions of feed {} ({} changes) in {:.1f} s: {} at {} {}\n",
                     dry_run ? "would apply" : "applied", report.transactions, report.feed,
                     report.changes, report.seconds, who, report.to.file.to_string(),
                     report.to.gtid);
}

std::string report_json(const control::RedoApplyReport& report, bool dry_run) {
  const auto place = [](const store::Place& at) {
    return nlohmann::json{
        {"cseq", at.cseq}, {"gtid", at.gtid}, {"file", at.file.file}, {"offset", at.file.offset}};
  };
  nlohmann::json json;
  json["feed"] = report.feed;
  json["dry_run"] = dry_run;
  if (!report.tables.empty()) json["tables"] = report.tables;
  json["from"] = place(report.from);
  json["to"] = place(report.to);
  json["transactions"] = report.transactions;
  json["changes"] = report.changes;
  json["bytes"] = report.bytes;
  json["seconds"] = report.seconds;
  return json.dump(2) + "\n";
}

int run_apply(const control::RedoCommandOptions& options) {
  control::RedoApply apply(options.apply);
  Guarded<bool> ended(false);
  const control::SignalWatch signals({[&apply] { apply.stop(); }, [] {}});
  std::thread teller([&] {
    const auto begun = std::chrono::steady_clock::now();
    while (!ended.wait_for(kTellEvery, [](bool now) { return now; })) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
      say(progress_line(apply.progress(), took.count()) + "\n");
    }
  });
  const Result<control::RedoApplyReport> report = apply.run();
  ended.with([](bool& now) { now = true; });
  teller.join();
  if (!report.ok()) return fail(report.error());
  const bool dry_run = options.apply.dry_run;
  return give_result(
      options.json ? report_json(report.value(), dry_run) : report_text(report.value(), dry_run),
      ExitCode::done);
}

}  // namespace

int run_redo(Arguments arguments) {
  control::ProgramOptions program;
  const Result<control::RedoCommandOptions> read = control::read_redo_options(arguments, program);
  if (!read.ok()) return fail(read.error());
  const control::RedoCommandOptions& options = read.value();
  log::configure(program.log_level, program.log_format);
  switch (options.action) {
    case control::RedoAction::meta:
      return run_meta(options);
    case control::RedoAction::verify:
      return run_verify(options);
    case control::RedoAction::apply:
      control::SignalWatch::block();
      return run_apply(options);
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace wherry::cli
