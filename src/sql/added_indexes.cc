#include "sql/added_indexes.h"

#include <algorithm>
#include <optional>

#include "sql/statement_reader.h"

namespace wherry::sql {
namespace {

// Only such a text means the same under every sql_mode and character set.
bool is_plain(std::string_view text, StatementMode mode) {
  return !mode.ansi_quotes && std::all_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x80 && byte != '\\';
  });
}

class AddedIndexes {
 public:
  AddedIndexes(std::string_view text, StatementMode mode) : in_(text, mode) {}

  bool read_create_index() {
    if (!in_.accept({"CREATE", "INDEX"}) || in_.is("IF")) return false;
    const std::optional<std::string> name = take_name();
    if (!name) return false;
    const std::string type = take_type();
    if (!in_.accept("ON") || !in_.take_name()) return false;
    return take_definition(*name, type) && in_.at_end();
  }

  bool read_alter_table() {
    if (!in_.accept({"ALTER", "TABLE"}) || !in_.take_name()) return false;
    do {
      if (skip_algorithm()) continue;
      if (!in_.accept("ADD") || (!in_.accept("INDEX") && !in_.accept("KEY")) || in_.is("IF"))
        return false;
      const std::optional<std::string> name = take_name();
      if (!name || !take_definition(*name, take_type())) return false;
    } while (in_.accept_symbol(','));
    return in_.at_end();
  }

  std::vector<std::string> take() { return std::move(definitions_); }

 private:
  std::optional<std::string> take_name() {
    if (in_.is_any({"USING", "ON"}) || in_.is_symbol('(')) return std::nullopt;
    const std::optional<NameSpan> name = in_.take_name();
    if (!name || !name->name.database.empty()) return std::nullopt;
    return name->name.table;
  }

  std::string take_type() {
    if (!in_.accept("USING")) return "";
    std::string type = " USING " + std::string(in_.text_of(in_.peek()));
    in_.skip();
    return type;
  }

  // How the statement is to be run is the target's business.
  bool skip_algorithm() {
    if (!in_.is_any({"ALGORITHM", "LOCK"})) return false;
    in_.skip();
    in_.accept_symbol('=');
    in_.skip();
    return true;
  }

  // The parts in parentheses and the options behind them, up to the next clause.
  bool take_definition(const std::string& name, const std::string& type) {
    if (!in_.is_symbol('(')) return false;
    const std::size_t begin = in_.peek().begin;
    std::size_t end = begin;
    int depth = 0;
    do {
      if (in_.is_symbol('(')) ++depth;
      if (in_.is_symbol(')')) --depth;
      in_.skip();
      end = in_.last_end();
    } while (!in_.at_end() && depth > 0);
    while (!in_.at_end() && !in_.is_symbol(',')) {
      if (skip_algorithm()) continue;
      if (in_.is_symbol(';') || in_.is_any({"WAIT", "NOWAIT"})) return false;
      in_.skip();
      end = in_.last_end();
    }
    definitions_.push_back("KEY " + quoted(name) + type + " " +
                           std::string(in_.text().substr(begin, end - begin)));
    return depth == 0;
  }

  TokenReader in_;
  std::vector<std::string> definitions_;
};

}  // namespace

std::vector<std::string> added_indexes(const Statement& statement, std::string_view text,
                                       StatementMode mode) {
  if (!is_plain(text, mode)) return {};
  AddedIndexes reader(text, mode);
  const bool plain = (statement.kind == Kind::create_index && reader.read_create_index()) ||
                     (statement.kind == Kind::alter_table && reader.read_alter_table());
  return plain ? reader.take() : std::vector<std::string>();
}

}  // namespace wherry::sql
