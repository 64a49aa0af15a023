// The shape of a table as a server declares it: columns, keys, engine. Values only; no threads.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wherry {

enum class Dialect { mysql, mariadb };

struct TableName {
  std::string database;
  std::string table;
  auto operator<=>(const TableName&) const = default;
  std::string to_string() const { return database + "." + table; }
};

// What a value of the column is, apart from how wide it is. Decides the canonical text (see
// decode/value.h), how the column is selected and how a value is written.
enum class ColumnClass : std::uint8_t {
  integer,
  decimal,
  floating,  // FLOAT and DOUBLE
  bit,
  date,
  time,
  datetime,
  timestamp,
  year,
  text,    // CHAR, VARCHAR, TEXT with a character set; MariaDB's JSON too
  binary,  // BINARY, VARBINARY, BLOB
  enumeration,
  set,
  json,  // MySQL's binary JSON
  geometry,
  vector,  // MySQL's VECTOR
  uuid,    // MariaDB
  inet4,   // MariaDB
  inet6    // MariaDB
};

struct Column {
  std::string name;
  ColumnClass kind = ColumnClass::text;
  std::string type;           // COLUMN_TYPE, for example "int(10) unsigned"
  std::string data_type;      // DATA_TYPE, for example "int"
  std::string charset;        // empty where the column has none
  std::string collation;      // empty where the column has none
  std::uint32_t length = 0;   // CHARACTER_OCTET_LENGTH, 0 where not given
  std::uint8_t fraction = 0;  // fractional digits of a temporal column
  bool is_unsigned = false;
  bool zerofill = false;
  bool nullable = true;
  bool auto_increment = false;
  bool invisible = false;
  bool generated = false;  // VIRTUAL or STORED: never written
  bool stored = false;     // generated and stored: present in row events
};

struct IndexPart {
  std::size_t column = 0;           // position in Table::columns
  std::uint32_t prefix_length = 0;  // 0: the whole column
};

struct Index {
  std::string name;
  std::vector<IndexPart> parts;
  bool unique = false;
  bool primary = false;
  bool functional = false;  // has an expression among its parts; parts then holds only the columns
};

struct ForeignKey {
  std::string name;
  std::vector<std::size_t> columns;
  TableName parent;
  std::vector<std::string> parent_columns;
  bool cascades = false;  // any action that changes child rows: CASCADE, SET NULL, SET DEFAULT
};

struct Table {
  TableName name;
  std::vector<Column> columns;  // in ORDINAL_POSITION order, hidden system columns left out
  std::vector<Index> indexes;
  std::vector<ForeignKey> foreign_keys;
  std::string engine;
  std::uint64_t rows_estimate = 0;
  std::uint64_t data_bytes_estimate = 0;
  bool versioned = false;  // MariaDB keeps the history of its rows

  std::optional<std::size_t> find_column(std::string_view column) const;
};

// The NOT NULL unique key of whole columns that identifies a row: the primary key first, then the
// narrowest. Null: the table has none. The pointer lives as long as the table is unchanged.
const Index* row_key(const Table& table);

// The columns of the row key with their types, "" without one. Places in the order of one key mean
// nothing under another.
std::string key_signature(const Table& table);

}  // namespace wherry
