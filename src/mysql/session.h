// One connection to a MySQL or MariaDB server. Every call has a deadline; interrupt() may come from
// any thread, everything else from one thread at a time. Errors carry the server's code and text;
// after an Errc::network or Errc::timeout the session is dead and only fit to be destroyed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/uri.h"
#include "mysql/facts.h"
#include "support/cursor.h"
#include "support/quote.h"
#include "support/result.h"

namespace wherry::mysql {

struct SessionOptions {
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds read_timeout{60};
  std::chrono::seconds write_timeout{60};
  bool local_infile = false;
  std::string program = "wherry";  // shown by performance_schema and the process list
  std::vector<std::string> init;   // statements run once, right after the handshake
};

using Field = std::optional<std::string>;
struct Rows {
  std::vector<std::string> names;
  std::vector<std::vector<Field>> rows;
};

// What a statement did, from its OK packet.
struct Outcome {
  std::uint64_t affected = 0;
  std::uint64_t insert_id = 0;
  unsigned warnings = 0;
  std::string info;  // "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0"
};

// One row of a streamed result: borrows the session's buffer until the next call.
struct FieldView {
  const char* data = nullptr;  // null: SQL NULL
  std::size_t size = 0;
  std::string_view text() const { return {data, size}; }
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(const Endpoint& endpoint,
                                               const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const ServerFacts& facts() const { return facts_; }
  std::uint64_t connection_id() const;

  // One statement with a small result, held whole.
  Result<Rows> query(std::string_view sql);
  // One statement without a result.
  Result<Outcome> execute(std::string_view sql);
  // Several statements in one packet, separated by semicolons, none with a result. Stops at the
  // first that fails; the error says which (counted from 1).
  Result<std::vector<Outcome>> execute_all(std::string_view sql);
  // One statement whose rows are handed out as they come. The callback returns false to stop early
  // (the rest is read and dropped). fields has the result's width.
  Status stream(std::string_view sql,
                const std::function<bool(const FieldView* fields, std::size_t width)>& row);
  // LOAD DATA LOCAL INFILE, fed from memory.
  Result<Outcome> load(std::string_view sql, std::string_view data);
  // The same, fed piece by piece: read fills the buffer and returns how much; 0 is the end.
  using Feed = std::function<std::size_t(char* buffer, std::size_t size)>;
  Result<Outcome> load(std::string_view sql, const Feed& read);

  // Binlog dump: sends a command and reads raw packets. The span lives until the next read. An
  // empty optional is the end of the stream (EOF packet).
  Status send_command(std::uint8_t command, std::string_view payload);
  Result<std::optional<Bytes>> read_packet();
  // Whether bytes of the next packet have arrived, so that read_packet() need not wait for its
  // first.
  bool readable();

  // Any thread: makes the running call, and every later one, fail soon.
  void interrupt();
  void set_read_timeout(std::chrono::seconds timeout);

 private:
  struct Handle;
  explicit Session(std::unique_ptr<Handle> handle);
  Error last_error(std::string_view step) const;

  std::unique_ptr<Handle> handle_;
  ServerFacts facts_;
};

// Opens one more session to a server, set up as its owner wants it.
using SessionFactory = std::function<Result<std::unique_ptr<Session>>()>;

using wherry::append_quoted;
using wherry::quote_name;
using wherry::quote_text;

}  // namespace wherry::mysql
