// Owns "the current source": which server is read, at which endpoint, with which sessions.
// Everything that reads the source (stream, snapshot cursors, planner, preflight, verifier) asks
// here and leases one generation; nobody keeps a session past its lease. Publishing a next
// generation leaves leases that are out with theirs; later ones see the new one. Sessions belong to
// their generation and are never handed to another. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/uri.h"
#include "mysql/session.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::source {

struct RuntimeOptions {
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds query_timeout{120};
  std::size_t idle_sessions_max = 8;
};

// One source server as it is read now. Immutable but for its pool of sessions.
class Generation {
 public:
  Generation(std::uint64_t number, Endpoint endpoint, mysql::ServerFacts facts)
      : number_(number), endpoint_(std::move(endpoint)), facts_(std::move(facts)) {}

  std::uint64_t number() const { return number_; }
  const Endpoint& endpoint() const { return endpoint_; }
  const mysql::ServerFacts& facts() const { return facts_; }

 private:
  friend class Runtime;
  friend class Lease;
  struct Pool {
    std::vector<std::unique_ptr<mysql::Session>> idle;
    std::vector<mysql::Session*> busy;  // lent out, so that they can be interrupted
    bool retired = false;               // a later generation is current: nothing is kept any more
    bool stopped = false;
  };

  const std::uint64_t number_;
  const Endpoint endpoint_;
  const mysql::ServerFacts facts_;
  Guarded<Pool> pool_;
};

// A session on loan from a generation. Goes back to the pool when destroyed, or is closed where
// spoil() was called or the generation is no longer current.
class SourceSession {
 public:
  SourceSession(std::shared_ptr<Generation> generation, std::unique_ptr<mysql::Session> session,
                std::function<void(std::unique_ptr<mysql::Session>, bool)> give_back)
      : generation_(std::move(generation)),
        session_(std::move(session)),
        give_back_(std::move(give_back)) {}
  SourceSession(SourceSession&&) noexcept = default;
  SourceSession& operator=(SourceSession&&) = delete;
  ~SourceSession();

  mysql::Session& operator*() const { return *session_; }
  mysql::Session* operator->() const { return session_.get(); }
  // The session is in an unknown state and must not be used again.
  void spoil() { spoiled_ = true; }

 private:
  std::shared_ptr<Generation> generation_;
  std::unique_ptr<mysql::Session> session_;
  std::function<void(std::unique_ptr<mysql::Session>, bool)> give_back_;
  bool spoiled_ = false;
};

// A claim on one generation, for one piece of work (a chunk scan, a verification range, the stream
// until it breaks). Copyable; keeps the generation alive.
class Lease {
 public:
  const Generation& generation() const { return *generation_; }
  // A session prepared for exact reads: UTC, no conversion of results, repeatable read.
  Result<SourceSession> session() const;
  // A session for definitions and positions, outside the pool: text comes as utf8mb4.
  Result<SourceSession> control_session() const;
  // A session of its own with other time-outs, outside the pool: the binlog dump.
  Result<SourceSession> dump_session(std::chrono::seconds read_timeout) const;

 private:
  friend class Runtime;
  Lease(std::shared_ptr<Generation> generation, RuntimeOptions options)
      : generation_(std::move(generation)), options_(options) {}
  Result<SourceSession> lend(std::unique_ptr<mysql::Session> session) const;

  std::shared_ptr<Generation> generation_;
  RuntimeOptions options_;
};

class Runtime {
 public:
  static Result<std::unique_ptr<Runtime>> open(const Endpoint& endpoint,
                                               const RuntimeOptions& options);

  Lease lease() const;
  std::uint64_t generation_number() const;

  // Makes another endpoint of the same server current, as the next generation. Refuses another
  // server: moving to one needs the checks of a failover.
  Status publish(const Endpoint& endpoint);

  // Makes every session in use fail soon and refuses new ones: the run ends.
  void stop();

 private:
  explicit Runtime(std::shared_ptr<Generation> first, RuntimeOptions options);
  static Result<mysql::ServerFacts> probe(const Endpoint& endpoint, const RuntimeOptions& options);

  RuntimeOptions options_;
  Guarded<std::shared_ptr<Generation>> current_;
};

// The settings of a session that reads rows exactly.
std::vector<std::string> exact_read_settings(Dialect dialect);

}  // namespace wherry::source
