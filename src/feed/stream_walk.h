// Walks the stream of a log event by event, and stops at those that a feed in table mode has to
// look at: rows of tables that it follows, and statements. Rows of an XA transaction come where it
// commits. One thread; it must not outlive the log, the rules or the book.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "feed/batch_log.h"
#include "feed/table_rules.h"
#include "feed/xa_book.h"

namespace wherry::feed {

// A place in the stream: events before number `row` of transaction `cseq` are behind it.
using StreamPoint = store::Point;

struct StreamStep {
  enum class Kind : std::uint8_t { rows, statement };
  Kind kind = Kind::rows;
  StreamPoint at;
  dispatch::Origin origin;
  const decode::Batch* batch = nullptr;     // this and the event: until the next call
  const decode::EventRef* event = nullptr;  // of a statement too
  dispatch::RowTablePtr table;              // of rows
  sql::Statement statement;
  std::string text;      // of a statement
  std::string database;  // its default database
  std::string position;  // of a statement, for messages
};

struct StreamWalkOptions {
  BatchReaderOptions reader;
  std::optional<TableName> only;  // rows that go to this target alone, and all statements
  bool prepared_rows = false;     // rows of XA transactions at their PREPARE, and no statements
};

class StreamWalk {
 public:
  // From `from` on. book: shared by all walks of a feed.
  StreamWalk(store::Log& log, const StreamPoint& from, const TableRules& rules, XaBook& book,
             const StreamWalkOptions& options);
  ~StreamWalk();

  // The next step, or null where a batch ends or none came in this time.
  Result<const StreamStep*> next(std::chrono::milliseconds wait);
  // The last transaction that it is wholly through.
  std::uint64_t done() const { return done_; }
  // The batch whose last step was returned before null was; null when none came.
  const decode::Batch* batch() const { return batch_.get(); }

 private:
  Result<bool> walk(const decode::Group& group);
  Status learn(const decode::Group& group);
  Result<bool> take(const decode::EventRef& event);
  Result<bool> take_rows(const decode::EventRef& event);
  Result<bool> take_statement(const decode::EventRef& event);
  Status take_xa(const sql::Statement& statement);
  Result<bool> take_prepared();
  // Walks that come behind the first one only look up what it noted.
  bool keeps_book() const { return !options_.only && !options_.prepared_rows; }

  struct Place {  // inside the batch
    std::size_t group = 0;
    std::uint32_t event = 0;
    std::uint64_t number = 0;  // of the event in the group, over all its parts
    decode::Group facts;       // what its commit says, once there was an event
    bool learned = false;
    bool followed = false;  // rows of it were handed out
  };

  store::Log& log_;
  const TableRules& rules_;
  XaBook& book_;
  const StreamWalkOptions options_;
  const StreamPoint from_;
  std::unique_ptr<BatchReader> reader_;
  std::unique_ptr<const decode::Batch> batch_;
  std::uint64_t done_;
  Place place_;
  RowTables tables_;
  StreamStep step_;
  std::unique_ptr<StreamWalk>
      prepared_;  // through the rows of the XA transaction that commits here
};

}  // namespace wherry::feed
