// Where a server's own binlog stands. Stateless; the session's thread.
#pragma once

#include "model/position.h"
#include "mysql/session.h"

namespace wherry::mysql {

// Behind the last group, as file and offset and as GTIDs. Errc::refused: the server keeps no
// binlog, or none that this session may see.
Result<Position> current_position(Session& session);

}  // namespace wherry::mysql
