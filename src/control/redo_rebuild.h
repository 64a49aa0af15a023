// A target made from redo alone: its tables, and the records with which the copy began. What
// follows is a replay like others. One thread; reads the storage, and borrows the session.
#pragma once

#include <optional>
#include <vector>

#include "control/snapshot_tables.h"
#include "redo/archive.h"

namespace wherry::control {

// Behind this transaction the redo holds every row; nothing: its snapshot is not complete, or it
// holds none.
Result<std::optional<std::uint64_t>> snapshot_complete_at(storage::Storage& storage,
                                                          const redo::Archive& archive,
                                                          const storage::Limits& limits);

// Whether a run has left its record at the target.
Result<bool> holds_run(const ReplaySessions& sessions);

// Makes the tables that the redo begins with. Errc::refused: one of them is there, with rows or by
// others; nothing was written.
Status rebuild_tables(const ReplaySessions& sessions, storage::Storage& storage,
                      const redo::Archive& archive, const storage::Limits& limits);

}  // namespace wherry::control
