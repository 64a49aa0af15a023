#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "control/api_server.h"
#include "control/copy_job.h"
#include "control/copy_options.h"
#include "control/exit_code.h"
#include "control/progress_view.h"
#include "control/report.h"
#include "control/signals.h"
#include "support/log.h"

namespace wherry::cli {
namespace {

using control::CopyAction;
using control::CopyJob;
using control::CopyOptions;
using control::ExitCode;

int code(ExitCode exit) { return static_cast<int>(exit); }

int fail(const Error& error) {
  say(fmt::format("wherry copy: {}\n", error.what));
  return code(control::exit_code(error));
}

// The API's calls go to the job, which outlives it.
control::ApiCalls api_calls(CopyJob& job) {
  control::ApiCalls calls;
  calls.status = [&job] { return job.status(); };
  calls.request = [&job](CopyAction action) -> Status { return job.request(action); };
  calls.swap_source = [&job](const Endpoint& endpoint) { return job.swap_source(endpoint); };
  calls.change_settings = [&job](const control::LiveSettings& settings) {
    return job.change_settings(settings);
  };
  return calls;
}

using Apis = std::vector<std::unique_ptr<control::ApiServer>>;

// On the address of --api, on the socket in the folder of --state, on both, or nowhere.
Result<Apis> start_apis(const CopyOptions& options, CopyJob& job) {
  Apis apis;
  if (!options.state_dir.empty()) {
    Result<control::ControlSocket> socket = control::ControlSocket::open(options.state_dir);
    if (!socket.ok()) return socket.error().within("--state");
    Result<std::unique_ptr<control::ApiServer>> api =
        control::ApiServer::start(std::move(socket).value(), api_calls(job));
    if (!api.ok()) return api.error();
    apis.push_back(std::move(api).value());
  }
  if (!options.api.empty()) {
    const Result<control::ListenAddress> address = control::parse_listen_address(options.api);
    if (!address.ok()) return address.error().within("--api");
    Result<std::unique_ptr<control::ApiServer>> api =
        control::ApiServer::start(address.value(), api_calls(job));
    if (!api.ok()) return api.error();
    apis.push_back(std::move(api).value());
  }
  for (const auto& api : apis) say(fmt::format("api listening on {}\n", api->place()));
  return apis;
}

control::SignalCalls signal_calls(CopyJob& job, const CopyOptions& options) {
  control::SignalCalls calls;
  calls.stop = [&job] {
    const Status asked = job.request(CopyAction::stop);
    if (!asked.ok()) log::warning("control", "cannot stop now: {}", asked.error().what);
  };
  calls.report = [&job, &options] {
    if (const auto status = job.status()) {
      say(control::progress_line(*status) + "\n" + control::report_text(*status, options));
    }
  };
  return calls;
}

// The result goes to stdout, what people read to stderr.
int conclude(const Status& outcome, const control::CopyStatus& status, const CopyOptions& options) {
  const std::string json = control::report_json(status, options);
  say(control::report_text(status, options));
  if (!outcome.ok() && !status.error) say(fmt::format("wherry copy: {}\n", outcome.error().what));
  ExitCode exit = control::exit_code(outcome, status);
  if (options.json && !give(json) && exit == ExitCode::done) exit = ExitCode::failed;
  if (!options.report_file.empty()) {
    const Status written = control::write_report(options.report_file, json);
    if (!written.ok()) {
      say(fmt::format("wherry copy: {}\n", written.error().what));
      if (exit == ExitCode::done) exit = ExitCode::failed;
    }
  }
  return code(exit);
}

}  // namespace

int run_copy(Arguments arguments) {
  control::ProgramOptions program;
  const Result<CopyOptions> read = control::read_copy_options(arguments, program);
  if (!read.ok()) return fail(read.error());
  const CopyOptions& options = read.value();
  log::configure(program.log_level, program.log_format);
  if (options.dry_run) return check_and_print(options);
  if (!options.report_file.empty()) {
    const Status path = control::check_report_path(options.report_file);
    if (!path.ok()) return fail(path.error());
  }

  control::SignalWatch::block();
  CopyJob job(options);
  const control::SignalWatch signals(signal_calls(job, options));
  const Result<Apis> apis = start_apis(options, job);
  if (!apis.ok()) return fail(apis.error());
  std::optional<control::ProgressView> view(std::in_place, options.progress,
                                            [&job] { return job.status(); });
  const Status outcome = job.run();
  view.reset();
  return conclude(outcome, *job.status(), options);
}

}  // namespace wherry::cli
