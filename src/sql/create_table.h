// Works on the output of SHOW CREATE TABLE, which both servers print one item a line. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "support/result.h"

namespace wherry::sql {

struct CreateTable {
  std::string head;                  // up to and with the opening parenthesis
  std::vector<std::string> columns;  // one definition each, without the comma
  std::vector<std::string> keys;     // PRIMARY, UNIQUE, KEY, FULLTEXT, SPATIAL
  std::vector<std::string> foreign_keys;
  std::vector<std::string>
      checks;        // CONSTRAINT ... CHECK and anything else between columns and options
  std::string tail;  // from the closing parenthesis: options, partitions
};
Result<CreateTable> parse_create_table(std::string_view text);
std::string to_text(const CreateTable& table);

// Replaces the table's own name by database.table, so that the statement needs no default database.
void set_name(CreateTable& table, const TableName& name);

// Plain non-unique keys that may be added after the data: not needed by AUTO_INCREMENT, by a
// foreign key of the table, and neither FULLTEXT nor SPATIAL. Removes them from the table and
// returns them.
std::vector<std::string> take_late_keys(CreateTable& table);

// Makes the definition acceptable to the other dialect: collations and character sets with an exact
// or mapped twin, options only one side knows. Same dialect: unchanged. An error names what has no
// counterpart.
Status translate(CreateTable& table, Dialect from, Dialect to);

// The same, with collations that whoever asks has chosen (from, to) where there is no exact twin.
using CollationMap = std::map<std::string, std::string, std::less<>>;
Status translate(CreateTable& table, Dialect from, Dialect to, const CollationMap& collations);

// Names the collation wherever an old server left out the default of utf8mb4, which newer servers
// read as another one. Changes nothing on what MySQL 8 and MariaDB 10.11 print.
void pin_collations(CreateTable& table);

// Gives the parents of foreign keys fully qualified, routed names. database: where the table stood.
void route_parents(CreateTable& table, std::string_view database,
                   const std::function<TableName(const TableName&)>& route);

// Both definitions without what may differ (AUTO_INCREMENT counters, comments of versions, default
// spellings of the same thing), for --existing use. Empty: equal; else the differing lines. Across
// dialects give it the source as translate() left it. Expressions are compared word by word: other
// parentheses count as another expression.
std::vector<std::string> differences(const CreateTable& source, const CreateTable& target);

}  // namespace wherry::sql
