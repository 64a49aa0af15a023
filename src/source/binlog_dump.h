// One replication connection: asks a source for its binlog from a position and hands out raw
// events. Works in GTID mode (COM_BINLOG_DUMP_GTID on MySQL, @slave_connect_state on MariaDB) and
// in file mode. One thread; interrupt() of the session ends a blocked read. Protocol: MySQL's
// "Replication Protocol" and MariaDB's "COM_BINLOG_DUMP" pages.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "model/position.h"
#include "source/runtime.h"

namespace wherry::source {

struct DumpOptions {
  bool by_gtid = true;
  std::uint32_t server_id = 0;  // 0: one that no replica of the source uses is chosen
  std::chrono::milliseconds heartbeat{1000};
};

class BinlogDump {
 public:
  // Errc::lost: the source no longer has what is asked for; the text says what is missing.
  static Result<std::unique_ptr<BinlogDump>> open(const Lease& lease, const DumpOptions& options,
                                                  const Position& from);

  // The next event; lives until the next call. A stream that stays silent for three heartbeats is
  // an Errc::network.
  Result<Bytes> next();
  // Whether next() would find bytes without waiting for the network.
  bool ready();

 private:
  explicit BinlogDump(SourceSession session) : session_(std::move(session)) {}

  SourceSession session_;
  std::vector<std::byte> held_;    // the first event, read while opening
  std::vector<std::byte> handed_;  // its bytes while the caller looks at them
};

}  // namespace wherry::source
