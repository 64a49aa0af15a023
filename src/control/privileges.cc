#include "control/privileges.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "mysql/session.h"

namespace wherry::control {
namespace {

constexpr GrantScope kServer = GrantScope::server;
constexpr GrantScope kDatabase = GrantScope::database;

// A database name in GRANT is a pattern.
std::string granted_database(const std::string& database) {
  std::string escaped;
  for (const char c : database) {
    if (c == '_' || c == '%') escaped += '\\';
    escaped += c;
  }
  return mysql::quote_name(escaped) + ".*";
}

void add_object_needs(std::vector<Need>& needs, const ServerView& view,
                      const CopyOptions& options) {
  const bool mariadb = view.facts.is_mariadb();
  if (options.with_views) needs.push_back({kDatabase, {"SHOW VIEW"}, "read views"});
  if (options.with_triggers) needs.push_back({kDatabase, {"TRIGGER"}, "read triggers"});
  if (options.with_events) needs.push_back({kDatabase, {"EVENT"}, "read events"});
  if (!options.with_routines) return;
  if (mariadb) {
    needs.push_back(
        {kServer, {"SELECT", "SHOW CREATE ROUTINE"}, "read routines of others", Severity::warning});
  } else {
    needs.push_back(
        {kServer, {"SHOW_ROUTINE", "SELECT"}, "read routines of others", Severity::warning});
  }
}

bool makes_objects(const CopyOptions& options) {
  return options.with_views || options.with_triggers || options.with_routines ||
         options.with_events;
}

void add_definer_needs(std::vector<Need>& needs, const ServerView& view,
                       const CopyOptions& options) {
  if (!makes_objects(options)) return;
  if (view.facts.is_mariadb()) {
    needs.push_back(
        {kServer, {"SET USER", "SUPER"}, "keep the definers of other accounts", Severity::warning});
  } else if (view.facts.version >= 80200) {
    needs.push_back({kServer,
                     {"SET_ANY_DEFINER", "SUPER"},
                     "keep the definers of other accounts",
                     Severity::warning});
  } else {
    needs.push_back({kServer,
                     {"SET_USER_ID", "SUPER"},
                     "keep the definers of other accounts",
                     Severity::warning});
  }
  const bool creates_code = options.with_triggers || options.with_routines;
  if (creates_code && view.is_on("log_bin") && !view.is_on("log_bin_trust_function_creators")) {
    needs.push_back({kServer,
                     {"SUPER"},
                     "make triggers and functions while log_bin_trust_function_creators is off",
                     Severity::warning});
  }
}

bool holds(const Grants& grants, const Need& need, const std::string& database,
           const TableName& table) {
  return std::any_of(need.any_of.begin(), need.any_of.end(), [&](const std::string& privilege) {
    switch (need.scope) {
      case GrantScope::server:
        return grants.everywhere(privilege);
      case GrantScope::database:
        return grants.on_database(privilege, database);
      case GrantScope::table:
        return grants.on_table(privilege, table);
    }
    return false;
  });
}

// What lacks, gathered by the object that it would be granted on.
struct Lack {
  std::vector<std::string> privileges;
  std::vector<std::string> purposes;
};
using Lacks = std::map<std::pair<Severity, std::string>, Lack>;

void add_lack(Lacks& lacks, const Need& need, const std::string& object) {
  Lack& lack = lacks[{need.severity, object}];
  const auto add = [](std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  add(lack.privileges, need.any_of[0]);
  add(lack.purposes, need.purpose);
}

}  // namespace

std::vector<Need> source_needs(const ServerView& view, const CopyOptions& options,
                               const SourceTraits& traits) {
  const bool mariadb = view.facts.is_mariadb();
  std::vector<Need> needs = {
      {GrantScope::table, {"SELECT"}, "read the rows"},
      {kServer, {"REPLICATION SLAVE"}, "follow the binary log"},
      {kServer,
       {mariadb ? "BINLOG MONITOR" : "REPLICATION CLIENT", "SUPER"},
       "ask for the position of the binary log"},
  };
  if (mariadb) {
    needs.push_back({kServer,
                     {"SLAVE MONITOR", "SUPER"},
                     "see whether the source is a replica",
                     Severity::note});
  } else {
    needs.push_back(
        {kServer, {"XA_RECOVER_ADMIN"}, "see prepared XA transactions", Severity::warning});
  }
  if (!mariadb && !traits.keyless.empty()) {
    needs.push_back({kDatabase,
                     {"LOCK TABLES"},
                     "read tables whole at an exact position",
                     Severity::refusal,
                     traits.keyless});
  }
  if (!mariadb && traits.without_gtids) {
    needs.push_back(
        {kServer, {"RELOAD", "FLUSH_TABLES"}, "read at an exact position without GTIDs"});
  }
  add_object_needs(needs, view, options);
  return needs;
}

std::vector<Need> target_needs(const ServerView& view, const CopyOptions& options) {
  std::vector<Need> needs;
  for (const char* privilege :
       {"CREATE", "DROP", "ALTER", "INDEX", "REFERENCES", "SELECT", "INSERT", "UPDATE", "DELETE"}) {
    needs.push_back({kDatabase, {privilege}, "make and fill the tables"});
  }
  if (options.with_views) {
    needs.push_back({kDatabase, {"CREATE VIEW"}, "make views"});
    needs.push_back({kDatabase, {"SHOW VIEW"}, "make views"});
  }
  if (options.with_triggers) needs.push_back({kDatabase, {"TRIGGER"}, "make triggers"});
  if (options.with_events) needs.push_back({kDatabase, {"EVENT"}, "make events"});
  if (options.with_routines) {
    needs.push_back({kDatabase, {"CREATE ROUTINE"}, "make routines"});
    needs.push_back({kDatabase, {"ALTER ROUTINE"}, "make routines"});
  }
  if (!options.target_binlog) {
    const std::vector<std::string> any_of =
        view.facts.is_mariadb() ? std::vector<std::string>{"BINLOG ADMIN", "SUPER"}
                                : std::vector<std::string>{"SESSION_VARIABLES_ADMIN",
                                                           "SYSTEM_VARIABLES_ADMIN", "SUPER"};
    needs.push_back({kServer, any_of, "leave the target's binary log out (--target-binlog off)"});
  }
  add_definer_needs(needs, view, options);
  needs.push_back({kServer, {"PROCESS"}, "name the session that blocks a write", Severity::note});
  return needs;
}

std::vector<Finding> missing_grants(const ServerView& view, const std::vector<Need>& needs,
                                    const std::vector<TableName>& tables,
                                    const std::string& subject) {
  std::set<std::string> databases;
  for (const TableName& table : tables) databases.insert(table.database);

  Lacks lacks;
  for (const Need& need : needs) {
    if (need.scope == GrantScope::server && !holds(view.grants, need, "", {}))
      add_lack(lacks, need, "*.*");
    if (need.scope == GrantScope::database) {
      for (const std::string& database : need.only.empty() ? databases : need.only) {
        if (!holds(view.grants, need, database, {}))
          add_lack(lacks, need, granted_database(database));
      }
    }
    if (need.scope == GrantScope::table) {
      for (const TableName& table : tables) {
        if (!holds(view.grants, need, "", table))
          add_lack(lacks, need, granted_database(table.database));
      }
    }
  }
  std::vector<Finding> findings;
  for (const auto& [key, lack] : lacks) {
    const std::string privileges = fmt::format("{}", fmt::join(lack.privileges, ", "));
    findings.push_back({key.first, subject,
                        fmt::format("{} lacks {} on {}, needed to {}", quoted_account(view.account),
                                    privileges, key.second, fmt::join(lack.purposes, ", ")),
                        fmt::format("GRANT {} ON {} TO {};", privileges, key.second,
                                    quoted_account(view.account))});
  }
  return findings;
}

}  // namespace wherry::control
