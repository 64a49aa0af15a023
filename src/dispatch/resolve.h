// A table map from the stream joined with the plan of its table: which wire column is which schema
// column, with the facts that only the schema knows filled in. Immutable once made; the maker runs
// on the scheduler's thread.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decode/batch.h"
#include "decode/rows.h"
#include "dispatch/tables.h"

namespace wherry::dispatch {

struct ResolvedTable {
  decode::TableMap map;
  PlanPtr plan;
  std::vector<std::size_t> wire_of;  // schema column -> wire column; kNoWire where events lack it
  static constexpr std::size_t kNoWire = static_cast<std::size_t>(-1);
};
using ResolvedPtr = std::shared_ptr<const ResolvedTable>;

// Joins by the names in the table map where it has them, else by order; a contradiction (count,
// type) is an Errc::conflict that names table and column, never a guess.
Result<ResolvedPtr> resolve(decode::TableMap map, PlanPtr plan);

// Remembers what table maps resolved to while neither the bytes of the map nor the plans change.
class Resolver {
 public:
  explicit Resolver(const Catalog& catalog) : catalog_(catalog) {}

  // Null: the table is not followed.
  Result<ResolvedPtr> table_map(Bytes body, const decode::FormatDescription& format);

 private:
  struct Entry {
    std::vector<std::byte> body;
    ResolvedPtr table;
  };
  const Catalog& catalog_;
  std::uint64_t catalog_version_ = 0;
  std::unordered_map<std::uint64_t, Entry> by_id_;
};

}  // namespace wherry::dispatch
