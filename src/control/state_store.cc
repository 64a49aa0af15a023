#include "control/state_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "control/feed_keys.h"
#include "control/json.h"
#include "support/guarded.h"

namespace wherry::control {
namespace {

using WallTime = std::chrono::system_clock::time_point;

constexpr std::int64_t kApplication = 0x77687279;  // "whry": tells the file from other databases
constexpr std::int64_t kVersion = 1;

constexpr const char* kSchema = R"sql(
  CREATE TABLE feed (
    name TEXT PRIMARY KEY NOT NULL,
    spec TEXT NOT NULL,
    wanted TEXT NOT NULL,
    state TEXT NOT NULL,
    error_code TEXT,
    error_text TEXT,
    error_server_code INTEGER NOT NULL DEFAULT 0,
    retries INTEGER NOT NULL DEFAULT 0,
    cseq INTEGER,
    file TEXT NOT NULL DEFAULT '',
    file_offset INTEGER NOT NULL DEFAULT 0,
    gtid TEXT NOT NULL DEFAULT '',
    rows_copied INTEGER NOT NULL DEFAULT 0,
    created_us INTEGER NOT NULL,
    changed_us INTEGER NOT NULL
  ) STRICT;
)sql";

std::int64_t to_us(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
WallTime from_us(std::int64_t us) { return WallTime(std::chrono::microseconds(us)); }

Result<Wanted> parse_wanted(std::string_view word) {
  for (const Wanted wanted : {Wanted::running, Wanted::paused, Wanted::removed}) {
    if (to_string(wanted) == word) return wanted;
  }
  return Error{Errc::malformed, fmt::format("nobody wants a feed to be '{}'", word), 0};
}

Result<Errc> parse_code(std::string_view word) {
  for (int code = 0; code <= static_cast<int>(Errc::differs); ++code) {
    if (to_string(static_cast<Errc>(code)) == word) return static_cast<Errc>(code);
  }
  return Error{Errc::malformed, fmt::format("there is no error '{}'", word), 0};
}

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;

Error failure(sqlite3* db, int code) {
  return {Errc::io, fmt::format("the state store: {}", sqlite3_errmsg(db)),
          static_cast<unsigned>(code)};
}

// One statement with its values; ends with itself. Values are bound from 1 on, in order.
class Query {
 public:
  Query(sqlite3* db, const char* text) : db_(db) {
    sqlite3_stmt* made = nullptr;
    code_ = sqlite3_prepare_v2(db, text, -1, &made, nullptr);
    statement_.reset(made);
  }
  Query& text(std::string_view value) {
    return note(sqlite3_bind_text(statement_.get(), ++bound_, value.data(),
                                  static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  Query& number(std::int64_t value) {
    return note(sqlite3_bind_int64(statement_.get(), ++bound_, value));
  }
  Query& none() { return note(sqlite3_bind_null(statement_.get(), ++bound_)); }

  // False: there is no other row, or it failed.
  bool next() {
    if (code_ != SQLITE_OK) return false;
    const int step = sqlite3_step(statement_.get());
    if (step == SQLITE_ROW) return true;
    if (step != SQLITE_DONE) code_ = step;
    return false;
  }
  Status run() {
    while (next()) {
    }
    return done();
  }
  Status done() const {
    if (code_ != SQLITE_OK) return failure(db_, code_);
    return Unit{};
  }
  int code() const { return code_; }

  std::string text_at(int column) const {
    const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
  }
  std::int64_t number_at(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }
  bool none_at(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

 private:
  Query& note(int code) {
    if (code_ == SQLITE_OK) code_ = code;
    return *this;
  }

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, EndStatement> statement_;
  int code_ = SQLITE_OK;
  int bound_ = 0;
};

Status execute(sqlite3* db, const char* text) {
  const int code = sqlite3_exec(db, text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(db, code);
  return Unit{};
}

Result<std::int64_t> number_of(sqlite3* db, const char* text) {
  Query query(db, text);
  if (!query.next()) return failure(db, query.code());
  return query.number_at(0);
}

// Before SQLite opens it: what it makes beside the file gets the file's mode.
Status make_private(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const bool made = file >= 0 && ::fchmod(file, S_IRUSR | S_IWUSR) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (made) return Unit{};
  return Error{Errc::io,
               fmt::format("cannot open {}: {}", path,
                           std::error_code(error, std::generic_category()).message()),
               0};
}

Status create_schema(sqlite3* db) {
  const std::string text = fmt::format(
      "BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;", kSchema,
      kApplication, kVersion);
  return execute(db, text.c_str());
}

Status check_schema(sqlite3* db) {
  const Result<std::int64_t> tables = number_of(db, "SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.error();
  if (tables.value() == 0) return create_schema(db);
  const Result<std::int64_t> application = number_of(db, "PRAGMA application_id");
  if (!application.ok()) return application.error();
  const Result<std::int64_t> version = number_of(db, "PRAGMA user_version");
  if (!version.ok()) return version.error();
  if (application.value() != kApplication)
    return Error{Errc::refused, "it is a database of another program", 0};
  if (version.value() != kVersion) {
    return Error{
        Errc::refused,
        fmt::format("it has version {} and this build knows version {}", version.value(), kVersion),
        0};
  }
  return Unit{};
}

void bind_note(Query& query, const FeedNote& note) {
  query.text(to_string(note.wanted)).text(to_string(note.state));
  if (note.error) {
    query.text(to_string(note.error->code)).text(note.error->what);
  } else {
    query.none().none();
  }
  query.number(note.error ? note.error->server_code : 0).number(note.retries);
}

void bind_checkpoint(Query& query, const Checkpoint& checkpoint) {
  query.number(static_cast<std::int64_t>(checkpoint.cseq))
      .text(checkpoint.position.file.file)
      .number(static_cast<std::int64_t>(checkpoint.position.file.offset))
      .text(checkpoint.position.gtid)
      .number(static_cast<std::int64_t>(checkpoint.rows_copied));
}

Result<FeedNote> read_note(const Query& row) {
  FeedNote note;
  const Result<Wanted> wanted = parse_wanted(row.text_at(1));
  if (!wanted.ok()) return wanted.error();
  note.wanted = wanted.value();
  const std::optional<FeedState> state = parse_feed_state(row.text_at(2));
  if (!state) return Error{Errc::malformed, "an unknown state: " + row.text_at(2), 0};
  note.state = *state;
  if (!row.none_at(3)) {
    const Result<Errc> code = parse_code(row.text_at(3));
    if (!code.ok()) return code.error();
    note.error = Error{code.value(), row.text_at(4), static_cast<unsigned>(row.number_at(5))};
  }
  note.retries = static_cast<unsigned>(row.number_at(6));
  if (!row.none_at(7)) {
    note.checkpoint = Checkpoint{
        static_cast<std::uint64_t>(row.number_at(7)),
        {{row.text_at(8), static_cast<std::uint64_t>(row.number_at(9))}, row.text_at(10)},
        static_cast<std::uint64_t>(row.number_at(11))};
  }
  return note;
}

Result<FeedRecord> read_record(const Query& row) {
  const Json document = Json::parse(row.text_at(0), nullptr, false);
  if (document.is_discarded()) return Error{Errc::malformed, "its keys are no JSON", 0};
  Result<FeedSpec> spec = feed_from_json(document);
  if (!spec.ok()) return spec.error();
  Result<FeedNote> note = read_note(row);
  if (!note.ok()) return note.error();
  return FeedRecord{std::move(spec).value(), std::move(note).value(), from_us(row.number_at(12)),
                    from_us(row.number_at(13))};
}

}  // namespace

std::string_view to_string(Wanted wanted) {
  switch (wanted) {
    case Wanted::running:
      return "running";
    case Wanted::paused:
      return "paused";
    case Wanted::removed:
      return "removed";
  }
  return "paused";
}

class StateStore::Database {
 public:
  explicit Database(Handle handle) : handle_(std::move(handle)) {}

  // One call at a time: the connection belongs to whoever holds the lock.
  template <typename F>
  auto use(F&& call) {
    return handle_.with([&](Handle& handle) { return call(handle.get()); });
  }

 private:
  Guarded<Handle> handle_;
};

StateStore::StateStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
StateStore::StateStore(StateStore&&) noexcept = default;
StateStore::~StateStore() = default;

Result<StateStore> StateStore::open(const std::string& path) {
  if (Status made = make_private(path); !made.ok()) return made.error();
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle db(opened);
  if (code != SQLITE_OK) return failure(opened, code).within(path);
  for (const char* setting : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"}) {
    if (Status set = execute(opened, setting); !set.ok()) return set.error().within(path);
  }
  if (Status schema = check_schema(opened); !schema.ok()) return schema.error().within(path);
  return StateStore(std::make_unique<Database>(std::move(db)));
}

Result<std::vector<FeedRecord>> StateStore::feeds() {
  return database_->use([](sqlite3* db) -> Result<std::vector<FeedRecord>> {
    Query query(db,
                "SELECT spec, wanted, state, error_code, error_text, error_server_code, retries, "
                "cseq, file, file_offset, gtid, rows_copied, created_us, changed_us, name "
                "FROM feed ORDER BY name");
    std::vector<FeedRecord> records;
    while (query.next()) {
      Result<FeedRecord> record = read_record(query);
      if (!record.ok()) return record.error().within("stored feed " + query.text_at(14));
      records.push_back(std::move(record).value());
    }
    if (Status done = query.done(); !done.ok()) return done.error();
    return records;
  });
}

Status StateStore::add(const FeedRecord& record) {
  return database_->use([&](sqlite3* db) -> Status {
    Query query(db,
                "INSERT INTO feed (name, spec, created_us, changed_us, wanted, state, error_code, "
                "error_text, error_server_code, retries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    query.text(record.spec.name)
        .text(dump(feed_json(record.spec, Secrets::kept)))
        .number(to_us(record.created))
        .number(to_us(record.changed));
    bind_note(query, record.note);
    Status done = query.run();
    if (query.code() == SQLITE_CONSTRAINT)
      return Error{Errc::conflict, fmt::format("there is a feed {} already", record.spec.name), 0};
    return done;
  });
}

Status StateStore::set_spec(const FeedSpec& spec, WallTime changed) {
  return database_->use([&](sqlite3* db) {
    return Query(db, "UPDATE feed SET spec = ?, changed_us = ? WHERE name = ?")
        .text(dump(feed_json(spec, Secrets::kept)))
        .number(to_us(changed))
        .text(spec.name)
        .run();
  });
}

Status StateStore::set_note(const std::string& name, const FeedNote& note, WallTime changed) {
  return database_->use([&](sqlite3* db) {
    Query query(db,
                "UPDATE feed SET wanted = ?, state = ?, error_code = ?, error_text = ?, "
                "error_server_code = ?, retries = ?, changed_us = ? WHERE name = ?");
    bind_note(query, note);
    return query.number(to_us(changed)).text(name).run();
  });
}

Status StateStore::set_checkpoints(std::span<const Passed> passed) {
  return database_->use([&](sqlite3* db) -> Status {
    if (Status begun = execute(db, "BEGIN IMMEDIATE"); !begun.ok()) return begun;
    for (const Passed& feed : passed) {
      Query query(db,
                  "UPDATE feed SET cseq = ?, file = ?, file_offset = ?, gtid = ?, rows_copied = ? "
                  "WHERE name = ?");
      bind_checkpoint(query, feed.checkpoint);
      if (Status done = query.text(feed.name).run(); !done.ok()) {
        sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
        return done;
      }
    }
    return execute(db, "COMMIT");
  });
}

Status StateStore::remove(const std::string& name) {
  return database_->use(
      [&](sqlite3* db) { return Query(db, "DELETE FROM feed WHERE name = ?").text(name).run(); });
}

}  // namespace wherry::control
