// Runs statements that do not depend on each other on several sessions at once. The caller's thread
// waits; those that it starts end before the call does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mysql/session.h"

namespace wherry::copy {

struct NamedStatement {
  std::string what;  // for the error
  std::string text;
};

using SessionCall = std::function<Status(mysql::Session&)>;
// Opens a session, calls with it, and closes it. Any thread, several at once.
using WithSession = std::function<Status(const SessionCall&)>;

// The first failure ends it: statements that have not begun by then are left out.
Status run_side_by_side(const std::vector<NamedStatement>& statements,
                        const WithSession& with_session);

}  // namespace wherry::copy
