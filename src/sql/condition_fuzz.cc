// Conditions from a user and values from a server: no input crashes, and what is evaluated twice is
// the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sql/condition.h"

namespace {

using namespace wherry;
using namespace wherry::sql;

ConditionColumn column(const char* name, ColumnClass kind, const char* collation = "") {
  ConditionColumn out;
  out.column.name = name;
  out.column.kind = kind;
  out.column.collation = collation;
  out.column.charset = out.column.collation.substr(0, out.column.collation.find('_'));
  return out;
}

}  // namespace

// The condition, a zero byte, and the text of every value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  const std::string_view value = text.size() < all.size() ? all.substr(text.size() + 1) : "";
  const Result<Condition> condition = Condition::parse(text);
  if (!condition.ok()) return 0;
  const std::vector<ConditionColumn> columns = {
      column("n", ColumnClass::integer),
      column("f", ColumnClass::floating),
      column("d", ColumnClass::datetime),
      column("t", ColumnClass::time),
      column("b", ColumnClass::bit),
      column("s", ColumnClass::text, "utf8mb4_general_ci"),
      column("u", ColumnClass::text, "utf8mb4_0900_ai_ci"),
      column("c", ColumnClass::text, "utf8mb4_bin")};
  const Result<BoundCondition> bound = condition.value().bind(columns);
  if (!bound.ok()) return 0;
  const std::vector<ConditionValue> values(bound.value().columns().size(),
                                           ConditionValue{value, false});
  const Result<Truth> first = bound.value().evaluate(values);
  const Result<Truth> again = bound.value().evaluate(values);
  if (first.ok() != again.ok() || (first.ok() && first.value() != again.value())) std::abort();
  return 0;
}
