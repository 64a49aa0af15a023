#include "control/job_sessions.h"

#include <utility>

namespace wherry::control {

Result<std::unique_ptr<mysql::Session>> JobSessions::open_target() const {
  using namespace std::chrono_literals;
  mysql::SessionOptions session;
  session.read_timeout = 24h;  // late steps may run long statements
  session.program = "wherry-control";
  session.init = {"SET SESSION wait_timeout = 2147483"};
  if (!options_.target_binlog) session.init.emplace_back("SET SESSION sql_log_bin = 0");
  return mysql::Session::open(options_.target, session);
}

Status JobSessions::open() {
  if (Status source = renew_source(); !source.ok()) return source;
  Result<std::unique_ptr<mysql::Session>> to = open_target();
  if (!to.ok()) return to.error().within("target");
  target_ = std::move(to).value();
  return Unit{};
}

Status JobSessions::renew_source() {
  Result<source::SourceSession> fresh = runtime_.lease().control_session();
  if (!fresh.ok()) return fresh.error();
  source_.reset();
  source_.emplace(std::move(fresh).value());
  return Unit{};
}

Status JobSessions::keep(std::uint64_t epoch) {
  if (const Result<mysql::Rows> alive = source().query("SELECT 1"); !alive.ok()) {
    if (Status fresh = renew_source(); !fresh.ok()) return fresh;
  }
  if (const Result<mysql::Rows> alive = target().query("SELECT 1"); alive.ok()) return Unit{};
  Result<std::unique_ptr<mysql::Session>> fresh = open_target();
  if (!fresh.ok()) return fresh.error().within("target");
  target_ = std::move(fresh).value();
  return progress_.reclaim(target(), epoch);
}

}  // namespace wherry::control
