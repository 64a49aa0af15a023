// A parsed condition, before it is known what its columns are. Internal to this room. Values.
#pragma once

#include <string>
#include <vector>

#include "sql/condition.h"

namespace wherry::sql {

enum class Comparison : std::uint8_t {
  equal,
  unequal,
  less,
  at_most,
  more,
  at_least,
  null_safe  // <=>
};

// What is compared: a column or a literal.
struct ConditionTerm {
  enum class Kind : std::uint8_t { column, number, real, text, bits, null };
  Kind kind = Kind::null;
  std::string text;       // the column's name; digits with a sign; the bytes of a string
  bool binary = false;    // BINARY in front
  std::string collation;  // COLLATE behind
};

struct ConditionNode {
  enum class Kind : std::uint8_t { constant, all, any, inverse, compare, like, is_null };
  Kind kind = Kind::constant;
  Truth truth = Truth::unknown;      // of a constant
  std::vector<ConditionNode> parts;  // of all, any and inverse
  Comparison comparison = Comparison::equal;
  ConditionTerm left;
  ConditionTerm right;
  std::string escape = "\\";  // of LIKE
};

}  // namespace wherry::sql
