// Reads one statement token by token and fills a Statement. Internal to this room. One statement,
// one thread; borrows the text.
#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "sql/statement.h"
#include "sql/token.h"

namespace wherry::sql {

// Looks ahead in the tokens as far as needed and no farther.
class TokenReader {
 public:
  TokenReader(std::string_view text, StatementMode mode) : text_(text), lexer_(text, mode) {}

  const Token& peek(std::size_t ahead = 0);
  void skip(std::size_t count = 1);
  bool at_end() { return peek().kind == TokenKind::end; }
  std::string_view text_of(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  bool is(std::string_view keyword, std::size_t ahead = 0);
  bool is_any(std::initializer_list<std::string_view> keywords, std::size_t ahead = 0);
  bool is_symbol(char symbol, std::size_t ahead = 0);
  // Moves on if all the keywords stand here.
  bool accept(std::string_view keyword);
  bool accept(std::initializer_list<std::string_view> keywords);
  bool accept_symbol(char symbol);
  // Moves on to the first of these keywords outside parentheses; false: there is none.
  bool seek(std::string_view keyword);

  // A name of one or two parts; the database stays empty where the text has none.
  std::optional<NameSpan> take_name();
  // Where the last token that was left behind ended.
  std::size_t last_end() const { return last_end_; }
  std::string_view text() const { return text_; }

 private:
  bool is_name(const Token& token) const {
    return token.kind == TokenKind::word || token.kind == TokenKind::quoted_name;
  }

  std::string_view text_;
  Lexer lexer_;
  std::deque<Token> ahead_;
  std::size_t last_end_ = 0;
};

class StatementReader {
 public:
  StatementReader(std::string_view text, std::string_view default_database, StatementMode mode)
      : in_(text, mode), default_database_(default_database), mode_(mode) {}

  Statement read();

 private:
  // Each returns false where the text is not what the keywords promised: then the kind is unknown.
  bool read_verb();
  bool read_rare_verb();
  bool read_set();
  bool read_start();
  bool read_rollback();
  bool read_xa();
  bool read_xid();
  bool read_dml();
  bool read_analyze();
  bool generated_delete();

  bool read_create();
  bool read_create_table();
  bool read_create_table_rest();
  bool read_create_index();
  bool read_create_function();
  bool read_alter();
  bool read_alter_database();
  bool read_alter_table();
  void read_alter_clause();
  bool read_drop();
  bool read_drop_list(Kind kind);
  bool read_drop_index();
  bool read_rename();
  bool read_truncate();
  // The object of CREATE, ALTER and DROP, past whatever modifiers stand before it.
  std::string skip_to_object();
  bool read_other_object(std::string_view verb, std::string_view object);

  bool is_query_start(std::size_t ahead);
  void read_references();
  void read_union();
  bool take_object(NameRole role = NameRole::subject);
  bool take_database();
  void accept_if_exists();
  bool set(Kind kind);
  bool set(Kind kind, Policy policy);

  TokenReader in_;
  std::string_view default_database_;
  StatementMode mode_;
  Statement out_;
  std::optional<Policy> policy_;  // where the statement is judged otherwise than its kind
  bool temporary_ = false;
};

}  // namespace wherry::sql
