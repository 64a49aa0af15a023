// Options of a command as a table: the command line, the keys of a TOML file, the help, the message
// for an unknown name and the completion file all come from it. Values; no threads. A table's
// setters refer to the object they fill, which must outlive the table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wherry::control {

enum class OptionKind {
  value,      // takes one value, once
  list,       // takes one value and may be repeated
  toggle,     // takes none; in a file true or false
  secret_uri  // a value in which ${NAME} and ${file:PATH} are replaced
};

struct Option {
  std::string_view name;   // without the dashes; the key of a file
  std::string value_word;  // for the help; where it is a|b|c the completion offers these
  std::string help;
  OptionKind kind = OptionKind::value;
  // A toggle is given "true" or "false". The error need not name the option.
  std::function<Status(const std::string& value)> set;
  // Whether a secret_uri may be repeated.
  bool repeatable = false;
};

// One option as it was given. values has more than one where a list was repeated.
struct Setting {
  std::string name;
  std::vector<std::string> values;
  std::string place;  // for messages: "--name" or "key name in FILE"
};

// Reads "--name value", "--name=value" and "--toggle". Refuses what the table does not know, naming
// the nearest, what is given twice, and words that are no option.
Result<std::vector<Setting>> read_arguments(std::span<const Option> table,
                                            std::span<const std::string> arguments);

// Reads the TOML text of a file; file is only for messages.
Result<std::vector<Setting>> read_config(std::span<const Option> table, std::string_view text,
                                         const std::string& file);

// Hands the settings to the table's setters. An option of the command line hides the file's.
Status apply_settings(std::span<const Option> table, std::vector<Setting> command_line,
                      std::vector<Setting> file);

// The whole of it: the arguments, and the file that --config among them names.
Status read_options(std::span<const Option> table, std::span<const std::string> arguments);

// "${NAME}" is the environment's value and "${file:PATH}" a file's text without its last line end.
// Inside a longer text the value is percent-encoded, so that any password fits into a URI; alone it
// is taken as it is.
Result<std::string> expand_references(std::string_view text);

// One line or more an option, wrapped to the width.
std::string describe(std::span<const Option> table, std::size_t width);

}  // namespace wherry::control
