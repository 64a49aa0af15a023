#include <algorithm>
#include <array>

#include "sql/statement_reader.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kObjects = {
    "TABLE"sv,     "TABLES"sv,   "DATABASE"sv,   "SCHEMA"sv,  "INDEX"sv,    "VIEW"sv,
    "PROCEDURE"sv, "FUNCTION"sv, "TRIGGER"sv,    "EVENT"sv,   "SEQUENCE"sv, "USER"sv,
    "ROLE"sv,      "SERVER"sv,   "TABLESPACE"sv, "LOGFILE"sv, "RESOURCE"sv, "REFERENCE"sv,
    "PACKAGE"sv,   "LIBRARY"sv,  "INSTANCE"sv};

// More words than any server allows between the verb and the object.
constexpr int kModifiersMax = 40;

struct ObjectKinds {
  std::string_view object;
  Kind create;
  Kind alter;
  Kind drop;
};
constexpr std::array kOtherObjects = {
    ObjectKinds{"VIEW", Kind::create_view, Kind::alter_view, Kind::drop_view},
    ObjectKinds{"PROCEDURE", Kind::create_routine, Kind::alter_routine, Kind::drop_routine},
    ObjectKinds{"FUNCTION", Kind::create_routine, Kind::alter_routine, Kind::drop_routine},
    ObjectKinds{"PACKAGE", Kind::create_routine, Kind::alter_routine, Kind::drop_routine},
    ObjectKinds{"LIBRARY", Kind::create_routine, Kind::alter_routine, Kind::drop_routine},
    ObjectKinds{"TRIGGER", Kind::create_trigger, Kind::unknown, Kind::drop_trigger},
    ObjectKinds{"EVENT", Kind::create_event, Kind::alter_event, Kind::drop_event},
    ObjectKinds{"SEQUENCE", Kind::create_sequence, Kind::alter_sequence, Kind::drop_sequence},
    ObjectKinds{"USER", Kind::account, Kind::account, Kind::account},
    ObjectKinds{"ROLE", Kind::account, Kind::account, Kind::account},
    ObjectKinds{"INSTANCE", Kind::unknown, Kind::maintenance, Kind::unknown},
    ObjectKinds{"SERVER", Kind::other_ddl, Kind::other_ddl, Kind::other_ddl},
    ObjectKinds{"TABLESPACE", Kind::other_ddl, Kind::other_ddl, Kind::other_ddl},
    ObjectKinds{"LOGFILE", Kind::other_ddl, Kind::other_ddl, Kind::other_ddl},
    ObjectKinds{"RESOURCE", Kind::other_ddl, Kind::other_ddl, Kind::other_ddl},
    ObjectKinds{"REFERENCE", Kind::other_ddl, Kind::unknown, Kind::other_ddl},
};

}  // namespace

std::string StatementReader::skip_to_object() {
  for (int i = 0; i < kModifiersMax && !in_.at_end(); ++i) {
    if (in_.accept({"OR", "REPLACE"})) {
      out_.or_replace = true;
      continue;
    }
    if (in_.accept("TEMPORARY")) {
      temporary_ = true;
      continue;
    }
    if (in_.is("DEFINER") && in_.is_symbol('=', 1)) {
      in_.skip(3);  // the account could be called like an object
      continue;
    }
    for (const std::string_view object : kObjects) {
      if (in_.accept(object)) return std::string(object);
    }
    in_.skip();
  }
  return {};
}

bool StatementReader::take_database() {
  std::optional<NameSpan> span = in_.take_name();
  if (!span || !span->name.database.empty()) return false;
  out_.database = span->name.table;
  out_.database_begin = span->begin;
  out_.database_end = span->end;
  return true;
}

