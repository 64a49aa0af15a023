// A sink that accepts rows at once and makes them durable later. Accepted and durable are two
// signals: only the second moves a checkpoint. The rows of one stream (one target table) arrive in
// the order of the source and become durable in that order; streams are independent of each other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/table_rows.h"
#include "support/result.h"

namespace wherry::dispatch {

// A statement at its place between rows: everything before it that concerns its tables is durable,
// and nothing behind it has been handed over.
struct BlockEvent {
  std::uint64_t id = 0;
  Origin origin;
  std::string kind;                // as in docs/DDL.md: "alter-table"
  std::string statement;           // as the source ran it
  std::string database;            // its default database
  std::vector<TableName> targets;  // the tables concerned; empty: a whole database
  std::string position;            // for messages
};

class AsyncSink {
 public:
  // What the sink tells the feed, from threads of its own or from inside accept(). Calls return
  // soon.
  class Listener {
   public:
    virtual ~Listener() = default;
    // Everything of the stream through the ticket is durable.
    virtual void durable(std::uint64_t stream, std::uint64_t ticket) = 0;
    virtual void block_event_durable(std::uint64_t id) = 0;
    // Nothing more will become durable.
    virtual void failed(const Error& error) = 0;
  };

  virtual ~AsyncSink() = default;

  // Once, before anything else. The listener outlives close().
  virtual Status start(Listener& listener) = 0;
  // From any thread, but for one stream from one at a time. Returns at once.
  virtual void accept(std::unique_ptr<TableRows> rows) = 0;
  // From any thread; returns at once. Run or recorded once, then reported durable.
  virtual void write_block_event(BlockEvent event) = 0;
  // Ends the threads; what is not durable yet may stay so. The listener hears nothing afterwards.
  virtual void close() = 0;

  // Changes made durable since start().
  virtual std::uint64_t changes() const = 0;
  virtual std::map<std::string, double> gauges() const = 0;
};

}  // namespace wherry::dispatch
