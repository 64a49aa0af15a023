#include "mysql/binlog_position.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

namespace wherry::mysql {

Result<Position> current_position(Session& session) {
  const bool mariadb = session.facts().is_mariadb();
  const bool newer = !mariadb && session.facts().version >= 80200;
  Result<Rows> rows = session.query(newer ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS");
  if (!rows.ok()) return rows.error().within("read the server's position");
  if (rows.value().rows.empty())
    return Error{Errc::refused, "the server has no binlog; set log_bin", 0};
  const auto& row = rows.value().rows.front();
  Position position;
  position.file = {row[0].value_or(""), std::strtoull(row[1].value_or("0").c_str(), nullptr, 10)};
  if (!mariadb) {
    position.gtid = row.size() > 4 ? row[4].value_or("") : "";
    std::erase(position.gtid, '\n');
    return position;
  }
  Result<Rows> gtid = session.query(fmt::format(
      "SELECT BINLOG_GTID_POS({}, {})", quote_text(position.file.file), position.file.offset));
  if (!gtid.ok()) return gtid.error().within("read the server's GTID position");
  position.gtid = gtid.value().rows.at(0)[0].value_or("");
  return position;
}

}  // namespace wherry::mysql
