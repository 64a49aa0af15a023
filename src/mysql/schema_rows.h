// Turns what the queries of schema_reader returned into Tables. Pure; any thread. Column order of
// each result is the order of the struct's comments; rows may come in any order.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "mysql/session.h"

namespace wherry::mysql {

struct SchemaRows {
  // TABLE_SCHEMA, TABLE_NAME, ENGINE, TABLE_ROWS, DATA_LENGTH
  Rows tables;
  // TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE,
  // CHARACTER_SET_NAME, COLLATION_NAME, CHARACTER_OCTET_LENGTH, DATETIME_PRECISION, IS_NULLABLE,
  // EXTRA, GENERATION_EXPRESSION
  Rows columns;
  // TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE,
  // INDEX_TYPE
  Rows indexes;
  // TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME,
  // REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
  Rows foreign_columns;
  // CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE
  Rows foreign_rules;
};

// The accepted tables in order of their names, primary key first. A table whose columns are not
// among the rows (dropped between two queries) is left out.
std::vector<Table> to_tables(const SchemaRows& rows,
                             const std::function<bool(const TableName&)>& wanted);

ColumnClass to_column_class(std::string_view data_type, bool has_charset);

// Whether an index may be MariaDB's UNIQUE (..., period WITHOUT OVERLAPS), which information_schema
// shows as a plain unique key ending in the two columns of the period.
bool may_lack_overlaps(const Table& table, const Index& index);

// Tables with a foreign key whose rules are not among the rows: MariaDB shows them only to accounts
// that may do more than SELECT.
std::vector<TableName> without_rules(const std::vector<Table>& tables, const SchemaRows& rows);

// Reads the rules of foreign keys from SHOW CREATE TABLE.
void mark_cascades(Table& table, std::string_view create_table);

// Marks the keys that SHOW CREATE TABLE declares WITHOUT OVERLAPS as functional: equal values of
// their columns do not name one row.
void mark_without_overlaps(Table& table, std::string_view create_table);

}  // namespace wherry::mysql
