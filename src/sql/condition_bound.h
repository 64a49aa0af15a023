// A condition whose columns are known, with its literals made ready. Internal to this room. Values.
#pragma once

#include <string>
#include <vector>

#include "sql/condition_node.h"
#include "sql/text_rule.h"

namespace wherry::sql {

// As what two values are compared.
enum class Domain : std::uint8_t { exact, real, text, moment, span };

struct BoundTerm {
  static constexpr std::size_t kLiteral = static_cast<std::size_t>(-1);
  std::size_t slot = kLiteral;  // of the row's values
  ColumnClass kind = ColumnClass::text;
  std::string name;                  // of the column
  std::vector<std::string> members;  // of an ENUM
  std::string literal;               // in the form of the domain
  bool is_literal() const { return slot == kLiteral; }
};

struct BoundNode {
  ConditionNode::Kind kind = ConditionNode::Kind::constant;
  Truth truth = Truth::unknown;
  std::vector<BoundNode> parts;
  Comparison comparison = Comparison::equal;
  Domain domain = Domain::exact;
  TextRule rule;
  BoundTerm left;
  BoundTerm right;
  std::string escape;
};

}  // namespace wherry::sql
