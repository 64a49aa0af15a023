// Plain indexes that are added once a table's rows are there: as its definition had them when it
// was created at the target, and those that statements of the stream add. Beside the stream, on the
// thread of run(); or in its turn, before a statement changes the table. What is still missing
// stands in the table's record in wherry.progress. Any thread may ask.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/table_record.h"
#include "dispatch/board.h"
#include "dispatch/inbox.h"
#include "sink/mysql/progress.h"
#include "sink/mysql/target_session.h"

namespace wherry::control {

class LateIndexes {
 public:
  struct Links {
    dispatch::Catalog& catalog;
    dispatch::Inbox& inbox;
    dispatch::Board& board;
    const sink::Progress& progress;
    sink::TargetOptions target;
    ShapeRecords shapes = ShapeRecords::left_out;
  };
  explicit LateIndexes(Links links) : links_(std::move(links)) {}

  // Before run(). keys: definitions, in the target's words.
  void expect(std::uint32_t table, std::vector<std::string> keys);
  // What the table still lacks.
  std::vector<std::string> keys_of(std::uint32_t table) const;
  bool all_built() const;

  // During run(): more of them. record: makes them lasting, with keys_of() as it is then.
  Status put_off(const dispatch::TablePlan& table, std::vector<std::string> keys,
                 const std::function<Status()>& record);

  void rows_are_there(std::uint32_t table);
  void dropped(std::uint32_t table);
  // A statement is meant for a table that has all its indexes. All lanes have drained.
  Status build_before_statement(const dispatch::PlanPtr& table);

  // Until closed, or an error that retrying cannot heal.
  Status run();
  void close();

 private:
  struct State {
    std::set<std::uint32_t> wanted;                          // tables whose rows are all there
    std::map<std::uint32_t, std::vector<std::string>> keys;  // not built yet, by table
    std::set<std::uint32_t> building;                        // tables that are altered now
    bool closed = false;
  };
  std::vector<dispatch::PlanPtr> wanted();
  Status build_beside_the_stream(const std::vector<dispatch::PlanPtr>& tables);
  Status build(const dispatch::PlanPtr& table);
  Status add(const dispatch::PlanPtr& table);
  Status built(mysql::Session& target, const dispatch::TablePlan& table,
               const std::vector<std::string>& keys);
  bool wait_for_turn(const std::vector<dispatch::PlanPtr>& tables);
  bool closed() const;

  const Links links_;
  Guarded<State> state_;
  Guarded<Unit> recording_;  // one at a time says what stands in a table's record
};

}  // namespace wherry::control
