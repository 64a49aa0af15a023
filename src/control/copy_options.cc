#include "control/copy_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "control/http_server.h"
#include "control/rename_rule.h"
#include "support/ascii.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::uint64_t kMemoryMin = 64ULL << 20;

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

Status check_common(const CopyOptions& options) {
  const Status renames = check_renames(options.rename);
  if (!renames.ok()) return renames.error();
  for (const std::string_view name :
       {"mysql"sv, "information_schema"sv, "performance_schema"sv, "sys"sv}) {
    if (ascii::same(options.meta_database, name)) {
      return usage(fmt::format("--meta-database: {} belongs to the server", name));
    }
  }
  if (options.meta_database.size() > 64)
    return usage("--meta-database is longer than 64 characters");
  return Unit{};
}

Status check_copy(const CopyOptions& options) {
  if (options.source_uri.empty()) return usage("--source is missing");
  if (options.target_uri.empty()) return usage("--target is missing");
  const Status common = check_common(options);
  if (!common.ok()) return common.error();
  if (options.memory < kMemoryMin) return usage("--memory is at least 64MiB");
  if (!options.cutover_unlock.empty() && options.cutover_lock.empty()) {
    return usage("--cutover-unlock needs --cutover-lock");
  }
  if (options.cutover == CutoverMode::manual && options.api.empty() && options.state_dir.empty()) {
    return usage(
        "--cutover manual needs --api or --state: through the API, or the control socket in that "
        "folder, it is told to cut over");
  }
  if (!options.api.empty()) {
    const Result<ListenAddress> address = parse_listen_address(options.api);
    if (!address.ok()) return address.error().within("--api");
  }
  return Unit{};
}

}  // namespace

Result<CopyOptions> read_copy_options(std::span<const std::string> arguments,
                                      ProgramOptions& program) {
  CopyOptions options;
  const Status read = read_options(copy_option_table(options, program), arguments);
  if (!read.ok()) return read.error();
  const Status checked = check_copy(options);
  if (!checked.ok()) return checked.error();
  return options;
}

Result<CopyOptions> read_check_options(std::span<const std::string> arguments,
                                       ProgramOptions& program) {
  CopyOptions options;
  const Status read = read_options(check_option_table(options, program), arguments);
  if (!read.ok()) return read.error();
  if (options.source_uri.empty() && options.target_uri.empty()) {
    return usage("--source, --target or both are needed");
  }
  const Status checked = check_common(options);
  if (!checked.ok()) return checked.error();
  return options;
}

}  // namespace wherry::control
