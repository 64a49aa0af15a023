// A change or a statement as one line of JSON. docs/format/file-sink.md has the format. Pure.
#pragma once

#include <string>

#include "dispatch/async_sink.h"
#include "dispatch/table_rows.h"

namespace wherry::sink {

// number: of the change among those of its table in its transaction. The line ends in "\n".
Status append_change(const dispatch::ChangeView& change, const TableName& target,
                     std::uint64_t number, std::string& out);

// target: whose file it is for; empty names: the file of all statements.
void append_statement(const dispatch::BlockEvent& event, const TableName& target,
                      std::uint64_t number, std::string& out);

// A JSON string. False: the text is not UTF-8 and nothing was appended.
bool append_json_string(std::string_view text, std::string& out);
void append_base64(std::string_view bytes, std::string& out);

// Where a line stands; nothing: it is no line of such a file.
struct LineMark {
  std::uint64_t cseq = 0;
  std::uint64_t number = 0;
  auto operator<=>(const LineMark&) const = default;
};
std::optional<LineMark> mark_of(std::string_view line);

}  // namespace wherry::sink
