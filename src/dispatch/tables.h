// The tables that a run follows: where each goes, how its rows are identified, and how far its copy
// is. Plans are immutable and replaced as a whole when a DDL changes a table; the copy state of a
// table is shared by its plans and read by every stage.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dispatch/change_filter.h"
#include "model/schema.h"
#include "support/guarded.h"

namespace wherry::dispatch {

inline constexpr std::uint64_t kNotYet = std::numeric_limits<std::uint64_t>::max();

// Lives as long as the table is followed, across DDL. Atomics: any thread.
struct TableState {
  // While chunks of the table are open its changes are applied tolerantly (upserts, deletes that
  // may match nothing); changes after this cseq are applied strictly. kNotYet: still open.
  std::atomic<std::uint64_t> strict_after{0};
  // Where its latest chunk was placed: once the last one is there, changes after it are strict.
  std::atomic<std::uint64_t> placed_through{0};
  // Counts what makes chunks that are read but not placed worthless: DDL, an unheld transaction.
  std::atomic<std::uint64_t> epoch{0};
  std::atomic<std::uint64_t> rows_copied{0};
  std::atomic<std::uint64_t> bytes_copied{0};
  std::atomic<std::uint64_t> changes_applied{0};
  // Whether the stream wrote rows of the table while it was open: chunks may then meet them.
  std::atomic<bool> touched{false};

  // Of tables that foreign key actions change: until a first snapshot is about to be opened the
  // stream's changes are left out (through skip_through); every snapshot will hold them. Written
  // ones could lose their parent by an action that nothing tells of.
  std::atomic<bool> started{true};
  std::atomic<std::uint64_t> skip_through{0};

  // A definition is about to change at the target beside the stream: changes of the table follow
  // each other, one target transaction at a time.
  std::atomic<bool> single_file{false};

  bool open() const { return strict_after.load(std::memory_order_acquire) == kNotYet; }
  bool tolerant(std::uint64_t cseq) const {
    return cseq <= strict_after.load(std::memory_order_acquire);
  }
};

// One unique index as conflict detection sees it.
struct UniqueKey {
  std::vector<IndexPart> parts;
  bool opaque =
      false;  // functional, or over columns that row events do not carry: values are unknown
};

struct TablePlan {
  std::uint32_t id = 0;  // small and stable for the run: index of counters
  // Where its rows may clash: the same number for all tables that go into one. Catalog::put() says.
  std::uint32_t space = 0;
  Table source;
  TableName target;
  std::vector<std::size_t> key;       // columns of the row key; empty: the table has none
  std::vector<UniqueKey> uniques;     // the row key first
  std::vector<std::size_t> writable;  // columns that are written, in order: all but generated ones
  bool cascades =
      false;  // rows change, or are changed, by foreign key actions: one lane, one by one
  // Such actions can come back to the table: a chain of rows that the source's log does not name
  // may run through rows that are not copied yet.
  bool circular = false;
  bool cascade_parent = false;          // its deletes and key updates change rows of other tables
  std::vector<std::size_t> referenced;  // columns that those other tables refer to
  std::shared_ptr<TableState> state;
  ChangeFilterPtr filter;  // null: every change is wanted

  bool keyless() const { return key.empty(); }
  // Kinds of change are left out, so that the target holds other rows than the source.
  bool skips() const { return filter != nullptr && filter->skips(); }
  // Whether a change there may find another row than the source did.
  bool tolerant(std::uint64_t cseq) const { return state->tolerant(cseq) || skips(); }
  // Row by row in the order of the source, never merged. What was left out may stand in the way of
  // another row by a second unique key: then the order decides who gives way.
  bool one_by_one() const {
    return keyless() || cascades ||
           (filter != nullptr && filter->skips_erases_or_updates() && uniques.size() > 1);
  }
  // Read from one snapshot, at an exact place of the stream; changes before it are left out.
  bool whole() const { return keyless() || circular; }
};

using PlanPtr = std::shared_ptr<const TablePlan>;

// Builds the plan of one table.
PlanPtr make_plan(std::uint32_t id, Table source, TableName target,
                  std::shared_ptr<TableState> state, ChangeFilterPtr filter = nullptr);

// The plans by source name. Written by the scheduler (and before it starts); read by any thread.
class Catalog {
 public:
  PlanPtr find(const std::string& database, const std::string& table) const;
  PlanPtr find(std::uint32_t id) const;
  std::vector<PlanPtr> all() const;
  void put(PlanPtr plan);
  void remove(const TableName& source);
  std::uint32_t next_id();
  void reserve_ids(std::uint32_t through);  // next_id() stays above
  // Changes whenever a plan does: caches of plans are checked against it.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  struct Plans {
    std::map<std::pair<std::string, std::string>, PlanPtr> by_name;
    std::map<std::uint32_t, PlanPtr> by_id;
    std::uint32_t next_id = 0;
    struct Space {
      std::uint32_t number = 0;
      std::size_t tables = 0;
    };
    std::map<TableName, Space> spaces;  // by target

    void enter(PlanPtr plan);
    void leave(const TablePlan& plan);
  };
  Guarded<Plans> plans_;
  std::atomic<std::uint64_t> version_{1};
};

// Marks every plan whose rows foreign key actions can change, or whose changes cause such actions.
// Returns new plans for those that changed.
std::vector<PlanPtr> with_cascades(const std::vector<PlanPtr>& plans);

// The parents that each table has by foreign keys with actions.
using CascadeParents = std::map<TableName, std::set<TableName>>;
void add_parents(CascadeParents& parents, const Table& table);
// The tables from which such keys lead back to the table, itself included; empty: none do.
std::set<TableName> circle_of(const CascadeParents& parents, const TableName& table);

}  // namespace wherry::dispatch
