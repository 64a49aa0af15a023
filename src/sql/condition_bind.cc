// From names to the columns of a table: what is compared as what.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sql/condition_bound.h"
#include "sql/condition_values.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

using Kind = ConditionNode::Kind;
using Term = ConditionTerm;

bool has_order(Comparison comparison) {
  return comparison != Comparison::equal && comparison != Comparison::unequal &&
         comparison != Comparison::null_safe;
}

// What the columns of a class are compared as; nothing: they are not.
std::optional<Domain> domain_of(ColumnClass kind) {
  switch (kind) {
    case ColumnClass::integer:
    case ColumnClass::decimal:
    case ColumnClass::bit:
    case ColumnClass::year:
      return Domain::exact;
    case ColumnClass::floating:
      return Domain::real;
    case ColumnClass::date:
    case ColumnClass::datetime:
    case ColumnClass::timestamp:
      return Domain::moment;
    case ColumnClass::time:
      return Domain::span;
    case ColumnClass::text:
    case ColumnClass::binary:
    case ColumnClass::enumeration:
      return Domain::text;
    case ColumnClass::set:
    case ColumnClass::json:
    case ColumnClass::geometry:
    case ColumnClass::vector:
    case ColumnClass::uuid:
    case ColumnClass::inet4:
    case ColumnClass::inet6:
      break;
  }
  return std::nullopt;
}

std::string_view wanted_literal(Domain domain) {
  switch (domain) {
    case Domain::exact:
    case Domain::real:
      return "a number";
    case Domain::moment:
      return "a string 'YYYY-MM-DD' or 'YYYY-MM-DD hh:mm:ss'";
    case Domain::span:
      return "a string 'hh:mm:ss'";
    case Domain::text:
      break;
  }
  return "a string";
}

class Binder {
 public:
  explicit Binder(std::span<const ConditionColumn> columns) : columns_(columns) {}

  Result<BoundNode> bind(const ConditionNode& node) {
    BoundNode out;
    out.kind = node.kind;
    out.truth = node.truth;
    out.comparison = node.comparison;
    out.escape = node.escape;
    for (const ConditionNode& part : node.parts) {
      Result<BoundNode> bound = bind(part);
      if (!bound.ok()) return bound;
      out.parts.push_back(std::move(bound).value());
    }
    Status done = Unit{};
    if (node.kind == Kind::is_null) done = bind_is_null(node, out);
    if (node.kind == Kind::compare) done = bind_compare(node, out);
    if (node.kind == Kind::like) done = bind_like(node, out);
    if (!done.ok()) return done.error();
    return out;
  }

  std::vector<std::size_t> take_read() { return std::move(read_); }

 private:
  static Error refused(std::string what) { return {Errc::refused, std::move(what), 0}; }

  // The term's column; null: it is a literal.
  Result<const ConditionColumn*> column_of(const Term& term) const {
    if (term.kind != Term::Kind::column) return nullptr;
    const auto found = std::find_if(
        columns_.begin(), columns_.end(),
        [&](const ConditionColumn& one) { return ascii::same(one.column.name, term.text); });
    if (found == columns_.end()) return refused(fmt::format("there is no column `{}`", term.text));
    if (found->column.generated) {
      return refused(fmt::format(
          "column `{}` is generated, and row events need not carry it; name what it is made of",
          term.text));
    }
    return &*found;
  }

  BoundTerm to_column(const ConditionColumn& column) {
    const auto at = static_cast<std::size_t>(&column - columns_.data());
    const auto found = std::find(read_.begin(), read_.end(), at);
    BoundTerm out;
    out.slot = static_cast<std::size_t>(found - read_.begin());
    if (found == read_.end()) read_.push_back(at);
    out.kind = column.column.kind;
    out.name = column.column.name;
    out.members = column.members;
    return out;
  }

  Status bind_is_null(const ConditionNode& node, BoundNode& out) {
    Result<const ConditionColumn*> column = column_of(node.left);
    if (!column.ok()) return column.error();
    if (column.value() == nullptr) {
      out.kind = Kind::constant;
      out.truth = node.left.kind == Term::Kind::null ? Truth::yes : Truth::no;
      return Unit{};
    }
    out.left = to_column(*column.value());
    return Unit{};
  }

