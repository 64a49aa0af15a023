// The evaluation.
#include "sql/condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "sql/condition_bound.h"
#include "sql/condition_values.h"

namespace wherry::sql {
namespace {

using Values = std::span<const ConditionValue>;
using Kind = ConditionNode::Kind;

Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

Error unclear(const BoundNode& node) {
  return {
      Errc::unsupported,
      fmt::format("whether a value of `{}` fits cannot be told: it holds other characters than "
                  "printable ASCII where its collation decides; write BINARY `{}`, or a COLLATE "
                  "that ends in _bin",
                  node.left.name, node.left.name),
      0};
}

Error malformed(const BoundTerm& term) {
  return {Errc::malformed, fmt::format("a value of `{}` is not of its type", term.name), 0};
}

bool is_null(const BoundTerm& term, Values values) {
  return !term.is_literal() && values[term.slot].null;
}

// The text that is compared. scratch holds it where it is made.
std::string_view text_of(const BoundTerm& term, Values values, std::string& scratch) {
  if (term.is_literal()) return term.literal;
  const std::string_view text = values[term.slot].text;
  if (term.kind == ColumnClass::bit) {
    scratch = bits_as_digits(text);
    return scratch;
  }
  if (term.kind != ColumnClass::enumeration) return text;
  // An index that names no member is the empty text.
  std::size_t index = 0;
  for (const char c : text) index = index * 10 + static_cast<std::size_t>(c - '0');
  if (index == 0 || index > term.members.size()) return {};
  return term.members[index - 1];
}

template <typename Parse>
Result<std::partial_ordering> order_parsed(const BoundNode& node, std::string_view left,
                                           std::string_view right, const Parse& parse) {
  const auto a = parse(left);
  if (!a) return malformed(node.left);
  const auto b = parse(right);
  if (!b) return malformed(node.right);
  return std::partial_ordering(*a <=> *b);
}

Result<std::partial_ordering> order_of(const BoundNode& node, Values values) {
  std::string left_scratch, right_scratch;
  const std::string_view left = text_of(node.left, values, left_scratch);
  const std::string_view right = text_of(node.right, values, right_scratch);
  switch (node.domain) {
    case Domain::exact:
      return order_parsed(node, left, right, exact_number);
    case Domain::real:
      return order_parsed(node, left, right, real_number);
    case Domain::span:
      return order_parsed(node, left, right, span_of);
    case Domain::moment:
      return std::partial_ordering(compare_moments(left, right));
    case Domain::text:
      break;
  }
  const bool wants_order = node.comparison != Comparison::equal &&
                           node.comparison != Comparison::unequal &&
                           node.comparison != Comparison::null_safe;
  const auto order = compare_text(node.rule, left, right, wants_order);
  if (!order) return unclear(node);
  return std::partial_ordering(*order);
}

bool holds(Comparison comparison, std::partial_ordering order) {
  switch (comparison) {
    case Comparison::equal:
    case Comparison::null_safe:
      return order == 0;
    case Comparison::unequal:
      return order != 0;
    case Comparison::less:
      return order < 0;
    case Comparison::at_most:
      return order <= 0;
    case Comparison::more:
      return order > 0;
    case Comparison::at_least:
      return order >= 0;
  }
  return false;
}

Result<Truth> compare(const BoundNode& node, Values values) {
  const bool left = is_null(node.left, values);
  const bool right = is_null(node.right, values);
  if (left || right) {
    if (node.comparison == Comparison::null_safe) return truth_of(left && right);
    return Truth::unknown;
  }
  Result<std::partial_ordering> order = order_of(node, values);
  if (!order.ok()) return order.error();
  return truth_of(holds(node.comparison, order.value()));
}

Result<Truth> like(const BoundNode& node, Values values) {
  if (is_null(node.left, values)) return Truth::unknown;
  std::string scratch;
  const auto found =
      is_like(node.rule, text_of(node.left, values, scratch), node.right.literal, node.escape);
  if (!found) return unclear(node);
  return truth_of(*found);
}

Result<Truth> evaluate_node(const BoundNode& node, Values values) {
  switch (node.kind) {
    case Kind::constant:
      return node.truth;
    case Kind::is_null:
      return truth_of(is_null(node.left, values));
    case Kind::compare:
      return compare(node, values);
    case Kind::like:
      return like(node, values);
    case Kind::inverse: {
      Result<Truth> of = evaluate_node(node.parts.front(), values);
      if (!of.ok() || of.value() == Truth::unknown) return of;
      return truth_of(of.value() == Truth::no);
    }
    case Kind::all:
    case Kind::any:
      break;
  }
  // The first part that settles it ends it; what comes behind need not be known.
  const Truth settles = node.kind == Kind::all ? Truth::no : Truth::yes;
  Truth out = node.kind == Kind::all ? Truth::yes : Truth::no;
  std::optional<Error> failed;
  for (const BoundNode& part : node.parts) {
    Result<Truth> one = evaluate_node(part, values);
    if (!one.ok()) {
      failed = one.error();
      continue;
    }
    if (one.value() == settles) return settles;
    if (one.value() == Truth::unknown) out = Truth::unknown;
  }
  if (failed) return *failed;
  return out;
}

}  // namespace

Result<Truth> BoundCondition::evaluate(std::span<const ConditionValue> values) const {
  return evaluate_node(*root_, values);
}

}  // namespace wherry::sql
