// What an account may do, read from the lines of SHOW GRANTS of either dialect (which already hold
// what the active roles give). Value; no threads.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"

namespace wherry::control {

class Grants {
 public:
  // literal_names: the server takes '_' and '%' of a granted database as they stand, not as
  // wildcards (MySQL with partial_revokes). Lines that it does not know grant nothing.
  Grants(const std::vector<std::string>& lines, bool literal_names);

  // Privileges are named as the servers print them; REPLICATION CLIENT and BINLOG MONITOR are one.
  bool everywhere(std::string_view privilege) const;
  bool on_database(std::string_view privilege, std::string_view database) const;
  bool on_table(std::string_view privilege, const TableName& table) const;

 private:
  // Privileges on one object: *.* (both empty), one database pattern, or one table.
  struct Entry {
    std::string database;
    std::string table;
    std::set<std::string, std::less<>> privileges;
    bool revoked = false;  // MySQL's partial revoke: taken from what *.* gives
  };

  void read_line(std::string_view line);
  bool covers(const Entry& entry, std::string_view database) const;

  std::vector<Entry> entries_;
  bool literal_names_ = false;
};

// 'user'@'host' of CURRENT_USER(), quoted for a GRANT statement.
std::string quoted_account(std::string_view current_user);

}  // namespace wherry::control
