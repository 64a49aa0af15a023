#include "control/redo_options.h"

#include <array>
#include <iterator>
#include <utility>

#include "control/option_setters.h"
#include "dispatch/work.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

constexpr std::array<std::string_view, 3> kActions{"meta", "verify", "apply"};

Result<RedoAction> action_of(const std::string& word) {
  if (word == "meta") return RedoAction::meta;
  if (word == "verify") return RedoAction::verify;
  if (word == "apply") return RedoAction::apply;
  return usage_error("redo is followed by meta, verify or apply; not by '" + word + "'" +
                     did_you_mean(word, kActions));
}

Setter target_setter(RedoApplyOptions& apply) {
  return [&apply](const std::string& value) -> Status {
    Result<Endpoint> endpoint = parse_endpoint(value);
    if (!endpoint.ok()) return endpoint.error();
    apply.target = std::move(endpoint).value();
    apply.target_uri = value;
    return Unit{};
  };
}

// A comma inside a quoted name is part of it.
Setter tables_setter(std::vector<std::string>& into) {
  return [&into](const std::string& value) -> Status {
    bool quoted = false;
    std::string pattern;
    const Setter one = pattern_setter(into);
    for (const char letter : value) {
      if (letter == '`') quoted = !quoted;
      if (letter != ',' || quoted) {
        pattern += letter;
      } else if (Status added = one(std::exchange(pattern, "")); !added.ok()) {
        return added;
      }
    }
    return one(pattern);
  };
}

}  // namespace

std::vector<Option> redo_option_table(RedoCommandOptions& options, ProgramOptions& program) {
  RedoApplyOptions& apply = options.apply;
  std::vector<Option> table = {
      {"storage", "URI", "where the redo is: file:///path, s3://bucket/prefix",
       OptionKind::secret_uri, text_setter(apply.storage_uri)},
      {"feed", "NAME", "whose redo; needed where the storage holds several", OptionKind::value,
       text_setter(apply.feed)},
      {"target", "URI", "apply: the server that the feed wrote to", OptionKind::secret_uri,
       target_setter(apply)},
      {"to", "POSITION|TIME",
       "apply: up to a GTID set, file:offset or time (2026-11-30T08:15:00Z); all that is durable",
       OptionKind::value, text_setter(apply.to)},
      {"tables", "PATTERN[,...]",
       "apply: only these tables, by their names at the source; the others stay where they are",
       OptionKind::list, tables_setter(apply.tables)},
      {"lanes", "N", "apply: sessions that write (4)", OptionKind::value,
       number_setter(apply.lanes, 1, dispatch::kLanesMax)},
      {"memory", "SIZE", "apply: budget for what is on its way (1GiB)", OptionKind::value,
       size_setter(apply.memory)},
      {"meta-database", "NAME", "apply: where the progress is at the target (wherry)",
       OptionKind::value, text_setter(apply.meta_database)},
      {"dry-run", "", "apply: say what would be done, and change nothing", OptionKind::toggle,
       flag_setter(apply.dry_run)},
      {"json", "", "the result as one JSON document", OptionKind::toggle,
       flag_setter(options.json)},
  };
  std::vector<Option> more = program_options(program);
  table.insert(table.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return table;
}

Result<RedoCommandOptions> read_redo_options(std::span<const std::string> arguments,
                                             ProgramOptions& program) {
  RedoCommandOptions options;
  if (arguments.empty()) return usage_error("redo is followed by meta, verify or apply");
  const Result<RedoAction> action = action_of(arguments[0]);
  if (!action.ok()) return action.error();
  options.action = action.value();
  const Status read = read_options(redo_option_table(options, program), arguments.subspan(1));
  if (!read.ok()) return read.error();
  if (options.apply.storage_uri.empty()) return usage_error("--storage is missing");
  if (options.action == RedoAction::apply && options.apply.target_uri.empty())
    return usage_error("--target is missing");
  if (options.action != RedoAction::apply && !options.apply.tables.empty())
    return usage_error("--tables belongs to redo apply");
  return options;
}

}  // namespace wherry::control
