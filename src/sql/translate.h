// The steps of translate() for each direction. Internal to this room. One call each, then dropped.
#pragma once

#include <string>
#include <vector>

#include "sql/create_table.h"

namespace wherry::sql {

// What has no counterpart, gathered over the whole definition so that one run shows all of it.
class Translation {
 public:
  Translation(Dialect from, Dialect to, const CollationMap& collations)
      : from_(from), to_(to), collations_(collations) {}

  // What both directions share: collations and character sets of columns and of the table.
  void collations(CreateTable& table);
  void mysql_to_mariadb(CreateTable& table);
  void mariadb_to_mysql(CreateTable& table);
  Status result() const;

 private:
  void refuse(const std::string& item, const std::string& why);
  std::string mapped(const std::string& item, std::string_view collation);
  void item_collations(std::string& text, const std::string& item);
  void inherited_collation(CreateTable& table);
  void mariadb_column(std::string& column);  // from MySQL
  void mariadb_key(std::string& key);
  void mariadb_tail(std::string& tail);
  void mysql_column(std::string& column);  // from MariaDB
  void mysql_default(std::string& column);
  void mysql_key(std::string& key);
  void mysql_tail(std::string& tail);

  Dialect from_;
  Dialect to_;
  const CollationMap& collations_;
  std::vector<std::string> refusals_;
};

}  // namespace wherry::sql
