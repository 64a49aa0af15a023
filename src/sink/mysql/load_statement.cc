#include "sink/mysql/load_statement.h"

#include <fmt/core.h>

#include "support/quote.h"

namespace wherry::sink {

std::string target_name(const dispatch::TablePlan& plan) {
  return quote_name(plan.target.database) + "." + quote_name(plan.target.table);
}

std::string load_statement(const dispatch::TablePlan& plan, bool replace) {
  std::string columns;
  std::string sets;
  unsigned variables = 0;
  for (const std::size_t index : plan.writable) {
    const Column& column = plan.source.columns[index];
    const std::string name = quote_name(column.name);
    if (!columns.empty()) columns += ",";
    const char* read = nullptr;
    switch (column.kind) {
      case ColumnClass::enumeration:
      case ColumnClass::set:
        read = "CAST({} AS UNSIGNED)";
        break;
      case ColumnClass::json:
      case ColumnClass::uuid:
      case ColumnClass::inet4:
      case ColumnClass::inet6:
        read = "CONVERT({} USING utf8mb4)";
        break;
      default:
        columns += name;
        continue;
    }
    const std::string variable = fmt::format("@w{}", variables++);
    columns += variable;
    sets += fmt::format("{}{}={}", sets.empty() ? " SET " : ",", name,
                        fmt::format(fmt::runtime(read), variable));
  }
  return fmt::format(
      "LOAD DATA LOCAL INFILE 'wherry' {}INTO TABLE {} CHARACTER SET binary FIELDS TERMINATED BY "
      "'\\t' ESCAPED BY '\\\\' "
      "LINES TERMINATED BY '\\n' ({}){}",
      replace ? "REPLACE " : "", target_name(plan), columns, sets);
}

}  // namespace wherry::sink
