// What the preflight reads from a server before it judges: settings, privileges, replication and
// the objects that concern the selected tables. The views are values, so that the rules need no
// server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/grants.h"
#include "model/schema.h"
#include "mysql/facts.h"
#include "mysql/session.h"
#include "support/result.h"

namespace wherry::control {

// One channel by which the server replicates from another, by the names that SHOW REPLICA STATUS
// and SHOW ALL SLAVES STATUS share, "Source_" written as "Master_".
using ReplicaChannel = std::map<std::string, std::string>;

struct ServerView {
  mysql::ServerFacts facts;
  std::string account;                           // CURRENT_USER()
  std::map<std::string, std::string> variables;  // global, lower case names
  Grants grants{{}, false};
  std::vector<ReplicaChannel> channels;
  bool channels_known = false;  // false: the account may not ask
  std::string cluster;          // identity of a Galera cluster or a replication group, else empty
  // Collations by full name; the number is the same on both dialects where the rules are.
  std::map<std::string, std::optional<int>> collations;

  // Empty where the server has no such variable.
  std::string variable(const std::string& name) const;
  bool is_on(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;
};

struct SourceObjects {
  std::string binlog_do_db, binlog_ignore_db;   // filters of what is logged
  std::optional<std::size_t> prepared_xa;       // not known where the account may not ask
  std::set<std::string> transactional_engines;  // lower case
  std::vector<TableName> versioned;             // system-versioned tables
  std::size_t views = 0, triggers = 0, routines = 0, events = 0, sequences = 0;
};

struct TargetObjects {
  std::set<TableName> tables;                               // in the databases concerned
  std::vector<std::pair<TableName, std::string>> triggers;  // table, name
};

Result<ServerView> view_server(mysql::Session& session);
// Of the databases of the selected tables.
Result<SourceObjects> view_source_objects(mysql::Session& session,
                                          const std::vector<Table>& tables);
Result<TargetObjects> view_target_objects(mysql::Session& session,
                                          const std::set<std::string>& databases);

// Whether the two sessions talk to one server, whatever their addresses are: a user lock that one
// holds is seen by the other. Nothing is changed; the lock is gone when it returns.
Result<bool> is_same_server(mysql::Session& source, mysql::Session& target);

}  // namespace wherry::control
