#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "control/exit_code.h"
#include "control/feed_client.h"
#include "support/log.h"

namespace wherry::cli {

int run_feed(Arguments arguments) {
  control::ProgramOptions program;
  const Result<control::FeedRequest> request = control::read_feed_request(arguments, program);
  if (!request.ok()) {
    say(fmt::format("wherry feed: {}\n", request.error().what));
    return static_cast<int>(control::exit_code(request.error()));
  }
  log::configure(program.log_level, program.log_format);
  const Result<control::FeedReply> reply = control::ask_server(request.value());
  if (!reply.ok()) {
    say(fmt::format("wherry feed: {}\n", reply.error().what));
    return static_cast<int>(control::exit_code(reply.error()));
  }
  say(reply.value().words);
  const bool given = reply.value().result.empty() || give(reply.value().result);
  return static_cast<int>(given ? reply.value().exit : control::ExitCode::failed);
}

}  // namespace wherry::cli
