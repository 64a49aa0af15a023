// What a statement in the binlog is and which objects it names, from our own tokenizer. Pure; any
// thread. The table of kinds is src/sql/kinds_table.cc and docs/DDL.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "support/result.h"

namespace wherry::sql {

enum class Policy {
  apply,   // run on the target, at its place
  ignore,  // harmless: counted and left out
  stop,    // cannot be followed: the run stops and prints the statement
  control  // BEGIN, COMMIT, ROLLBACK, SAVEPOINT, XA ...: frames transactions
};

enum class Kind : std::uint8_t {
  begin,
  commit,
  rollback,
  savepoint,
  rollback_to_savepoint,
  release_savepoint,
  xa_start,
  xa_end,
  xa_prepare,
  xa_commit,
  xa_rollback,
  create_database,
  alter_database,
  drop_database,
  create_table,
  create_table_like,
  create_table_select,
  alter_table,
  drop_table,
  rename_table,
  truncate_table,
  create_index,
  drop_index,
  create_view,
  alter_view,
  drop_view,
  create_routine,
  alter_routine,
  drop_routine,
  create_trigger,
  drop_trigger,
  create_event,
  alter_event,
  drop_event,
  create_sequence,
  alter_sequence,
  drop_sequence,
  temporary_table,  // CREATE / DROP / ALTER TEMPORARY
  account,          // users, roles, grants, passwords
  maintenance,      // ANALYZE, OPTIMIZE, REPAIR, FLUSH, CHECK, CACHE INDEX
  set_statement,    // SET ...
  dml,        // INSERT, UPDATE, DELETE, REPLACE, LOAD, CALL, SELECT with side effects, WITH ... DML
  other_ddl,  // servers, tablespaces, functions in libraries, resource groups ...
  unknown
};

// What the statement does to the object that a name means.
enum class NameRole : std::uint8_t {
  subject,    // made, changed or removed
  new_name,   // what the subject before it is called afterwards
  model,      // only read: CREATE TABLE ... LIKE
  referenced  // only named: the parent of a foreign key, the tables of a MERGE table
};

std::string_view to_string(Kind kind);  // as in the table of kinds: "create-table"

// Where an object's name stands in the text, so that routing can replace it.
struct NameSpan {
  TableName name;         // database filled from the default database where the text has none
  std::size_t begin = 0;  // byte offsets of the whole (qualified) name in the statement
  std::size_t end = 0;
  NameRole role = NameRole::subject;
};

struct Statement {
  Kind kind = Kind::unknown;
  Policy policy = Policy::stop;
  std::vector<NameSpan> objects;  // in the order written; RENAME: old, new, old, new ...
  std::string database;           // database-level statements: the database meant
  bool if_exists = false;
  bool if_not_exists = false;
  bool or_replace = false;
  bool multi_table = false;  // names more than one table
  // Database-level statements: where its name stands. Equal and not 0: the name is left out and
  // would stand here (ALTER DATABASE without a name).
  std::size_t database_begin = 0;
  std::size_t database_end = 0;
  // A clause that must not be run on the target (see rewrite()); equal: there is none.
  std::size_t cut_begin = 0;
  std::size_t cut_end = 0;
  std::string xid;  // XA statements: the xid as written, canonical X'..',X'..',n
};

// The client character sets in which a byte of a character can look like a quote or a backslash.
enum class TextCharset : std::uint8_t { ascii_compatible, gbk, big5, sjis };

// How the session that wrote the statement read it: sql_mode and character set of the event.
struct StatementMode {
  Dialect dialect = Dialect::mysql;
  bool ansi_quotes = false;
  bool no_backslash_escapes = false;
  TextCharset charset = TextCharset::ascii_compatible;
};

// Never fails: what it does not know is Kind::unknown with Policy::stop.
Statement classify(std::string_view text, std::string_view default_database, StatementMode mode);

// The text as it can be run on the target: every name replaced by what route() makes of it, fully
// qualified, and the clause to be cut left out. No default database is needed afterwards.
std::string rewrite(const Statement& statement, std::string_view text,
                    const std::function<TableName(const TableName&)>& route);

// One row of the table of kinds. A statement can be stricter than its kind: see docs/DDL.md.
struct KindRow {
  Kind kind;
  std::string_view name;
  Policy policy;
  std::string_view why;
};
std::span<const KindRow> kinds();
const KindRow& row_of(Kind kind);

// The text with secrets of account statements blanked, cut to a printable length, for messages.
std::string printable(const Statement& statement, std::string_view text);

}  // namespace wherry::sql
