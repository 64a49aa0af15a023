// Rows of one table from one server. Connection keeps a session open from table to table and opens
// a new one when it fails; ServerReader reads one plan's side through it. One thread at a time,
// apart from interrupt().
#pragma once

#include <atomic>
#include <memory>

#include "support/guarded.h"
#include "verify/checksum.h"
#include "verify/row_reader.h"

namespace wherry::verify {

class Connection {
 public:
  // Both are borrowed. stop: no query starts, and none is retried, once it is set.
  Connection(const SessionFactory& factory, const std::atomic<bool>& stop)
      : factory_(factory), stop_(stop) {}

  // Runs call(session) on a session made ready for comparing, up to three times.
  Status run(const std::function<Status(mysql::Session&)>& call);
  Result<mysql::ServerFacts> facts();

  // Any thread: the running query fails soon.
  void interrupt();

 private:
  Result<std::shared_ptr<mysql::Session>> ready_session();
  void drop_session();

  const SessionFactory& factory_;
  const std::atomic<bool>& stop_;
  Guarded<std::shared_ptr<mysql::Session>> session_;
};

class ServerReader : public RowReader {
 public:
  // All are borrowed for the reader's life.
  ServerReader(Connection& connection, const ComparePlan& plan, const SidePlan& side)
      : connection_(connection), plan_(plan), side_(side) {}

  Status read(const RowRequest& request, const std::function<void()>& restart,
              const std::function<void(std::span<const mysql::FieldView>)>& row) override;

 private:
  std::string query(const RowRequest& request) const;

  Connection& connection_;
  const ComparePlan& plan_;
  const SidePlan& side_;
};

}  // namespace wherry::verify
