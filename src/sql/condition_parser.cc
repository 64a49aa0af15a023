// From text to a ConditionNode.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sql/condition_node.h"
#include "sql/statement_reader.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

using Node = ConditionNode;
using Term = ConditionTerm;

constexpr int kDepthMax = 100;

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 17> kWords = {
      "AND",  "OR",    "NOT", "XOR",    "IS",    "IN",      "BETWEEN", "LIKE", "NULL",
      "TRUE", "FALSE", "DIV", "REGEXP", "RLIKE", "COLLATE", "ESCAPE",  "CASE"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view one) { return ascii::same(one, word); });
}

char unescaped(char c) {
  constexpr std::string_view kLetters = "0bnrtZ";
  constexpr std::string_view kBytes("\0\b\n\r\t\x1a", 6);
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? c : kBytes[at];
}

// The text of a string literal; none: it is not closed. "\%" and "\_" keep their backslash, which
// LIKE takes off.
std::optional<std::string> text_of_literal(std::string_view written) {
  std::string text;
  for (std::size_t i = 1; i < written.size(); ++i) {
    const char c = written[i];
    if (c == written.front()) {
      if (i + 1 == written.size()) return text;
      text += written[++i];  // it stands there twice
    } else if (c == '\\' && i + 1 < written.size()) {
      const char next = written[++i];
      if (next == '%' || next == '_') text += c;
      text += unescaped(next);
    } else {
      text += c;
    }
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text, {}) {}

  Result<Node> parse() {
    Result<Node> root = any();
    if (!root.ok()) return root;
    if (!in_.at_end()) return unexpected("the end");
    return root;
  }

 private:
  Error unexpected(std::string_view wanted) {
    const Token& token = in_.peek();
    const std::string found = token.kind == TokenKind::end
                                  ? "the end"
                                  : fmt::format("'{}'", ascii::shown(in_.text_of(token), 30));
    return {Errc::usage,
            fmt::format("{} stands where {} should be, at byte {}", found, wanted, token.begin), 0};
  }

  Result<Node> list(Node::Kind kind) {
    Node out;
    out.kind = kind;
    for (;;) {
      Result<Node> part = kind == Node::Kind::any ? list(Node::Kind::all) : inverse();
      if (!part.ok()) return part;
      out.parts.push_back(std::move(part).value());
      if (!in_.accept(kind == Node::Kind::any ? "OR" : "AND")) break;
    }
    if (out.parts.size() == 1) return Node(std::move(out.parts.front()));
    return out;
  }

  Result<Node> any() {
    if (++depth_ > kDepthMax) return Error{Errc::usage, "it is nested too deeply", 0};
    Result<Node> out = list(Node::Kind::any);
    --depth_;
    return out;
  }

  static Node inverted(Node of) {
    Node out;
    out.kind = Node::Kind::inverse;
    out.parts.push_back(std::move(of));
    return out;
  }

  Result<Node> inverse() {
    bool negated = false;
    while (in_.accept("NOT")) negated = !negated;
    Result<Node> of = predicate();
    if (!of.ok() || !negated) return of;
    return inverted(std::move(of).value());
  }

  Result<Node> predicate() {
    if (in_.accept_symbol('(')) {
      Result<Node> inner = any();
      if (!inner.ok()) return inner;
      if (!in_.accept_symbol(')')) return unexpected("')'");
      return inner;
    }
    Node constant;
    constant.truth = Truth::yes;
    if (in_.accept("TRUE")) return constant;
    constant.truth = Truth::no;
    if (in_.accept("FALSE")) return constant;
    Result<Term> left = term();
    if (!left.ok()) return left.error();
    return rest(std::move(left).value());
  }

  Result<Node> rest(Term left) {
    if (const auto comparison = take_comparison()) {
      Result<Term> right = term();
      if (!right.ok()) return right.error();
      return compare(*comparison, left, right.value());
    }
    if (in_.accept("IS")) {
      const bool negated = in_.accept("NOT");
      if (!in_.accept("NULL")) return unexpected("NULL");
      Node out;
      out.kind = Node::Kind::is_null;
      out.left = std::move(left);
      return negated ? inverted(std::move(out)) : out;
    }
    const bool negated = in_.accept("NOT");
    Result<Node> out = list_range_or_like(left, negated);
    if (!out.ok() || !negated) return out;
    return inverted(std::move(out).value());
  }

  Result<Node> list_range_or_like(const Term& left, bool negated) {
    if (in_.accept("IN")) return in_list(left);
    if (in_.accept("BETWEEN")) return between(left);
    if (in_.accept("LIKE")) return like(left);
    if (negated) return unexpected("IN, BETWEEN or LIKE");
    if (left.kind != Term::Kind::column || left.binary || !left.collation.empty())
      return unexpected("a comparison");
    // A column alone is true where it is not zero.
    return compare(Comparison::unequal, left, {Term::Kind::number, "0", false, ""});
  }

  static Node compare(Comparison comparison, Term left, Term right) {
    Node out;
    out.kind = Node::Kind::compare;
    out.comparison = comparison;
    out.left = std::move(left);
    out.right = std::move(right);
    return out;
  }

  Result<Node> in_list(const Term& left) {
    Node out;
    out.kind = Node::Kind::any;
    if (!in_.accept_symbol('(')) return unexpected("'('");
    do {
      Result<Term> one = term();
      if (!one.ok()) return one.error();
      out.parts.push_back(compare(Comparison::equal, left, std::move(one).value()));
    } while (in_.accept_symbol(','));
    if (!in_.accept_symbol(')')) return unexpected("',' or ')'");
    return out;
  }

  Result<Node> between(const Term& left) {
    Result<Term> low = term();
    if (!low.ok()) return low.error();
    if (!in_.accept("AND")) return unexpected("AND");
    Result<Term> high = term();
    if (!high.ok()) return high.error();
    Node out;
    out.kind = Node::Kind::all;
    out.parts.push_back(compare(Comparison::at_least, left, std::move(low).value()));
    out.parts.push_back(compare(Comparison::at_most, left, std::move(high).value()));
    return out;
  }

  Result<Node> like(const Term& left) {
    Result<Term> pattern = term();
    if (!pattern.ok()) return pattern.error();
    Node out;
    out.kind = Node::Kind::like;
    out.left = left;
    out.right = std::move(pattern).value();
    if (!in_.accept("ESCAPE")) return out;
    Result<Term> escape = term();
    if (!escape.ok()) return escape.error();
    out.escape = escape.value().text;
    if (escape.value().kind != Term::Kind::text || out.escape.size() > 1)
      return Error{Errc::usage, "what follows ESCAPE is a string of one character", 0};
    return out;
  }

  std::optional<Comparison> take_comparison() {
    std::string symbols;
    for (std::size_t ahead = 0; ahead < 3; ++ahead) {
      const Token& token = in_.peek(ahead);
      if (token.kind != TokenKind::symbol || token.begin != in_.peek().begin + ahead) break;
      const char symbol = in_.text_of(token).front();
      if (symbol != '<' && symbol != '>' && symbol != '=' && symbol != '!') break;
      symbols += symbol;
    }
    constexpr std::array<std::pair<std::string_view, Comparison>, 8> kAll = {
        {{"=", Comparison::equal},
         {"<>", Comparison::unequal},
         {"!=", Comparison::unequal},
         {"<", Comparison::less},
         {"<=", Comparison::at_most},
         {">", Comparison::more},
         {">=", Comparison::at_least},
         {"<=>", Comparison::null_safe}}};
    const auto found = std::find_if(kAll.begin(), kAll.end(),
                                    [&](const auto& one) { return one.first == symbols; });
    if (found == kAll.end()) return std::nullopt;
    in_.skip(symbols.size());
    return found->second;
  }

  Result<Term> term() {
    Term out;
    if (in_.is("BINARY") && in_.peek(1).kind != TokenKind::symbol) {
      in_.skip();
      out.binary = true;
    }
    if (Status taken = take_value(out); !taken.ok()) return taken.error();
    if (!in_.accept("COLLATE")) return out;
    if (in_.peek().kind != TokenKind::word) return unexpected("a collation");
    out.collation = ascii::lower(in_.text_of(in_.peek()));
    in_.skip();
    return out;
  }

  Status take_value(Term& out) {
    // Words in front of a string that say what it is.
    if (in_.is_any({"DATE", "TIME", "TIMESTAMP"}) && in_.peek(1).kind == TokenKind::string)
      in_.skip();
    const Token token = in_.peek();
    const std::string_view written = in_.text_of(token);
    switch (token.kind) {
      case TokenKind::number:
        return take_number(out);
      case TokenKind::symbol:
        return written == "-" || written == "+" ? take_number(out) : unexpected_value();
      case TokenKind::string: {
        std::optional<std::string> text = text_of_literal(written);
        if (!text) return Error{Errc::usage, "a string is not closed", 0};
        out.kind = Term::Kind::text;
        out.text = std::move(*text);
        break;
      }
      case TokenKind::bits:
        out.kind = Term::Kind::bits;
        out.text = bytes_of(token, in_.text(), {});
        break;
      case TokenKind::quoted_name:
      case TokenKind::word:
        return take_column(out);
      case TokenKind::variable:
      case TokenKind::end:
        return unexpected_value();
    }
    in_.skip();
    return Unit{};
  }

  Status unexpected_value() { return unexpected("a column or a value"); }

  Status take_number(Term& out) {
    if (in_.is_symbol('-')) out.text = "-";
    if (in_.peek().kind == TokenKind::symbol) in_.skip();
    const std::string_view written = in_.text_of(in_.peek());
    if (in_.peek().kind != TokenKind::number) return unexpected("a number");
    const bool exact = written.find_first_of("eE") == std::string_view::npos;
    out.kind = exact ? Term::Kind::number : Term::Kind::real;
    out.text += written;
    in_.skip();
    return Unit{};
  }

  Status take_column(Term& out) {
    const Token token = in_.peek();
    const std::string_view written = in_.text_of(token);
    const bool plain = token.kind == TokenKind::word;
    if (plain && ascii::same(written, "NULL")) {
      in_.skip();
      return Unit{};
    }
    if (plain && is_reserved(written)) return unexpected_value();
    if (!plain && (written.size() < 3 || written.back() != '`'))
      return Error{Errc::usage, "a name in backticks is empty or not closed", 0};
    out.kind = Term::Kind::column;
    out.text = name_of(token, in_.text());
    in_.skip();
    if (in_.is_symbol('('))
      return Error{Errc::usage, fmt::format("'{}': functions are not known here", out.text), 0};
    if (in_.is_symbol('.'))
      return Error{Errc::usage, fmt::format("'{}.': a column is named without its table", out.text),
                   0};
    return Unit{};
  }

  TokenReader in_;
  int depth_ = 0;
};

}  // namespace

Result<Condition> Condition::parse(std::string_view text) {
  Result<ConditionNode> root = Parser(text).parse();
  if (!root.ok()) return root.error();
  return Condition(std::make_shared<const ConditionNode>(std::move(root).value()));
}

}  // namespace wherry::sql
