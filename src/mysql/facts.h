// What a server is: dialect, version and the identity that state is bound to. Values; no threads.
#pragma once

#include <cstdint>
#include <string>

#include "model/schema.h"

namespace wherry::mysql {

struct ServerFacts {
  Dialect dialect = Dialect::mysql;
  std::string version_text;  // "10.11.19-MariaDB-..."
  unsigned version = 0;      // 101119, 90704
  std::uint32_t server_id = 0;
  // MySQL's own; for MariaDB made of the server id, host name, port and data directory.
  std::string server_uuid;
  bool gtid_on = false;  // MySQL: gtid_mode=ON; MariaDB: always

  bool is_mariadb() const { return dialect == Dialect::mariadb; }
};

// What stays with a server when it is restarted, moved or given another port. MariaDB has no more
// than its server id: whether its binlog holds a saved position is to be checked as well.
inline std::string lasting_identity(const ServerFacts& facts) {
  return facts.is_mariadb() ? "mariadb-" + std::to_string(facts.server_id) : facts.server_uuid;
}

}  // namespace wherry::mysql
