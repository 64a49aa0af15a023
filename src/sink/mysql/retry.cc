#include "sink/mysql/retry.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "dispatch/work.h"
#include "support/quote.h"

namespace wherry::sink {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kDeadlock = 1213;
constexpr unsigned kLockWait = 1205;
constexpr unsigned kRecordChanged = 1020;  // MariaDB with innodb_snapshot_isolation
constexpr unsigned kInterrupted = 1317;
constexpr unsigned kXaDeadlock = 1614;

// What only an operator can end; it is waited for however long it takes.
std::string operator_must_end(unsigned code) {
  switch (code) {
    case 1021:
    case 1114:
    case 3 /* EE_WRITE */:
    case 1026:
      return "disk space at the target";
    case 1290:
    case 1836:
      return "the target to take writes again (it is read-only)";
    case kLockWait:
      return "a lock at the target";
    default:
      return "";
  }
}

bool may_heal(const Error& error) {
  if (error.code == Errc::network || error.code == Errc::timeout) return true;
  if (error.code != Errc::server) return false;
  constexpr unsigned kTooManyConnections = 1040;
  return error.server_code == kDeadlock || error.server_code == kLockWait ||
         error.server_code == kRecordChanged || error.server_code == kInterrupted ||
         error.server_code == kXaDeadlock || error.server_code == kTooManyConnections;
}

}  // namespace

Retry RetryClock::next(const Error& error) {
  Retry retry;
  retry.waits_for = operator_must_end(error.server_code);
  // "Got error 28 from storage engine" is a full disk in other words.
  if (error.server_code == 1030 && error.what.find("error 28 ") != std::string::npos)
    retry.waits_for = "disk space at the target";
  const bool too_long = std::chrono::steady_clock::now() - since_ > give_up_after_;
  retry.again = !retry.waits_for.empty() || (may_heal(error) && !too_long);
  const bool quick = error.server_code == kDeadlock || error.server_code == kRecordChanged;
  retry.pause = quick ? std::min(1000ms, 2ms * (1U << std::min(attempts_, 9U)))
                      : std::min(5000ms, 100ms * (1U << std::min(attempts_, 6U)));
  retry.tell = !quick && (attempts_ < 2 || attempts_ % 12 == 0);
  ++attempts_;
  return retry;
}

bool retry_pause(std::chrono::milliseconds pause, const std::function<bool()>& stop) {
  const auto until = std::chrono::steady_clock::now() + pause;
  while (std::chrono::steady_clock::now() < until) {
    if (stop()) return false;
    std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(20ms, pause));
  }
  return !stop();
}

namespace {

// Our own lanes hold transactions as well; their locks tell which sessions they are.
std::string own_sessions(const TargetOptions& options) {
  std::string list;
  for (unsigned lane = 0; lane < dispatch::kLanesMax; ++lane) {
    list += fmt::format("{}COALESCE(IS_USED_LOCK({}), 0)", list.empty() ? "" : ",",
                        quote_text(fmt::format("{}.copy.{}", options.meta_database, lane)));
  }
  return list;
}

std::string blocking_session(const TargetOptions& options) {
  constexpr unsigned kNeedsProcess = 1227;
  Result<std::unique_ptr<mysql::Session>> session = open_apply_session(options);
  if (!session.ok()) return "";
  Result<mysql::Rows> rows = session.value()->query(fmt::format(
      "SELECT t.trx_mysql_thread_id, p.user, p.host, p.time FROM information_schema.innodb_trx t "
      "JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id "
      "WHERE t.trx_state = 'RUNNING' AND p.id <> CONNECTION_ID() AND p.id NOT IN ({}) "
      "ORDER BY t.trx_started LIMIT 1",
      own_sessions(options)));
  if (!rows.ok()) {
    return rows.error().server_code == kNeedsProcess
               ? "; with the privilege PROCESS the session that holds it would be named"
               : "";
  }
  if (rows.value().rows.empty()) return "";
  const auto& row = rows.value().rows.front();
  return fmt::format(
      "; the oldest transaction there is session {}'s ({}@{}, {} s in its present state)",
      row[0].value_or("?"), row[1].value_or("?"), row[2].value_or("?"), row[3].value_or("?"));
}

}  // namespace

std::string describe_wait(const TargetOptions& options, const Retry& retry, const Error& error) {
  if (retry.waits_for.empty()) return "the target: " + error.what;
  return fmt::format("{}{} ({})", retry.waits_for,
                     error.server_code == kLockWait ? blocking_session(options) : "", error.what);
}

}  // namespace wherry::sink
