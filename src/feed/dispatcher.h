// One target table of a feed: what is on its way to the sink, and whether it keeps step with the
// feed's own reader (the road) or reads the log by itself because it had to stop. A value that
// TableRouter owns; the comments say who may touch what.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "dispatch/async_sink.h"
#include "dispatch/inflight_budget.h"
#include "feed/stream_walk.h"

namespace wherry::feed {

struct Dispatcher;
using DispatcherPtr = std::shared_ptr<Dispatcher>;

// A statement that waits for its tables. Under the router's lock, but for what never changes.
struct Block {
  StreamPoint at;
  std::uint64_t id = 0;
  dispatch::BlockEvent event;
  std::string whole_database;         // at the source; empty: it concerns tables alone
  std::set<DispatcherPtr> concerned;  // whose later rows wait for it
  std::set<DispatcherPtr> missing;    // not there yet, or with earlier rows that are not durable
  std::size_t waits_for = 0;          // earlier statements that must be durable first
  std::vector<std::shared_ptr<Block>> followers;
  bool drops = false;  // its tables are gone afterwards
  bool begun = false;
};
using BlockPtr = std::shared_ptr<Block>;

struct Dispatcher {
  explicit Dispatcher(TableName to) : target(std::move(to)) {}

  const TableName target;
  std::uint64_t stream = 0;
  std::unique_ptr<dispatch::InflightBudget::Account> account;

  // Of whoever has the turn: the road while it is attached, else the thread that runs its turn.
  std::unique_ptr<dispatch::TableRows> open;  // not handed over yet
  std::uint64_t open_cseq = 0;                // of its first row
  std::uint64_t next_ticket = 1;
  std::unique_ptr<StreamWalk> walk;  // while it is detached

  // Of the road: it is known to be attached and free to take rows.
  bool road_free = false;

  // Under the router's lock.
  struct Inflight {
    std::uint64_t ticket = 0;
    std::uint64_t cseq = 0;
    std::uint64_t bytes = 0;
  };
  std::deque<Inflight> inflight;
  std::set<TableName> sources;
  BlockPtr parked;          // the statement that it has reached and that has not run
  bool blocked = false;     // by the budget; a wake comes
  bool detached = false;    // it is behind the road
  bool turning = false;     // its turn is queued, or runs
  StreamPoint next;         // what it has not taken yet begins here or behind
  StreamPoint skipped;      // the last that the road left to it
  std::uint64_t floor = 0;  // of what is behind `next`, while it is detached
};

}  // namespace wherry::feed
