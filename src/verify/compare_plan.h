// How one pair of tables is read so that equal rows look equal: which expression stands for a
// column on each side, which fields make the key, and whether both servers agree on its order.
// Values, made by a pure function; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/schema.h"
#include "mysql/facts.h"
#include "support/result.h"
#include "verify/checksum.h"

namespace wherry::verify {

// One field of a row as it is read.
struct PlanField {
  std::string column;
  ColumnClass kind = ColumnClass::text;
  std::string charset;  // of the bytes as they arrive; empty: none
};

enum class Order {
  none,    // no key, or one whose order cannot be used: rows are compared as a bag
  likely,  // same collations on different servers: a difference is confirmed without the order
  same     // both servers cut ranges alike
};

// One side's words for the same rows.
struct SidePlan {
  std::string select;                // "SELECT t.`a`, ... FROM `db`.`t` AS t"
  std::string use_index;             // " FORCE INDEX (`name`)" or empty
  std::vector<std::string> columns;  // of the key, quoted and qualified: "t.`id`"
  std::string where;                 // which of the rows are read; empty: all
};

struct ComparePlan {
  TableName table;
  std::vector<PlanField> fields;
  std::vector<std::size_t> key;  // positions in fields; empty: every row stands for itself
  Order order = Order::none;
  SidePlan source;
  SidePlan target;
  std::uint64_t rows_estimate = 0;
  std::uint64_t row_bytes_estimate = 0;
};

// Fails with Errc::unsupported when the columns of the two tables do not match.
Result<ComparePlan> make_plan(const TablePair& pair, const mysql::ServerFacts& source,
                              const mysql::ServerFacts& target);

}  // namespace wherry::verify
