// The columns of a table map as conditions see them, where no definition of the table is at hand.
// The map has names and collations (binlog_row_metadata=FULL). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/rows.h"
#include "sql/condition.h"

namespace wherry::feed {

struct CollationName {
  std::string collation;
  std::string charset;
};
// By the source's numbers for them.
using CollationNames = std::map<std::uint32_t, CollationName>;

std::vector<sql::ConditionColumn> map_columns(const decode::TableMap& map,
                                              const CollationNames& collations, Dialect dialect);

}  // namespace wherry::feed
