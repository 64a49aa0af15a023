#include "mysql/session.h"

#include <errmsg.h>
#include <fmt/core.h>
// mysql.h declares what ma_pvio.h uses.
// clang-format off
#include <mysql.h>
#include <ma_pvio.h>
// clang-format on
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace wherry::mysql {
namespace {

constexpr unsigned kMaxPacket = 1U << 30;  // the largest packet either server can send

bool is_lost(unsigned code) {
  switch (code) {
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case CR_UNKNOWN_HOST:
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED:
    case CR_SSL_CONNECTION_ERROR:
    case CR_SERVER_HANDSHAKE_ERR:
    case CR_COMMANDS_OUT_OF_SYNC:
    case CR_MALFORMED_PACKET:
    case 1053:  // server shutdown in progress
    case 1152:  // aborted connection
    case 1159:  // read time-out noticed by the server
    case 1160:
    case 1161:
    case 1184:
    case 1927:  // MariaDB: connection was killed
    case 4031:  // MySQL: disconnected for inactivity
      return true;
    default:
      return false;
  }
}

// The library's buffer grows to the largest packet it met and stays so. A session that met a large
// row would hold its size for good; between two packets nothing is in the buffer, so it can go back
// to what a new session has. The sizes are those of the library's own growth.
void shrink_buffer(NET& net) {
  constexpr unsigned long kKept = 1UL << 20;  // what ordinary rows need is not worth the work
  constexpr unsigned long kFresh = 16UL << 10;
  constexpr unsigned long kFrame = NET_HEADER_SIZE + COMP_HEADER_SIZE;
  if (net.max_packet <= kKept || net.buff == nullptr) return;
  auto* const smaller = static_cast<unsigned char*>(std::realloc(net.buff, kFresh + kFrame));
  if (smaller == nullptr) return;
  net.buff = net.write_pos = net.read_pos = smaller;
  net.max_packet = kFresh;
  net.buff_end = smaller + kFresh;
}

// Feeds LOAD DATA LOCAL. The server never chooses what is read: the file name that it sends back is
// ignored.
int infile_init(void** state, const char*, void* user) {
  *state = user;
  return 0;
}
int infile_read(void* state, char* buffer, unsigned int size) {
  return static_cast<int>((*static_cast<const Session::Feed*>(state))(buffer, size));
}
void infile_end(void*) {}
int infile_error(void*, char* message, unsigned int size) {
  if (size > 0) message[0] = '\0';
  return CR_UNKNOWN_ERROR;
}

}  // namespace

struct Session::Handle {
  MYSQL* mysql = nullptr;
  std::atomic<bool> interrupted{false};
  // A duplicate: the library closes its own when a connection breaks, and interrupt() would then
  // hit whoever got that number next.
  int socket = -1;

  ~Handle() {
    if (mysql != nullptr) mysql_close(mysql);
    if (socket >= 0) ::close(socket);
  }
};

namespace {

void set_options(MYSQL* mysql, const Endpoint& endpoint, const SessionOptions& options, bool tls) {
  const auto seconds = [](std::chrono::seconds value) {
    return static_cast<unsigned>(value.count());
  };
  const unsigned connect = seconds(options.connect_timeout);
  const unsigned read = seconds(options.read_timeout);
  const unsigned write = seconds(options.write_timeout);
  const unsigned long packet = kMaxPacket;
  const unsigned infile = options.local_infile ? 1 : 0;
  mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect);
  mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &read);
  mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &write);
  mysql_options(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &infile);
  mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_optionsv(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", options.program.c_str());
  if (!tls) return;
  const my_bool on = 1;
  const my_bool verify = endpoint.tls == TlsMode::verify_identity ? 1 : 0;
  mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
  mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  if (!endpoint.tls_ca.empty()) mysql_optionsv(mysql, MYSQL_OPT_SSL_CA, endpoint.tls_ca.c_str());
  if (!endpoint.tls_cert.empty())
    mysql_optionsv(mysql, MYSQL_OPT_SSL_CERT, endpoint.tls_cert.c_str());
  if (!endpoint.tls_key.empty()) mysql_optionsv(mysql, MYSQL_OPT_SSL_KEY, endpoint.tls_key.c_str());
}

Error error_of(MYSQL* mysql, std::string_view step) {
  const unsigned code = mysql_errno(mysql);
  return {is_lost(code) ? Errc::network : Errc::server,
          fmt::format("{}: {} (error {}, SQLSTATE {})", step, mysql_error(mysql), code,
                      mysql_sqlstate(mysql)),
          code};
}

