#include "control/serve_options.h"

#include <iterator>

#include "control/http_server.h"
#include "control/option_setters.h"

namespace wherry::control {

std::vector<Option> serve_option_table(ServeOptions& serve, ProgramOptions& program) {
  std::vector<Option> table = {
      {"data-dir", "DIR", "holds the feeds, their states and the logs; for this account alone",
       OptionKind::value, text_setter(serve.data_dir)},
      {"api", "ADDRESS", "where the HTTP API listens; port 0 takes any (127.0.0.1:8400)",
       OptionKind::value, text_setter(serve.api)},
      {"drain-timeout", "TIME", "how long feeds may take to stop at the end (60s)",
       OptionKind::value, duration_setter(serve.drain_timeout)},
  };
  std::vector<Option> more = program_options(program);
  table.insert(table.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return table;
}

Result<ServeOptions> read_serve_options(std::span<const std::string> arguments,
                                        ProgramOptions& program) {
  ServeOptions options;
  const Status read = read_options(serve_option_table(options, program), arguments);
  if (!read.ok()) return read.error();
  if (options.data_dir.empty()) return usage_error("--data-dir is missing");
  const Result<ListenAddress> address = parse_listen_address(options.api);
  if (!address.ok()) return address.error().within("--api");
  return options;
}

}  // namespace wherry::control
