// Digests of rows and of sets of rows. A row's fields go into the hash with their lengths and with
// NULL apart from every text; a set is summed, so that neither order nor splitting matters while a
// missing, doubled or swapped row does. Values and one reused buffer; one thread each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mysql/session.h"
#include "support/hash.h"

namespace wherry::verify {

// Turns rows into hashes. Holds a buffer as large as the largest row seen.
class RowHasher {
 public:
  Hash128 row(std::span<const mysql::FieldView> fields);
  // Only the fields at these positions.
  Hash128 key(std::span<const mysql::FieldView> fields, const std::vector<std::size_t>& positions);

 private:
  void begin(std::size_t bytes_max);
  void add(const mysql::FieldView& field);
  Hash128 end();

  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

// Sum modulo 2^128 of the hashes of rows, and how many there are.
struct SetDigest {
  std::uint64_t rows = 0;
  Hash128 sum;

  void add(const Hash128& hash) {
    ++rows;
    sum.low += hash.low;
    sum.high += hash.high + (sum.low < hash.low ? 1 : 0);
  }
  bool operator==(const SetDigest&) const = default;
};

}  // namespace wherry::verify