bool StatementReader::read_other_object(std::string_view verb, std::string_view object) {
  const auto row = std::find_if(kOtherObjects.begin(), kOtherObjects.end(),
                                [&](const ObjectKinds& kinds) { return kinds.object == object; });
  if (row == kOtherObjects.end()) return false;
  Kind kind = row->drop;
  if (verb == "CREATE") kind = row->create;
  if (verb == "ALTER") kind = row->alter;
  if (kind == Kind::unknown) return false;
  if (kind == Kind::account || kind == Kind::other_ddl || kind == Kind::maintenance)
    return set(kind);
  if (object == "PACKAGE") in_.accept("BODY");
  accept_if_exists();
  const bool named = take_object();
  if (temporary_ && object == "SEQUENCE") return set(Kind::temporary_table);
  while (verb == "DROP" && in_.accept_symbol(',')) {
    if (!take_object()) return false;
  }
  // Whoever applies a sequence must know which.
  return (named || row_of(kind).policy != Policy::apply) && set(kind);
}

bool StatementReader::read_create() {
  const std::string object = skip_to_object();
  if (object == "TABLE") return read_create_table();
  if (object == "INDEX") return read_create_index();
  if (object == "FUNCTION") return read_create_function();
  if (object == "DATABASE" || object == "SCHEMA") {
    accept_if_exists();
    return take_database() && set(Kind::create_database);
  }
  return read_other_object("CREATE", object);
}

// A function of a shared library is code of the server; a stored one is a routine.
bool StatementReader::read_create_function() {
  accept_if_exists();
  take_object();
  const bool library = in_.is("RETURNS") && in_.is("SONAME", 2);
  return set(library ? Kind::other_ddl : Kind::create_routine);
}

// A query begins here: the table is filled by the statement itself.
bool StatementReader::is_query_start(std::size_t ahead) {
  while (in_.is_symbol('(', ahead)) ++ahead;
  return in_.is_any({"SELECT", "VALUES", "TABLE"}, ahead) ||
         (in_.is("WITH", ahead) && !in_.is("SYSTEM", ahead + 1));
}

bool StatementReader::read_create_table() {
  accept_if_exists();
  if (!take_object()) return false;
  if (temporary_) return set(Kind::temporary_table);
  const bool parenthesis = in_.is_symbol('(') && in_.is("LIKE", 1);
  if (parenthesis) in_.skip();
  if (in_.accept("LIKE")) return take_object(NameRole::model) && set(Kind::create_table_like);
  return read_create_table_rest();
}

bool StatementReader::read_create_table_rest() {
  set(Kind::create_table);
  int depth = 0;
  while (!in_.at_end() && !in_.is_symbol(';')) {
    if (depth == 0 && (is_query_start(0) || in_.is("AS")))
      return set(Kind::create_table_select, Policy::stop);
    if (depth == 0 && in_.is("START") && in_.is("TRANSACTION", 1)) {
      // How MySQL logs CREATE TABLE ... SELECT: the session would then allow row events only.
      out_.cut_begin = in_.peek().begin;
      out_.cut_end = in_.peek(1).end;
      return set(Kind::create_table_select);
    }
    if (in_.is("REFERENCES")) {
      read_references();
      continue;
    }
    if (depth == 0 && in_.is("UNION")) {
      read_union();
      continue;
    }
    if (in_.is_symbol('(')) ++depth;
    if (in_.is_symbol(')')) --depth;
    in_.skip();
  }
  return true;
}

void StatementReader::read_references() {
  in_.skip();
  take_object(NameRole::referenced);
}

// UNION = (a, b) of the MERGE engine.
void StatementReader::read_union() {
  in_.skip();
  in_.accept_symbol('=');
  if (!in_.accept_symbol('(')) return;
  do {
    if (!take_object(NameRole::referenced)) break;
  } while (in_.accept_symbol(','));
  in_.accept_symbol(')');
}

bool StatementReader::read_create_index() {
  accept_if_exists();
  return in_.seek("ON") && in_.accept("ON") && take_object() && set(Kind::create_index);
}

bool StatementReader::read_alter() {
  const std::string object = skip_to_object();
  if (object == "TABLE") return read_alter_table();
  if (object == "DATABASE" || object == "SCHEMA") return read_alter_database();
  return read_other_object("ALTER", object);
}

