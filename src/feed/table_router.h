// Takes the rows of a stream apart by target table and hands them to an asynchronous sink, within
// the in-flight budget. Its main rule: a table that has to stop (its own mark, a statement that
// waits) leaves the road. It keeps nothing in memory but the point it had come to, and reads the
// log by itself from there once it may, until it has taken all that the road left to it; then it
// keeps step with the road again. A feed whose common mark is reached stops the road itself, since
// every table would have to stop.
//
// Threads: one road (rows, block, flush), any number that run turns, and those of the sink, which
// report what is durable. All that they share is under one lock, taken once for each hand-over and
// not for each row. No thread waits for a dispatcher. It must not outlive the sink.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "feed/checkpoint.h"
#include "feed/dispatcher.h"
#include "feed/turn_queue.h"
#include "support/guarded.h"

namespace wherry::feed {

struct TableRouterOptions {
  dispatch::InflightLimits limits;
  std::size_t chunk_bytes = 1 << 20;  // rows are handed over at this size, or where a batch ends
  std::uint64_t done = 0;             // everything through there is durable already
};

// A statement for the router: what the sink is told, and whom it concerns.
struct BlockOrder {
  struct Table {
    TableName source;
    TableName target;
  };
  dispatch::BlockEvent event;
  std::vector<Table> tables;    // they wait for it, known yet or not
  std::vector<TableName> read;  // targets that must have come so far, where they are known
  std::string whole_database;   // at the source; empty: tables alone
  bool drops = false;
};

struct RouterStats {
  std::uint64_t dispatchers = 0;
  std::uint64_t detached = 0;
  std::uint64_t blocks = 0;  // statements that wait
  dispatch::InflightStats inflight;
};

class TableRouter final : public dispatch::AsyncSink::Listener {
 public:
  using OpenWalk =
      std::function<std::unique_ptr<StreamWalk>(const StreamPoint& from, const TableName& only)>;

  TableRouter(dispatch::AsyncSink& sink, const TableRouterOptions& options, OpenWalk open_walk);
  ~TableRouter() override;
  TableRouter(const TableRouter&) = delete;
  TableRouter& operator=(const TableRouter&) = delete;

  // The road: steps in the order of the stream. May wait where the feed's mark is reached.
  void rows(const StreamStep& step);
  void block(const StreamPoint& at, BlockOrder order);
  // All steps through transaction `done` were taken.
  void flush(std::uint64_t done);

  // Runs one turn of a dispatcher that reads by itself; waits for one. False: the router stopped.
  bool run_turn();
  // The same without waiting. False: there is none now.
  bool run_turn_now();

  // Any thread.
  std::uint64_t checkpoint() const;
  RouterStats stats() const;
  // Who holds the checkpoint, for people; empty: nobody.
  std::string held_by() const;
  std::optional<Error> error() const;
  // Nothing is handed over any more; who waits goes home.
  void stop();
  // Waits until nothing is on its way to the sink, or it failed. False: the time passed.
  bool drain(std::chrono::milliseconds time);

  void durable(std::uint64_t stream, std::uint64_t ticket) override;
  void block_event_durable(std::uint64_t id) override;
  void failed(const Error& error) override;

 private:
  struct State {
    explicit State(std::uint64_t done) : checkpoint(done) {}
    std::map<TableName, DispatcherPtr> by_target;
    std::unordered_map<std::uint64_t, DispatcherPtr> by_stream;
    std::map<StreamPoint, BlockPtr> blocks;
    std::unordered_map<std::uint64_t, BlockPtr> blocks_by_id;
    std::vector<DispatcherPtr> retired;  // their tables were dropped: the road removes them
    Checkpoint checkpoint;
    std::uint64_t last_id = 0;  // of streams and statements
    std::uint64_t detached = 0;
    std::uint64_t on_their_way = 0;  // hand-overs and statements that the sink has
    bool stopping = false;
    std::optional<Error> error;
  };
  using Ready = std::vector<BlockPtr>;

  DispatcherPtr dispatcher_of(const TableName& source, const TableName& target);
  bool enter(const DispatcherPtr& dispatcher, const StreamPoint& at);
  void arrive_by_road(State& state, const BlockPtr& block, const DispatcherPtr& dispatcher);
  void wait_for_room(const Dispatcher& dispatcher);
  void remove_retired();

  void turn(const DispatcherPtr& dispatcher);
  bool arrive_by_turn(const DispatcherPtr& dispatcher, const StreamPoint& at);
  bool caught_up(const Dispatcher& dispatcher, const StreamPoint& next) const;
  void end_turn(const DispatcherPtr& dispatcher, const std::optional<StreamPoint>& next);

  static void take(Dispatcher& dispatcher, const StreamStep& step);
  bool hand_over(Dispatcher& dispatcher);
  bool wake(Dispatcher& dispatcher);
  void detach(State& state, Dispatcher& dispatcher, const StreamPoint& at);
  void schedule(State& state, const DispatcherPtr& dispatcher);
  static void settle(const DispatcherPtr& dispatcher, Ready& ready);
  static void add_if_ready(const BlockPtr& block, Ready& ready);
  void begin(const Ready& ready);

  dispatch::AsyncSink& sink_;
  const TableRouterOptions options_;
  const OpenWalk open_walk_;
  dispatch::InflightBudget budget_;
  TurnQueue turns_;
  Guarded<State> state_;
  // Of the road.
  struct Known {
    dispatch::RowTablePtr table;
    DispatcherPtr dispatcher;
  };
  std::unordered_map<const dispatch::RowTable*, Known> known_;
  std::set<DispatcherPtr> open_;  // with rows that are not handed over yet
};

}  // namespace wherry::feed