  Status bind_compare(ConditionNode node, BoundNode& out) {
    // The column stands on the left.
    if (node.left.kind != Term::Kind::column) {
      std::swap(node.left, node.right);
      out.comparison = mirrored(node.comparison);
    }
    Result<const ConditionColumn*> left = column_of(node.left);
    if (!left.ok()) return left.error();
    if (left.value() == nullptr) return refused("a comparison names no column");
    if (node.right.kind == Term::Kind::null) {
      const bool safe = node.comparison == Comparison::null_safe;
      out.kind = safe ? Kind::is_null : Kind::constant;
      out.truth = Truth::unknown;
      out.left = to_column(*left.value());
      return Unit{};
    }
    Result<const ConditionColumn*> right = column_of(node.right);
    if (!right.ok()) return right.error();
    const Column& column = left.value()->column;
    const std::optional<Domain> domain = domain_of(column.kind);
    if (!domain) return not_compared(column);
    out.domain = *domain;
    out.left = to_column(*left.value());
    if (column.kind == ColumnClass::enumeration && has_order(out.comparison)) {
      return refused(
          fmt::format("column `{}` is an ENUM: it is compared by =, <>, <=> and IN", column.name));
    }
    if (right.value() == nullptr) return with_literal(node, column, out);
    out.right = to_column(*right.value());
    return with_column(node, column, right.value()->column, out);
  }

  static Error not_compared(const Column& column) {
    return refused(fmt::format("column `{}` is {}, which is not compared here but by IS NULL",
                               column.name, column.type.empty() ? "of a type" : column.type));
  }

  static Comparison mirrored(Comparison comparison) {
    switch (comparison) {
      case Comparison::less:
        return Comparison::more;
      case Comparison::at_most:
        return Comparison::at_least;
      case Comparison::more:
        return Comparison::less;
      case Comparison::at_least:
        return Comparison::at_most;
      case Comparison::equal:
      case Comparison::unequal:
      case Comparison::null_safe:
        break;
    }
    return comparison;
  }

  static bool numeric(Domain domain) { return domain == Domain::exact || domain == Domain::real; }

  Status with_column(const ConditionNode& node, const Column& left, const Column& right,
                     BoundNode& out) {
    const std::optional<Domain> other = domain_of(right.kind);
    if (!other) return not_compared(right);
    const bool numbers = numeric(out.domain) && numeric(*other);
    if (!numbers && out.domain != *other) {
      return refused(fmt::format("columns `{}` and `{}` are of kinds that are not compared",
                                 left.name, right.name));
    }
    if (numbers && *other == Domain::real) out.domain = Domain::real;
    if (out.domain != Domain::text) return plain_terms(node, left);
    Result<TextRule> rule = rule_of(node, left);
    if (!rule.ok()) return rule.error();
    Result<TextRule> right_rule = rule_of(node, right);
    if (!right_rule.ok()) return right_rule.error();
    const bool same = rule.value() == right_rule.value() && left.charset == right.charset;
    if (!same || right.kind == ColumnClass::enumeration) {
      return refused(
          fmt::format("columns `{}` and `{}` have not the same collation", left.name, right.name));
    }
    out.rule = rule.value();
    return check_order(left, out);
  }

  Status with_literal(const ConditionNode& node, const Column& column, BoundNode& out) {
    if (out.domain == Domain::text) return with_text(node, column, out);
    if (Status plain = plain_terms(node, column); !plain.ok()) return plain;
    const Term& term = node.right;
    out.right.literal = term.text;
    const Error unfit = refused(fmt::format(
        "column `{}` is {}: it is compared with {}", column.name,
        column.type.empty() ? "none of text" : column.type, wanted_literal(out.domain)));
    if (numeric(out.domain)) {
      if (term.kind == Term::Kind::bits && term.text.size() <= sizeof(std::uint64_t)) {
        out.right.literal = bits_as_digits(term.text);
      } else if (term.kind == Term::Kind::real) {
        out.domain = Domain::real;
      } else if (term.kind != Term::Kind::number) {
        return unfit;
      }
      if (column.kind == ColumnClass::year && term.text.size() != 4 && term.text != "0")
        return unfit;
      const bool known = out.domain == Domain::real ? real_number(out.right.literal).has_value()
                                                    : exact_number(out.right.literal).has_value();
      return known ? Status(Unit{}) : Status(unfit);
    }
    const bool fits =
        term.kind == Term::Kind::text &&
        (out.domain == Domain::moment ? is_moment(term.text) : span_of(term.text).has_value());
    return fits ? Status(Unit{}) : Status(unfit);
  }