Result<MYSQL*> connect(const Endpoint& endpoint, const SessionOptions& options, bool tls) {
  MYSQL* mysql = mysql_init(nullptr);
  if (mysql == nullptr) return Error{Errc::network, "out of memory for a connection", 0};
  set_options(mysql, endpoint, options, tls);
  const bool local = !endpoint.socket.empty();
  const unsigned long flags = CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS;
  if (mysql_real_connect(mysql, local ? "localhost" : endpoint.host.c_str(), endpoint.user.c_str(),
                         endpoint.password.c_str(), nullptr, local ? 0 : endpoint.port,
                         local ? endpoint.socket.c_str() : nullptr, flags) == nullptr) {
    Error error = error_of(mysql, "connect to " + endpoint.to_string());
    mysql_close(mysql);
    return error;
  }
  if (tls && mysql_get_ssl_cipher(mysql) == nullptr) {
    // The library goes on without encryption where the server offers none.
    mysql_close(mysql);
    return Error{Errc::network,
                 fmt::format("connect to {}: the server offers no TLS", endpoint.to_string()),
                 CR_SSL_CONNECTION_ERROR};
  }
  return mysql;
}

// preferred: TLS where the server has it; over a socket it would protect nothing.
Result<MYSQL*> connect_with_tls_mode(const Endpoint& endpoint, const SessionOptions& options) {
  const bool local = !endpoint.socket.empty();
  if (endpoint.tls == TlsMode::disabled || (local && endpoint.tls == TlsMode::preferred)) {
    return connect(endpoint, options, false);
  }
  Result<MYSQL*> secure = connect(endpoint, options, true);
  if (secure.ok() || endpoint.tls != TlsMode::preferred) return secure;
  if (secure.error().server_code != CR_SSL_CONNECTION_ERROR) return secure;
  return connect(endpoint, options, false);
}

Result<ServerFacts> read_facts(Session& session) {
  Result<Rows> row = session.query("SELECT VERSION(), @@server_id, @@hostname, @@port, @@datadir");
  if (!row.ok()) return row.error();
  const auto& fields = row.value().rows.at(0);
  ServerFacts facts;
  facts.version_text = fields[0].value_or("");
  facts.server_id =
      static_cast<std::uint32_t>(std::strtoul(fields[1].value_or("0").c_str(), nullptr, 10));
  std::array<unsigned, 3> parts{};
  std::sscanf(facts.version_text.c_str(), "%u.%u.%u", &parts[0], &parts[1], &parts[2]);
  facts.version = parts[0] * 10000 + parts[1] * 100 + parts[2];
  if (facts.version_text.find("MariaDB") != std::string::npos) {
    facts.dialect = Dialect::mariadb;
    facts.gtid_on = true;
    facts.server_uuid = fmt::format("{}@{}:{}{}", facts.server_id, fields[2].value_or(""),
                                    fields[3].value_or(""), fields[4].value_or(""));
    return facts;
  }
  Result<Rows> more = session.query("SELECT @@server_uuid, @@gtid_mode");
  if (!more.ok()) return more.error();
  facts.server_uuid = more.value().rows.at(0)[0].value_or("");
  facts.gtid_on = more.value().rows.at(0)[1].value_or("") == "ON";
  return facts;
}

}  // namespace

Session::Session(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Endpoint& endpoint,
                                               const SessionOptions& options) {
  Result<MYSQL*> mysql = connect_with_tls_mode(endpoint, options);
  if (!mysql.ok()) return mysql.error();
  auto handle = std::make_unique<Handle>();
  handle->mysql = mysql.value();
  handle->socket = ::fcntl(static_cast<int>(mysql_get_socket(handle->mysql)), F_DUPFD_CLOEXEC, 0);
  if (handle->socket < 0) {
    return Error{Errc::network,
                 fmt::format("connect to {}: no file descriptor is left", endpoint.to_string()), 0};
  }
  std::unique_ptr<Session> session(new Session(std::move(handle)));
  Result<ServerFacts> facts = read_facts(*session);
  if (!facts.ok()) return facts.error().within("read the facts of " + endpoint.to_string());
  session->facts_ = std::move(facts).value();
  for (const std::string& statement : options.init) {
    Result<Outcome> done = session->execute(statement);
    if (!done.ok()) return done.error().within("prepare the session at " + endpoint.to_string());
  }
  return session;
}

std::uint64_t Session::connection_id() const { return mysql_thread_id(handle_->mysql); }

Error Session::last_error(std::string_view step) const {
  Error error = error_of(handle_->mysql, step);
  if (handle_->interrupted.load()) error.code = Errc::interrupted;
  return error;
}

Result<Rows> Session::query(std::string_view sql) {
  MYSQL* mysql = handle_->mysql;
  if (mysql_real_query(mysql, sql.data(), sql.size()) != 0) return last_error("query");
  MYSQL_RES* result = mysql_store_result(mysql);
  if (result == nullptr) {
    if (mysql_errno(mysql) != 0) return last_error("query result");
    return Rows{};
  }
  Rows rows;
  const unsigned width = mysql_num_fields(result);
  const MYSQL_FIELD* fields = mysql_fetch_fields(result);
  for (unsigned i = 0; i < width; ++i) rows.names.emplace_back(fields[i].name);
  while (MYSQL_ROW row = mysql_fetch_row(result)) {
    const unsigned long* sizes = mysql_fetch_lengths(result);
    std::vector<Field>& out = rows.rows.emplace_back(width);
    for (unsigned i = 0; i < width; ++i) {
      if (row[i] != nullptr) out[i].emplace(row[i], sizes[i]);
    }
  }
  mysql_free_result(result);
  return rows;
}

