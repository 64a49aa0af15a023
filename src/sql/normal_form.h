// One spelling for definitions that mean the same, whichever server printed them. Internal to this
// room. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sql/create_table.h"

namespace wherry::sql {

struct NormalColumn {
  std::string name;  // lower case
  std::string form;  // type and attributes, one spelling
  std::string text;  // as printed
};

struct NormalTable {
  std::vector<NormalColumn> columns;
  // Spelling to what was printed: keys, foreign keys and checks have no order.
  std::map<std::string, std::string> keys;
  std::map<std::string, std::string> foreign_keys;
  std::map<std::string, std::string> checks;
  std::map<std::string, std::string> options;  // name to "name=value"
};

NormalTable normal_form(const CreateTable& table);

}  // namespace wherry::sql