// Without a name the default database is meant. The options that can follow are not reserved words,
// so a name is only what is not such an option.
bool StatementReader::read_alter_database() {
  set(Kind::alter_database);
  const bool option =
      (in_.is("DEFAULT") && in_.is_any({"CHARACTER", "CHARSET", "COLLATE", "ENCRYPTION"}, 1)) ||
      (in_.is_any({"CHARACTER", "CHAR"}) && in_.is("SET", 1)) ||
      (in_.is_any({"CHARSET", "COLLATE", "ENCRYPTION", "COMMENT"}) &&
       (in_.is_symbol('=', 1) || in_.peek(1).kind == TokenKind::string ||
        in_.peek(1).kind == TokenKind::word)) ||
      (in_.is("READ") && in_.is("ONLY", 1));
  if (!option) return take_database();
  out_.database = std::string(default_database_);
  out_.database_begin = out_.database_end = in_.last_end();
  return !out_.database.empty();
}

bool StatementReader::read_alter_table() {
  accept_if_exists();
  if (!take_object()) return false;
  set(Kind::alter_table);
  if (in_.accept("WAIT")) in_.skip();
  in_.accept("NOWAIT");
  int depth = 0;
  bool clause_begins = true;
  while (!in_.at_end() && !in_.is_symbol(';')) {
    if (depth == 0 && clause_begins) {
      clause_begins = false;
      read_alter_clause();
      continue;
    }
    if (in_.is("REFERENCES")) {
      read_references();
      continue;
    }
    if (depth == 0 && in_.is("UNION")) {
      read_union();
      continue;
    }
    if (in_.is_symbol('(')) ++depth;
    if (in_.is_symbol(')')) --depth;
    clause_begins = depth == 0 && in_.is_symbol(',');
    in_.skip();
  }
  return true;
}

// The clauses that name another table, or that move data without row events.
void StatementReader::read_alter_clause() {
  if (in_.is_any({"DISCARD", "IMPORT"})) {
    policy_ = Policy::stop;
  } else if (in_.is_any({"SECONDARY_LOAD", "SECONDARY_UNLOAD"})) {
    policy_ = Policy::ignore;
  } else if (in_.is("RENAME") && !in_.is_any({"COLUMN", "INDEX", "KEY"}, 1)) {
    in_.skip();
    if (!in_.accept("TO") && !in_.accept("AS")) in_.accept_symbol('=');
    take_object(NameRole::new_name);
  } else if (in_.accept({"EXCHANGE", "PARTITION"})) {
    in_.skip();
    if (in_.accept({"WITH", "TABLE"})) take_object();
  } else if (in_.accept({"CONVERT", "PARTITION"})) {
    in_.skip();
    if (in_.accept({"TO", "TABLE"})) take_object();
  } else if (in_.accept({"CONVERT", "TABLE"})) {
    take_object();
  }
}

bool StatementReader::read_drop() {
  const std::string object = skip_to_object();
  if (object == "TABLE" || object == "TABLES") {
    return read_drop_list(temporary_ ? Kind::temporary_table : Kind::drop_table);
  }
  if (object == "INDEX") return read_drop_index();
  if (object == "DATABASE" || object == "SCHEMA") {
    accept_if_exists();
    return take_database() && set(Kind::drop_database);
  }
  return read_other_object("DROP", object);
}

bool StatementReader::read_drop_list(Kind kind) {
  accept_if_exists();
  do {
    if (!take_object()) return false;
  } while (in_.accept_symbol(','));
  return set(kind);
}

bool StatementReader::read_drop_index() {
  accept_if_exists();
  return in_.seek("ON") && in_.accept("ON") && take_object() && set(Kind::drop_index);
}

bool StatementReader::read_rename() {
  if (in_.is("USER")) return set(Kind::account);
  if (!in_.accept("TABLE") && !in_.accept("TABLES")) return false;
  accept_if_exists();
  do {
    if (!take_object()) return false;
    if (in_.accept("WAIT")) in_.skip();
    in_.accept("NOWAIT");
    if (!in_.accept("TO") || !take_object(NameRole::new_name)) return false;
  } while (in_.accept_symbol(','));
  return set(Kind::rename_table);
}

bool StatementReader::read_truncate() {
  in_.accept("TABLE");
  return take_object() && set(Kind::truncate_table);
}

}  // namespace wherry::sql
