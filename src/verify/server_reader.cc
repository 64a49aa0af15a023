#include "verify/server_reader.h"

#include <fmt/core.h>

#include <thread>
#include <utility>

namespace wherry::verify {
namespace {

constexpr int kTries = 3;
constexpr std::chrono::milliseconds kRetryPause{200};
constexpr std::chrono::seconds kReadTimeout{300};

const Error kInterrupted{Errc::interrupted, "stopped while comparing", 0};

// Values arrive as they are stored: no conversion of text, no padding, times in UTC. A scan takes
// as long as it takes.
Status prepare(mysql::Session& session) {
  const bool mariadb = session.facts().is_mariadb();
  const std::string set = fmt::format(
      "SET SESSION time_zone = '+00:00', sql_mode = '', character_set_results = NULL, "
      "sql_select_limit = DEFAULT, sql_big_selects = 1, net_write_timeout = 600, wait_timeout = "
      "28800, {} = 0",
      mariadb ? "max_statement_time" : "max_execution_time");
  Result<mysql::Outcome> done = session.execute(set);
  if (done.ok()) done = session.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  if (!done.ok()) return done.error().within("prepare a session for comparing");
  session.set_read_timeout(kReadTimeout);
  return Unit{};
}

}  // namespace

Result<std::shared_ptr<mysql::Session>> Connection::ready_session() {
  if (std::shared_ptr<mysql::Session> open =
          session_.read([](const auto& session) { return session; })) {
    return open;
  }
  Result<std::unique_ptr<mysql::Session>> opened = factory_();
  if (!opened.ok()) return opened.error();
  std::shared_ptr<mysql::Session> session = std::move(opened).value();
  // From here on interrupt() reaches it; a stop that came before is seen by run().
  session_.with([&](auto& current) { current = session; });
  Status ready = prepare(*session);
  if (!ready.ok()) return ready.error();
  return session;
}

void Connection::drop_session() {
  session_.with([](auto& session) { session.reset(); });
}

void Connection::interrupt() {
  session_.read([](const auto& session) {
    if (session) session->interrupt();
  });
}

Status Connection::run(const std::function<Status(mysql::Session&)>& call) {
  Error last = kInterrupted;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kRetryPause * attempt);
    if (stop_) return kInterrupted;
    Result<std::shared_ptr<mysql::Session>> session = ready_session();
    if (stop_) return kInterrupted;
    Status done = session.ok() ? call(*session.value()) : Status(session.error());
    if (stop_) return kInterrupted;
    if (done.ok()) return done;
    last = done.error();
    drop_session();
  }
  return last;
}

Result<mysql::ServerFacts> Connection::facts() {
  mysql::ServerFacts facts;
  Status done = run([&](mysql::Session& session) {
    facts = session.facts();
    return Status(Unit{});
  });
  if (!done.ok()) return done.error();
  return facts;
}

std::string ServerReader::query(const RowRequest& request) const {
  std::string sql = side_.select;
  const bool by_key = plan_.order != Order::none;
  if (by_key) sql += side_.use_index;
  std::string where = condition(plan_, side_.columns, request.range);
  if (!side_.where.empty()) where += (where.empty() ? "" : " AND ") + side_.where;
  if (!where.empty()) sql += " WHERE " + where;
  if (request.first == 0) return sql;
  for (std::size_t i = 0; i < side_.columns.size(); ++i) {
    sql += (i == 0 ? " ORDER BY " : ", ") + side_.columns[i];
  }
  return sql + fmt::format(" LIMIT {}", request.first);
}

Status ServerReader::read(const RowRequest& request, const std::function<void()>& restart,
                          const std::function<void(std::span<const mysql::FieldView>)>& row) {
  const std::string sql = query(request);
  return connection_.run([&](mysql::Session& session) {
    restart();
    return session.stream(sql, [&](const mysql::FieldView* fields, std::size_t width) {
      row({fields, width});
      return true;
    });
  });
}

}  // namespace wherry::verify
