// Statements and table definitions from a server: no input crashes, spans stay inside the text, and
// what is rewritten with its own names is read the same again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sql/create_table.h"
#include "sql/statement.h"

namespace {

using namespace wherry;
using namespace wherry::sql;

void must(bool holds) {
  if (!holds) std::abort();
}

void check_statement(std::string_view text, StatementMode mode) {
  const Statement statement = classify(text, "d", mode);
  for (const NameSpan& object : statement.objects) {
    must(object.begin <= object.end && object.end <= text.size());
  }
  must(statement.database_begin <= statement.database_end && statement.database_end <= text.size());
  must(statement.policy != Policy::apply || statement.kind != Kind::unknown);
  (void)printable(statement, text);
  (void)rewrite(statement, text, [](const TableName& name) { return name; });
}

void check_definition(std::string_view text, Dialect from, Dialect to) {
  Result<CreateTable> parsed = parse_create_table(text);
  if (!parsed.ok()) return;
  CreateTable& table = parsed.value();
  const Result<CreateTable> again = parse_create_table(to_text(table));
  must(again.ok() && differences(table, again.value()).empty());
  set_name(table, {"a", "b"});
  (void)translate(table, from, to);
  (void)take_late_keys(table);
  (void)to_text(table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t switches = bytes[0];
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  StatementMode mode;
  mode.dialect = (switches & 1) != 0 ? Dialect::mariadb : Dialect::mysql;
  mode.ansi_quotes = (switches & 2) != 0;
  mode.no_backslash_escapes = (switches & 4) != 0;
  mode.charset = static_cast<TextCharset>(switches >> 3 & 3);
  check_statement(text, mode);
  check_definition(text, mode.dialect,
                   mode.dialect == Dialect::mysql ? Dialect::mariadb : Dialect::mysql);
  return 0;
}
