// The tables of a snapshot in redo: the statements that make them, and the records that their copy
// began with. Written before the first transaction, read where a target is made from redo alone.
// The caller's thread; borrows its sessions.
#pragma once

#include <string>
#include <vector>

#include "control/run_plan.h"
#include "redo/place_gate.h"

namespace wherry::control {

// Whether redo can hold the copy's snapshot: every table has a key and a target of its own, no
// foreign key changes its rows, and what is at the target already is in the redo.
bool fits_redo(const RunPlan& plan);

// A record of the run's, and the statements that go before it; none: a record alone.
struct SnapshotTable {
  sink::NamedRecord record;
  std::string statements;
};

// As the target has them now: the tables, and the run last.
Result<std::vector<SnapshotTable>> read_snapshot_tables(mysql::Session& target,
                                                        const sink::Progress& progress,
                                                        const RunPlan& plan);
Status put_tables(const std::vector<SnapshotTable>& tables, std::uint64_t cseq,
                  redo::PlaceGate& gate);

}  // namespace wherry::control
