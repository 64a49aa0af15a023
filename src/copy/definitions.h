// Makes the objects at the target that the data needs, from the source's own definitions, and what
// comes after the data: late indexes, AUTO_INCREMENT counters, views, routines, triggers, events.
// Each step can be repeated after a crash: it looks at what is there and adds what is missing.
// The caller's thread; borrows the sessions for the call.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/schema.h"
#include "mysql/session.h"
#include "support/result.h"

namespace wherry::copy {

struct Route {
  TableName source;
  TableName target;
};

struct DefinitionOptions {
  bool late_indexes = true;   // --indexes after
  bool use_existing = false;  // --existing use
  // By source name: tables with so few rows that an ALTER would cost more than it saves. They get
  // their indexes at once.
  std::set<TableName> small;
  mysql::SessionFactory open_target;  // for many tables, which are made side by side
  std::vector<std::pair<std::string, std::string>> collation_map;
};

// Definitions of plain indexes that are added once the rows are there, in the target's words, by
// the table's name at the source.
using LateKeys = std::map<TableName, std::vector<std::string>>;

// CREATE DATABASE (character set and collation of the source's) and CREATE TABLE for all routes,
// with foreign keys in any order. A table that exists: Errc::refused, or with use_existing its
// definition is compared and the differing lines are named. A refusal comes before anything is
// created. A run that is resumed passes use_existing: plain indexes that come late may then be
// there or not. Returns what is to be added late.
Result<LateKeys> create_tables(mysql::Session& source, mysql::Session& target,
                               const std::vector<Route>& routes, const DefinitionOptions& options);

// What create_tables() would refuse about the routes' databases, with nothing made: their default
// collations.
Result<std::vector<std::string>> refused_databases(mysql::Session& source, mysql::Session& target,
                                                   const std::vector<Route>& routes,
                                                   const DefinitionOptions& options);

// Adds those of the keys that the target's table lacks. Online where the server can
// (ALGORITHM=INPLACE, LOCK=NONE), else with a lock.
Status add_late_indexes(mysql::Session& target, const TableName& table,
                        const std::vector<std::string>& keys);

// Raises the AUTO_INCREMENT counters of the target to the source's. Tables that are gone have none.
Status raise_auto_increments(mysql::Session& source, mysql::Session& target,
                             const std::vector<Route>& routes);

enum class ObjectKind { views, routines, triggers, events };
// The stored objects of the routes' databases, with definer, sql_mode and character sets of the
// source; triggers only of routed tables; events are created DISABLED. Returns warnings (an object
// that could not be created, with the server's reason).
Result<std::vector<std::string>> create_objects(mysql::Session& source, mysql::Session& target,
                                                const std::vector<Route>& routes, ObjectKind kind);

}  // namespace wherry::copy
