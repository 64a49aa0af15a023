// What a run begins with: made from nothing, or from what an earlier run left in wherry.progress at
// the target. The caller's thread; borrows the sessions for the call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "control/options.h"
#include "control/table_record.h"
#include "copy/definitions.h"
#include "copy/slice.h"
#include "dispatch/board.h"
#include "sink/mysql/progress.h"
#include "source/runtime.h"
#include "support/pattern.h"

namespace wherry::control {

struct RunPlan {
  bool by_gtid = true;
  bool resumed = false;
  ShapeRecords shapes = ShapeRecords::left_out;
  std::uint64_t epoch = 0;
  Position first;                              // where the very first run began
  dispatch::LowWater low;                      // where this one goes on
  sink::Ranges done;                           // at the target already, above low
  std::map<std::uint64_t, std::string> known;  // which groups some of done are
  std::vector<dispatch::PlanPtr> plans;
  std::vector<copy::Slice> slices;
  std::map<std::uint32_t, TableRecord> records;  // by table
  std::vector<std::string> warnings;
  dispatch::FilterRules filters;
  // Of a replay: the last piece of each slice that is at the target, and whether the target is
  // being made from redo alone.
  std::map<std::string, std::uint64_t> pieces;
  bool rebuilding = false;

  std::vector<copy::Route> routes() const;
  // What is above low, as the record of the lane that carries it on.
  void give_done(sink::LaneRecord& lane) const;
};

struct RunSessions {
  source::Runtime& runtime;
  mysql::Session& source;
  mysql::Session& target;  // holds the lease for the whole run
  const sink::Progress& progress;
  mysql::SessionFactory open_target;  // more of them
  // Where the stream of a run that is not resumed begins: asked once the tables are there. Empty:
  // where the source stands then, counted from one.
  std::function<Result<dispatch::LowWater>()> begin;
  bool snapshot = true;  // false: what is at the target is what the source had there
};

// Checks, refuses or prepares; nothing is written before every rule has passed. lanes: how many
// lane rows to make beside the one of the statement runner.
Result<RunPlan> make_run_plan(const CopyOptions& options, const RunSessions& sessions,
                              unsigned lanes);

// What a replay needs, which has no source: the target at which an earlier run stopped.
struct ReplaySessions {
  mysql::Session& target;  // holds the lease for the whole replay
  const sink::Progress& progress;
  Dialect dialect;  // of the source that the run followed
  dispatch::FilterRules filters;
  const Selection& selection;       // tables outside of it stay where they are
  std::vector<std::string> tables;  // what the replay was narrowed to; none: nothing
  bool snapshot = false;            // the redo holds every row, and brings those that are missing
};
// Where a replay would go on, as if the run at the target were resumed. Reads only. Errc::refused:
// there is no run, its snapshot was not complete, or a replay of other tables has been there.
Result<RunPlan> look_at_replay(const ReplaySessions& sessions);
// The same, and takes the target over.
Result<RunPlan> make_replay_plan(const ReplaySessions& sessions, unsigned lanes);
// Before a narrowed replay writes: from here on the run's progress is that of these tables alone.
Status record_narrowed(const ReplaySessions& sessions, const RunPlan& plan);

// The target that was made from redo alone is whole: from here on it is as any other.
Status record_rebuilt(const ReplaySessions& sessions);

// Records that the run is complete: a later copy may begin anew.
Status record_finished(const RunSessions& sessions, const RunPlan& plan);

}  // namespace wherry::control