namespace {

Outcome outcome_of(MYSQL* mysql) {
  Outcome outcome;
  outcome.affected = mysql_affected_rows(mysql);
  outcome.insert_id = mysql_insert_id(mysql);
  outcome.warnings = mysql_warning_count(mysql);
  if (const char* info = mysql_info(mysql)) outcome.info = info;
  return outcome;
}

}  // namespace

Result<Outcome> Session::execute(std::string_view sql) {
  Result<std::vector<Outcome>> all = execute_all(sql);
  if (!all.ok()) return all.error();
  return std::move(all.value().back());
}

Result<std::vector<Outcome>> Session::execute_all(std::string_view sql) {
  MYSQL* mysql = handle_->mysql;
  std::vector<Outcome> outcomes;
  const auto step = [&] { return fmt::format("statement {}", outcomes.size() + 1); };
  if (mysql_real_query(mysql, sql.data(), sql.size()) != 0) return last_error(step());
  for (;;) {
    // A statement that answers with rows (ANALYZE, say) is drained: only its success matters here.
    if (MYSQL_RES* result = mysql_store_result(mysql)) mysql_free_result(result);
    outcomes.push_back(outcome_of(mysql));
    const int more = mysql_next_result(mysql);
    if (more < 0) return outcomes;
    if (more > 0) return last_error(step());
  }
}

Status Session::stream(std::string_view sql,
                       const std::function<bool(const FieldView*, std::size_t)>& row) {
  MYSQL* mysql = handle_->mysql;
  if (mysql_real_query(mysql, sql.data(), sql.size()) != 0) return last_error("query");
  MYSQL_RES* result = mysql_use_result(mysql);
  if (result == nullptr) return last_error("query result");
  const unsigned width = mysql_num_fields(result);
  std::vector<FieldView> fields(width);
  bool wanted = true;
  while (MYSQL_ROW next = mysql_fetch_row(result)) {
    if (!wanted) continue;
    const unsigned long* sizes = mysql_fetch_lengths(result);
    for (unsigned i = 0; i < width; ++i) fields[i] = {next[i], sizes[i]};
    wanted = row(fields.data(), width);
  }
  const bool failed = mysql_errno(mysql) != 0;
  Status status = failed ? Status(last_error("fetch")) : Status(Unit{});
  mysql_free_result(result);
  shrink_buffer(mysql->net);
  return status;
}

Result<Outcome> Session::load(std::string_view sql, std::string_view data) {
  return load(sql, [data](char* buffer, std::size_t size) mutable {
    const std::size_t count = data.copy(buffer, size);
    data.remove_prefix(count);
    return count;
  });
}

Result<Outcome> Session::load(std::string_view sql, const Feed& read) {
  MYSQL* mysql = handle_->mysql;
  mysql_set_local_infile_handler(mysql, infile_init, infile_read, infile_end, infile_error,
                                 const_cast<Feed*>(&read));
  const int failed = mysql_real_query(mysql, sql.data(), sql.size());
  mysql_set_local_infile_default(mysql);
  if (failed != 0) return last_error("load");
  return outcome_of(mysql);
}

Status Session::send_command(std::uint8_t command, std::string_view payload) {
  MYSQL* mysql = handle_->mysql;
  // The library has no call for COM_BINLOG_DUMP_GTID; its method table is public and takes any
  // code.
  if (mysql->methods->db_command(mysql, static_cast<enum_server_command>(command), payload.data(),
                                 payload.size(), 1, nullptr) != 0) {
    return last_error("command");
  }
  return Unit{};
}

Result<std::optional<Bytes>> Session::read_packet() {
  MYSQL* mysql = handle_->mysql;
  shrink_buffer(mysql->net);  // of the packet before: its span ends here
  const unsigned long size = mysql_net_read_packet(mysql);
  if (size == packet_error) return last_error("read packet");
  const Bytes packet(reinterpret_cast<const std::byte*>(mysql->net.read_pos), size);
  constexpr std::size_t kEofSizeMax = 9;
  if (size > 0 && packet[0] == std::byte{0xFE} && size < kEofSizeMax) return std::optional<Bytes>();
  return std::optional<Bytes>(packet);
}

bool Session::readable() {
  const MARIADB_PVIO* pvio = handle_->mysql->net.pvio;
  if (pvio != nullptr && pvio->cache != nullptr && pvio->cache_pos < pvio->cache + pvio->cache_size)
    return true;
  pollfd wait{handle_->socket, POLLIN, 0};
  return ::poll(&wait, 1, 0) > 0;
}

void Session::interrupt() {
  handle_->interrupted = true;
  ::shutdown(handle_->socket, SHUT_RDWR);
}

void Session::set_read_timeout(std::chrono::seconds timeout) {
  const unsigned seconds = static_cast<unsigned>(timeout.count());
  mysql_options(handle_->mysql, MYSQL_OPT_READ_TIMEOUT, &seconds);
}

}  // namespace wherry::mysql
