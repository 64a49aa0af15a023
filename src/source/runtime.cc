#include "source/runtime.h"

#include <fmt/core.h>

#include <algorithm>

namespace wherry::source {

std::vector<std::string> exact_read_settings(Dialect dialect) {
  std::vector<std::string> settings = {
      // Long reads and stalled dumps must not die of the server's short default.
      "SET SESSION net_write_timeout = 3600, net_read_timeout = 3600, wait_timeout = 28800",
      "SET SESSION time_zone = '+00:00', sql_mode = ''",
      "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
      // Results come as the bytes that are stored, whatever the column's character set.
      "SET SESSION character_set_results = NULL",
  };
  settings.emplace_back(dialect == Dialect::mariadb ? "SET SESSION max_statement_time = 0"
                                                    : "SET SESSION max_execution_time = 0");
  return settings;
}

SourceSession::~SourceSession() {
  if (session_ != nullptr) give_back_(std::move(session_), spoiled_);
}

Result<SourceSession> Lease::lend(std::unique_ptr<mysql::Session> session) const {
  const bool stopped = generation_->pool_.with([&](Generation::Pool& pool) {
    if (!pool.stopped) pool.busy.push_back(session.get());
    return pool.stopped;
  });
  if (stopped) return Error{Errc::interrupted, "the run is stopping", 0};
  const std::size_t idle_max = options_.idle_sessions_max;
  auto give_back = [generation = generation_, idle_max](std::unique_ptr<mysql::Session> back,
                                                        bool spoiled) {
    // Closing takes a round trip: do it outside the lock.
    std::unique_ptr<mysql::Session> closing;
    generation->pool_.with([&](Generation::Pool& pool) {
      std::erase(pool.busy, back.get());
      const bool keep = !spoiled && !pool.retired && !pool.stopped && pool.idle.size() < idle_max;
      (keep ? pool.idle.emplace_back() : closing) = std::move(back);
    });
  };
  return SourceSession(generation_, std::move(session), std::move(give_back));
}

Result<SourceSession> Lease::session() const {
  std::unique_ptr<mysql::Session> idle = generation_->pool_.with([](Generation::Pool& pool) {
    std::unique_ptr<mysql::Session> taken;
    if (!pool.idle.empty()) {
      taken = std::move(pool.idle.back());
      pool.idle.pop_back();
    }
    return taken;
  });
  if (idle != nullptr) return lend(std::move(idle));
  mysql::SessionOptions options;
  options.connect_timeout = options_.connect_timeout;
  options.read_timeout = options_.query_timeout;
  options.program = "wherry-read";
  options.init = exact_read_settings(generation_->facts().dialect);
  Result<std::unique_ptr<mysql::Session>> session =
      mysql::Session::open(generation_->endpoint(), options);
  if (!session.ok()) return session.error();
  return lend(std::move(session).value());
}

Result<SourceSession> Lease::control_session() const {
  mysql::SessionOptions options;
  options.connect_timeout = options_.connect_timeout;
  options.read_timeout = options_.query_timeout;
  options.program = "wherry-control";
  options.init = {"SET SESSION wait_timeout = 2147483"};
  Result<std::unique_ptr<mysql::Session>> session =
      mysql::Session::open(generation_->endpoint(), options);
  if (!session.ok()) return session.error();
  Result<SourceSession> lent = lend(std::move(session).value());
  if (lent.ok()) lent.value().spoil();
  return lent;
}

Result<SourceSession> Lease::dump_session(std::chrono::seconds read_timeout) const {
  mysql::SessionOptions options;
  options.connect_timeout = options_.connect_timeout;
  options.read_timeout = read_timeout;
  options.program = "wherry-stream";
  Result<std::unique_ptr<mysql::Session>> session =
      mysql::Session::open(generation_->endpoint(), options);
  if (!session.ok()) return session.error();
  Result<SourceSession> lent = lend(std::move(session).value());
  if (lent.ok()) lent.value().spoil();  // a dump never ends in a state that could be reused
  return lent;
}

Runtime::Runtime(std::shared_ptr<Generation> first, RuntimeOptions options)
    : options_(options), current_(std::move(first)) {}

Result<mysql::ServerFacts> Runtime::probe(const Endpoint& endpoint, const RuntimeOptions& options) {
  mysql::SessionOptions session_options;
  session_options.connect_timeout = options.connect_timeout;
  Result<std::unique_ptr<mysql::Session>> session = mysql::Session::open(endpoint, session_options);
  if (!session.ok()) return session.error();
  return session.value()->facts();
}

Result<std::unique_ptr<Runtime>> Runtime::open(const Endpoint& endpoint,
                                               const RuntimeOptions& options) {
  Result<mysql::ServerFacts> facts = probe(endpoint, options);
  if (!facts.ok()) return facts.error().within("source");
  auto first = std::make_shared<Generation>(1, endpoint, std::move(facts).value());
  return std::unique_ptr<Runtime>(new Runtime(std::move(first), options));
}

Lease Runtime::lease() const {
  return Lease(current_.read([](const std::shared_ptr<Generation>& now) { return now; }), options_);
}

std::uint64_t Runtime::generation_number() const {
  return current_.read([](const std::shared_ptr<Generation>& now) { return now->number(); });
}

Status Runtime::publish(const Endpoint& endpoint) {
  Result<mysql::ServerFacts> facts = probe(endpoint, options_);
  if (!facts.ok()) return facts.error().within("next generation of the source");
  return current_.with([&](std::shared_ptr<Generation>& now) -> Status {
    if (facts.value().server_uuid != now->facts().server_uuid ||
        facts.value().dialect != now->facts().dialect) {
      return Error{
          Errc::refused,
          fmt::format("{} is another server ({}) than the source ({}); only another endpoint of "
                      "the same server can be taken",
                      endpoint.to_string(), facts.value().server_uuid, now->facts().server_uuid),
          0};
    }
    auto next = std::make_shared<Generation>(now->number() + 1, endpoint, facts.value());
    std::vector<std::unique_ptr<mysql::Session>> closing;
    now->pool_.with([&](Generation::Pool& pool) {
      pool.retired = true;
      closing.swap(pool.idle);
    });
    now = std::move(next);
    return Unit{};
  });
}

void Runtime::stop() {
  const std::shared_ptr<Generation> now =
      current_.read([](const auto& current) { return current; });
  now->pool_.with([](Generation::Pool& pool) {
    pool.stopped = true;
    for (mysql::Session* session : pool.busy) session->interrupt();
  });
}

}  // namespace wherry::source
