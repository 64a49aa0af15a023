#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <stop_token>
#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "control/exit_code.h"
#include "control/feed_api.h"
#include "control/feed_fleet.h"
#include "control/feed_maker.h"
#include "control/redo_removal.h"
#include "control/serve_options.h"
#include "control/signals.h"
#include "support/guarded.h"
#include "support/log.h"

namespace wherry::cli {
namespace {

using control::ExitCode;
using control::FeedFleet;

int fail(const Error& error) {
  say(fmt::format("wherry serve: {}\n", error.what));
  return static_cast<int>(control::exit_code(error));
}

void report(FeedFleet& fleet) {
  for (const control::FeedView& view : fleet.views()) {
    say(fmt::format("feed {}: {}{}\n", view.spec.name, control::to_string(view.note.state),
                    view.note.error ? ", " + view.note.error->what : ""));
  }
}

// Until somebody asks to stop. Feeds that do not stop in their time are given up: what they had
// made durable is, and the next start goes on from there.
int serve_until_stopped(FeedFleet& fleet, Guarded<bool>& stop,
                        const control::ServeOptions& options) {
  stop.wait([](bool asked) { return asked; }, [](bool&) {});
  const std::vector<std::string> left = fleet.drain(options.drain_timeout);
  if (left.empty()) return static_cast<int>(ExitCode::done);
  for (const std::string& name : left) {
    const auto view = fleet.view(name);
    const bool says = view && view->progress && !view->progress->waiting_for.empty();
    log::error("cli", "feed {} did not stop in its time{}", name,
               says ? ": " + view->progress->waiting_for : "");
  }
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

int run_serve(Arguments arguments) {
  control::ProgramOptions program;
  const Result<control::ServeOptions> options = control::read_serve_options(arguments, program);
  if (!options.ok()) return fail(options.error());
  log::configure(program.log_level, program.log_format);
  control::SignalWatch::block();

  FeedFleet* feeds = nullptr;  // known before any feed is made
  control::FeedMaker maker(options.value().data_dir, [&feeds](const std::string& name) {
    return feeds->view(name).has_value();
  });
  control::FleetSetup setup;
  setup.data_dir = options.value().data_dir;
  setup.factory = [&maker](const control::FeedSpec& spec, const control::FeedStart& start) {
    return maker.make(spec, start);
  };
  setup.discard = [&options](const control::FeedSpec& spec, const std::stop_token& token) {
    return control::discard_redo(options.value().data_dir, spec, token);
  };
  setup.removed = [&maker](const std::string& name) { maker.forget(name); };
  Result<std::unique_ptr<FeedFleet>> opened = FeedFleet::open(std::move(setup));
  if (!opened.ok()) return fail(opened.error());
  FeedFleet& fleet = *opened.value();
  feeds = &fleet;
  Guarded<bool> stop(false);
  const control::SignalWatch signals(
      {[&stop] { stop.with([](bool& asked) { asked = true; }); }, [&fleet] { report(fleet); }});
  const Result<control::ListenAddress> address = control::parse_listen_address(options.value().api);
  if (!address.ok()) return fail(address.error());
  const Result<std::unique_ptr<control::HttpServer>> api = control::HttpServer::start(
      address.value(), control::feed_routes(fleet, std::chrono::system_clock::now()));
  if (!api.ok()) return fail(api.error());
  fleet.start();
  say(fmt::format("api listening on {}\n", api.value()->place()));
  return serve_until_stopped(fleet, stop, options.value());
}

}  // namespace wherry::cli
