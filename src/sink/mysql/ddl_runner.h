// Runs the statements of the stream at the target, each at its place and once: ddl_progress says
// begun or finished, and what the objects looked like before, so that a crash at any step
// converges. Brings the catalog up to date from the target's own definitions afterwards: at this
// point of the stream they are the source's. The scheduler's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/scheduler.h"
#include "sink/mysql/progress.h"
#include "sink/mysql/target_session.h"
#include "sql/create_table.h"
#include "support/guarded.h"

namespace wherry::sink {

// What the run knows and the runner needs; all called on the scheduler's thread.
struct DdlSelection {
  std::function<bool(const TableName&)> follows;
  std::function<bool(const std::string&)> follows_database;
  std::function<TableName(const TableName&)> route;
  std::function<std::string(const std::string&)> route_database;
  // Whether tables of several names may go where this one goes; an empty table: whether any of the
  // database may.
  std::function<bool(const TableName&)> merges;
  // Which of its changes are wanted, under its name at the source; null: all.
  std::function<Result<dispatch::ChangeFilterPtr>(const Table&)> filter;
  // The same in words: equal ones want the same.
  std::function<std::string(const TableName&)> filter_text;
  // Before a table that is still being copied changes: what was put off for it is done now.
  std::function<Status(const dispatch::TablePlan&)> settle;
  // Plain indexes that are built beside the stream. Calls record once it knows of them, and nothing
  // else changes the table's progress row meanwhile.
  std::function<Status(const dispatch::TablePlan&, std::vector<std::string> keys,
                       const std::function<Status()>& record)>
      put_off;
  // A table is gone: nothing of it is left to copy.
  std::function<void(std::uint32_t table)> dropped;
  // The progress row of a table. key: key_signature() at the target, where it is known. outrun: the
  // definition that the target had before a table that it is merged with was altered; empty: its
  // rows have the columns of the target.
  std::function<NamedRecord(const dispatch::TablePlan&, const std::string& key,
                            const std::string& outrun)>
      record;
  // The copy of a table begins anew, since its slices were cut by another key; the target's table
  // is empty. Returns the progress row of its only slice. Null: tables keep their rows.
  std::function<NamedRecord(const dispatch::TablePlan&)> restart;
};

// Tables of the source that are merged with one that was altered before them, with the definition
// that the target had then.
using Outrun = std::map<TableName, std::string>;

class DdlRunner final : public dispatch::StatementRunner {
 public:
  // All of it outlives the runner.
  struct Links {
    std::uint64_t epoch = 0;
    const Progress& progress;
    dispatch::Board& board;
    dispatch::Catalog& catalog;
    Outrun outrun = {};  // as the records have it
  };
  DdlRunner(TargetOptions target, const Links& links, DdlSelection selection, LaneRecord start);

  bool follows(const TableName& source) const override { return selection_.follows(source); }
  bool follows_database(const std::string& database) const override {
    return selection_.follows_database(database);
  }
  Status run(const dispatch::StatementEvent& event) override;

  // What a statement waits for, in words; empty: nothing. Any thread.
  std::string waiting_for() const {
    return waiting_for_.read([](const std::string& words) { return words; });
  }

  // The number of the progress row that this runner moves: above all lanes.
  static constexpr unsigned kLane = 1000;

 private:
  Status connect();
  // True: the statement only adds indexes, which are built beside the stream.
  Result<bool> put_off(const dispatch::StatementEvent& event);
  enum class Begun : std::uint8_t { no, not_run, and_ran };
  // What a run before this one did of the statement.
  Result<Begun> begun_before(const dispatch::StatementEvent& event, const std::string& before);
  Status note(const dispatch::StatementEvent& event, std::string_view state,
              const std::string& before);
  // True: the statement was about tables that are merged into one, and is dealt with.
  Result<bool> on_merged(const dispatch::StatementEvent& event);
  Result<bool> adopt(const dispatch::StatementEvent& event);
  Status require_same_definition(const dispatch::StatementEvent& event, const TableName& target,
                                 const std::string& there);
  // Under the name of a table that is there for a moment, in the meta database.
  TableName scratch() const;
  Status drop_scratch();
  Result<sql::CreateTable> scratch_after(const dispatch::StatementEvent& event);
  Result<sql::CreateTable> altered(const dispatch::StatementEvent& event,
                                   const std::string& definition);
  bool alters_merged(const dispatch::StatementEvent& event) const;
  Status alter_merged(const dispatch::StatementEvent& event);
  Status lead(const dispatch::StatementEvent& event);
  Status require_leadable(const dispatch::StatementEvent& event, const std::string& text);
  Status follow(const dispatch::StatementEvent& event, const std::string& definition);
  Status take_definition(const dispatch::StatementEvent& event, const std::string& before);
  NamedRecord record_of(const dispatch::TablePlan& plan, const std::string& key) const;
  Status require_same_filter(const dispatch::StatementEvent& event) const;
  Status remember_keys(const dispatch::StatementEvent& event);
  // Runs the text under the settings of the event.
  Status execute(const dispatch::StatementEvent& event, const std::string& text);
  std::vector<std::string> settings(const dispatch::StatementEvent& event) const;
  Result<std::string> state_of(const dispatch::StatementEvent& event);
  std::vector<dispatch::PlanPtr> affected(const dispatch::StatementEvent& event) const;
  Status refresh(const dispatch::StatementEvent& event);
  Status refresh_table(const TableName& source, const dispatch::PlanPtr& origin);
  Status restart(const dispatch::TablePlan& plan);

  const TargetOptions target_;
  const std::uint64_t epoch_;
  const Progress& progress_;
  dispatch::Board& board_;
  dispatch::Catalog& catalog_;
  const DdlSelection selection_;
  LaneRecord record_;
  std::unique_ptr<mysql::Session> session_;
  Guarded<std::string> waiting_for_;
  std::map<std::uint32_t, std::string> keys_;  // of tables still being copied, before the statement
  std::vector<std::string> records_;           // statements that go with the next note
  Outrun outrun_;
};

}  // namespace wherry::sink
