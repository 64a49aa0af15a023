// How sessions to the target are set up: exact values in, nothing converted, nothing checked twice.
// Stateless.
#pragma once

#include <memory>
#include <string>

#include "model/uri.h"
#include "mysql/session.h"

namespace wherry::sink {

struct TargetOptions {
  Endpoint endpoint;
  bool binlog = true;  // --target-binlog
  std::string meta_database = "wherry";
  std::chrono::seconds statement_timeout{600};
  // Short: a lane that waits for a row may itself hold up, by its metadata locks, the ALTER that
  // the row's owner waits for. No server sees that circle; a retry breaks it.
  std::chrono::seconds lock_wait{5};
};

// A session for applying rows: values are not checked by sql_mode (a strict one refuses what a
// source may hold, such as ENUM index 0) but by the count of warnings; zero dates and 0 in
// AUTO_INCREMENT columns kept, UTC, literals as bytes, READ COMMITTED, foreign keys unchecked.
Result<std::unique_ptr<mysql::Session>> open_apply_session(const TargetOptions& options);

// Whether LOAD DATA LOCAL may be used.
bool allows_local_infile(mysql::Session& session);

}  // namespace wherry::sink
