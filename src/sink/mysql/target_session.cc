#include "sink/mysql/target_session.h"

#include <fmt/core.h>

namespace wherry::sink {

Result<std::unique_ptr<mysql::Session>> open_apply_session(const TargetOptions& options) {
  mysql::SessionOptions session_options;
  session_options.read_timeout = options.statement_timeout;
  session_options.write_timeout = options.statement_timeout;
  session_options.local_infile = true;
  session_options.program = "wherry-apply";
  session_options.init = {
      "SET NAMES binary",
      "SET SESSION time_zone = '+00:00', sql_mode = "
      "'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
      "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
      fmt::format(
          "SET SESSION foreign_key_checks = 0, wait_timeout = 28800, net_read_timeout = 3600, "
          "net_write_timeout = 3600, innodb_lock_wait_timeout = {}",
          options.lock_wait.count()),
  };
  Result<std::unique_ptr<mysql::Session>> session =
      mysql::Session::open(options.endpoint, session_options);
  if (!session.ok()) return session.error().within("target");
  mysql::Session& opened = *session.value();
  std::vector<std::string> more;
  if (opened.facts().is_mariadb()) {
    // A long IN list must stay a list of index look-ups; rows of the source are past any check.
    more.emplace_back(
        "SET SESSION max_statement_time = 0, in_predicate_conversion_threshold = 0, "
        "check_constraint_checks = 0");
  }
  if (!options.binlog) more.emplace_back("SET SESSION sql_log_bin = 0");
  for (const std::string& statement : more) {
    Result<mysql::Outcome> done = opened.execute(statement);
    if (!done.ok()) return done.error().within("prepare a session at the target");
  }
  return session;
}

bool allows_local_infile(mysql::Session& session) {
  Result<mysql::Rows> row = session.query("SELECT @@GLOBAL.local_infile");
  return row.ok() && row.value().rows.at(0)[0].value_or("0") == "1";
}

}  // namespace wherry::sink
