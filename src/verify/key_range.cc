#include "verify/key_range.h"

#include <fmt/core.h>

#include "mysql/session.h"

namespace wherry::verify {
namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "X'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out + '\'';
}

std::string bit_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return std::to_string(value);
}

// Rows on one side of a key: `strict` compares the leading columns, `last` the final one.
struct Comparison {
  std::string_view strict;
  std::string_view last;
};

std::string beside(const ComparePlan& plan, const std::vector<std::string>& columns,
                   const KeyValues& key, Comparison comparison) {
  std::string out;
  std::string equal;  // the columns before this one, all equal
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::string value = literal(plan.fields[plan.key[i]], key[i]);
    const std::string_view operation = i + 1 == key.size() ? comparison.last : comparison.strict;
    if (i > 0) out += " OR ";
    out += fmt::format("({}{} {} {})", equal, columns[i], operation, value);
    equal += fmt::format("{} = {} AND ", columns[i], value);
  }
  return fmt::format("({})", out);
}

}  // namespace

std::string literal(const PlanField& field, const std::string& value) {
  switch (field.kind) {
    case ColumnClass::integer:
    case ColumnClass::decimal:
    case ColumnClass::year:
    case ColumnClass::enumeration:
    case ColumnClass::set:
      return value;
    // A plain 1.5 would be a decimal, and its comparison with a DOUBLE another one.
    case ColumnClass::floating:
      return value.find('e') == std::string::npos ? value + "e0" : value;
    case ColumnClass::bit:
      return bit_number(value);
    case ColumnClass::binary:
    case ColumnClass::json:
    case ColumnClass::geometry:
    case ColumnClass::vector:
      return hex(value);
    case ColumnClass::text:
      return fmt::format("_{} {}", field.charset, hex(value));
    case ColumnClass::date:
    case ColumnClass::time:
    case ColumnClass::datetime:
    case ColumnClass::timestamp:
    case ColumnClass::uuid:
    case ColumnClass::inet4:
    case ColumnClass::inet6:
      return mysql::quote_text(value);
  }
  return mysql::quote_text(value);
}

std::string condition(const ComparePlan& plan, const std::vector<std::string>& columns,
                      const KeyRange& range) {
  std::string out;
  if (range.after) out = beside(plan, columns, *range.after, {">", ">"});
  if (range.through) {
    if (!out.empty()) out += " AND ";
    out += beside(plan, columns, *range.through, {"<", "<="});
  }
  return out;
}

}  // namespace wherry::verify