  // BINARY and COLLATE are for texts.
  static Status plain_terms(const ConditionNode& node, const Column& column) {
    const auto decorated = [](const Term& term) { return term.binary || !term.collation.empty(); };
    if (!decorated(node.left) && !decorated(node.right)) return Unit{};
    return refused(fmt::format("column `{}` holds no text: BINARY and COLLATE mean nothing there",
                               column.name));
  }

  Status with_text(const ConditionNode& node, const Column& column, BoundNode& out) {
    const Term& term = node.right;
    if (term.kind != Term::Kind::text && term.kind != Term::Kind::bits) {
      return refused(fmt::format("column `{}` holds text: it is compared with {}", column.name,
                                 wanted_literal(Domain::text)));
    }
    Result<TextRule> rule = rule_of(node, column);
    if (!rule.ok()) return rule.error();
    out.rule = rule.value();
    out.right.literal = term.text;
    if (term.kind == Term::Kind::bits && out.rule != TextRule{}) {
      return refused(
          fmt::format("column `{}` is no binary string: write BINARY `{}` to compare it "
                      "with bytes",
                      column.name, column.name));
    }
    const bool raw = out.rule.fold == TextRule::Fold::bytes &&
                     (column.kind == ColumnClass::binary || term.kind == Term::Kind::bits ||
                      column.charset.starts_with("utf8"));
    if (!raw && !fits_literal(out.rule, term.text)) {
      return refused(fmt::format(
          "column `{}` has collation {}: only printable ASCII is compared with it; write BINARY "
          "`{}`, or a COLLATE that ends in _bin",
          column.name, column.collation, column.name));
    }
    return check_order(column, out);
  }

  static Status check_order(const Column& column, const BoundNode& out) {
    if (out.kind == Kind::like || !has_order(out.comparison) || sql::has_order(out.rule))
      return Unit{};
    return refused(
        fmt::format("column `{}` has collation {}, whose order is not known here; write "
                    "BINARY `{}`, or a COLLATE that ends in _bin",
                    column.name, column.collation, column.name));
  }

  Result<TextRule> rule_of(const ConditionNode& node, const Column& column) const {
    if (node.left.binary || node.right.binary) return TextRule{};
    const std::string& given =
        node.left.collation.empty() ? node.right.collation : node.left.collation;
    if (given == "binary") return TextRule{};
    const bool binary = column.kind == ColumnClass::binary;
    if (binary && given.empty()) return TextRule{};
    const auto rule =
        binary ? std::nullopt : text_rule(column.charset, given.empty() ? column.collation : given);
    if (rule) return *rule;
    return refused(fmt::format(
        "column `{}` (character set {}) would be compared by collation {}, whose rules are not "
        "known here; write BINARY `{}`",
        column.name, binary ? "binary" : column.charset, given.empty() ? column.collation : given,
        column.name));
  }

  Status bind_like(const ConditionNode& node, BoundNode& out) {
    Result<const ConditionColumn*> column = column_of(node.left);
    if (!column.ok()) return column.error();
    const bool text =
        column.value() != nullptr && domain_of(column.value()->column.kind) == Domain::text;
    if (!text || node.right.kind != Term::Kind::text)
      return refused("LIKE compares a column of text with a string");
    out.left = to_column(*column.value());
    return with_text(node, column.value()->column, out);
  }

  std::span<const ConditionColumn> columns_;
  std::vector<std::size_t> read_;
};

// The members in "enum('a','b''c')".
std::vector<std::string> members_of(std::string_view type) {
  std::vector<std::string> members;
  for (std::size_t i = type.find('\''); i < type.size(); ++i) {
    if (type[i] != '\'') continue;
    std::string member;
    for (++i; i < type.size(); ++i) {
      if (type[i] == '\'' && (i + 1 >= type.size() || type[++i] != '\'')) break;
      member += type[i];
    }
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

Result<BoundCondition> Condition::bind(std::span<const ConditionColumn> columns) const {
  Binder binder(columns);
  Result<BoundNode> root = binder.bind(*root_);
  if (!root.ok()) return root.error();
  return BoundCondition(std::make_shared<const BoundNode>(std::move(root).value()),
                        binder.take_read());
}

std::vector<ConditionColumn> condition_columns(const Table& table) {
  std::vector<ConditionColumn> out;
  out.reserve(table.columns.size());
  for (const Column& column : table.columns) {
    out.push_back({column, {}});
    if (column.kind == ColumnClass::enumeration) out.back().members = members_of(column.type);
  }
  return out;
}

}  // namespace wherry::sql
