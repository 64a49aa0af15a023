#include "control/server_view.h"

#include <fmt/format.h>

#include <charconv>
#include <random>

#include "support/ascii.h"

namespace wherry::control {
namespace {

using mysql::Rows;
using mysql::Session;

std::string text(const mysql::Field& field) { return field.value_or(""); }

// "`a`, `b`" for IN: quoted as text, since that is how the names are stored.
std::string quoted_list(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += out.empty() ? "" : ", ";
    mysql::append_quoted(out, name);
  }
  return out.empty() ? "''" : out;
}

std::set<std::string> databases_of(const std::vector<Table>& tables) {
  std::set<std::string> out;
  for (const Table& table : tables) out.insert(table.name.database);
  return out;
}

Result<std::map<std::string, std::string>> read_variables(Session& session) {
  const Result<Rows> rows = session.query("SHOW GLOBAL VARIABLES");
  if (!rows.ok()) return rows.error().within("read the settings");
  std::map<std::string, std::string> out;
  for (const auto& row : rows.value().rows) out[ascii::lower(text(row[0]))] = text(row[1]);
  return out;
}

// Plain SHOW GRANTS already holds what the active roles give, on both dialects.
Result<std::vector<std::string>> read_grants(Session& session) {
  std::vector<std::string> lines;
  const Result<Rows> rows = session.query("SHOW GRANTS");
  if (!rows.ok()) return rows.error().within("read the privileges");
  for (const auto& row : rows.value().rows) lines.push_back(text(row[0]));
  if (!session.facts().is_mariadb() || session.facts().version < 101100) return lines;
  const Result<Rows> everyone = session.query("SHOW GRANTS FOR PUBLIC");
  if (!everyone.ok()) return lines;
  for (const auto& row : everyone.value().rows) lines.push_back(text(row[0]));
  return lines;
}

std::string with_old_name(std::string name) {
  constexpr std::string_view kNew = "Source_";
  if (name.starts_with(kNew)) name.replace(0, kNew.size(), "Master_");
  return name;
}

// Both spellings are asked, since each version knows only its own; a refusal leaves it unknown.
void read_channels(Session& session, ServerView& view) {
  const bool mariadb = view.facts.is_mariadb();
  Result<Rows> rows = session.query(mariadb ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS");
  if (!rows.ok() && !mariadb) rows = session.query("SHOW SLAVE STATUS");
  if (!rows.ok()) return;
  view.channels_known = true;
  for (const auto& row : rows.value().rows) {
    ReplicaChannel& channel = view.channels.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      channel[with_old_name(rows.value().names[i])] = text(row[i]);
    }
  }
}

std::string read_cluster(Session& session, const ServerView& view) {
  if (!view.facts.is_mariadb()) {
    return view.variable("group_replication_group_name");
  }
  if (!view.is_on("wsrep_on")) return "";
  const Result<Rows> rows = session.query("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_state_uuid'");
  return rows.ok() && !rows.value().rows.empty() ? text(rows.value().rows[0][1]) : "";
}

// MariaDB keeps some collations under a name that needs its character set in front.
Result<std::map<std::string, std::optional<int>>> read_collations(Session& session) {
  Result<Rows> rows = session.query(
      "SELECT FULL_COLLATION_NAME, ID FROM "
      "information_schema.COLLATION_CHARACTER_SET_APPLICABILITY");
  if (!rows.ok())
    rows = session.query("SELECT COLLATION_NAME, ID FROM information_schema.COLLATIONS");
  if (!rows.ok()) return rows.error().within("read the collations");
  std::map<std::string, std::optional<int>> out;
  for (const auto& row : rows.value().rows) {
    const std::string number = text(row[1]);
    int id = 0;
    std::from_chars(number.data(), number.data() + number.size(), id);
    out[text(row[0])] = id == 0 ? std::nullopt : std::optional(id);
  }
  return out;
}

Result<std::size_t> count(Session& session, std::string_view from, std::string_view column,
                          const std::set<std::string>& databases) {
  const Result<Rows> rows =
      session.query(fmt::format("SELECT COUNT(*) FROM information_schema.{} WHERE {} IN ({})", from,
                                column, quoted_list(databases)));
  if (!rows.ok()) return rows.error().within(fmt::format("count in {}", from));
  return static_cast<std::size_t>(
      std::strtoull(text(rows.value().rows.at(0)[0]).c_str(), nullptr, 10));
}

void read_binlog_filters(Session& session, SourceObjects& objects) {
  Result<Rows> rows = session.query("SHOW BINARY LOG STATUS");
  if (!rows.ok()) rows = session.query("SHOW MASTER STATUS");
  if (!rows.ok() || rows.value().rows.empty() || rows.value().rows[0].size() < 4) return;
  objects.binlog_do_db = text(rows.value().rows[0][2]);
  objects.binlog_ignore_db = text(rows.value().rows[0][3]);
}

Status read_tables_of_kinds(Session& session, const std::set<std::string>& databases,
                            SourceObjects& objects) {
  const Result<Rows> rows =
      session.query(fmt::format("SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM "
                                "information_schema.TABLES WHERE TABLE_SCHEMA IN "
                                "({}) AND TABLE_TYPE <> 'BASE TABLE'",
                                quoted_list(databases)));
  if (!rows.ok()) return rows.error().within("read the kinds of tables");
  for (const auto& row : rows.value().rows) {
    const std::string kind = text(row[2]);
    if (kind == "VIEW") ++objects.views;
    if (kind == "SEQUENCE") ++objects.sequences;
    if (kind == "SYSTEM VERSIONED") objects.versioned.push_back({text(row[0]), text(row[1])});
  }
  return Unit{};
}

}  // namespace

std::string ServerView::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

bool ServerView::is_on(const std::string& name) const {
  const std::string value = variable(name);
  return ascii::same(value, "on") || value == "1" || ascii::same(value, "yes");
}

std::uint64_t ServerView::number(const std::string& name) const {
  return std::strtoull(variable(name).c_str(), nullptr, 10);
}

Result<ServerView> view_server(Session& session) {
  ServerView view;
  view.facts = session.facts();
  Result<std::map<std::string, std::string>> variables = read_variables(session);
  if (!variables.ok()) return variables.error();
  view.variables = std::move(variables).value();
  const Result<Rows> account = session.query("SELECT CURRENT_USER()");
  if (!account.ok()) return account.error().within("read the account");
  view.account = text(account.value().rows.at(0)[0]);
  const Result<std::vector<std::string>> grants = read_grants(session);
  if (!grants.ok()) return grants.error();
  view.grants = Grants(grants.value(), view.is_on("partial_revokes"));
  read_channels(session, view);
  view.cluster = read_cluster(session, view);
  Result<std::map<std::string, std::optional<int>>> collations = read_collations(session);
  if (!collations.ok()) return collations.error();
  view.collations = std::move(collations).value();
  return view;
}

Result<SourceObjects> view_source_objects(Session& session, const std::vector<Table>& tables) {
  SourceObjects objects;
  read_binlog_filters(session, objects);
  const Result<Rows> prepared = session.query("XA RECOVER");
  if (prepared.ok()) objects.prepared_xa = prepared.value().rows.size();
  const Result<Rows> engines =
      session.query("SELECT ENGINE FROM information_schema.ENGINES WHERE TRANSACTIONS = 'YES'");
  if (!engines.ok()) return engines.error().within("read the engines");
  for (const auto& row : engines.value().rows)
    objects.transactional_engines.insert(ascii::lower(text(row[0])));

  const std::set<std::string> databases = databases_of(tables);
  const Status kinds = read_tables_of_kinds(session, databases, objects);
  if (!kinds.ok()) return kinds.error();
  struct Counted {
    std::string_view from;
    std::string_view column;
    std::size_t& into;
  };
  for (const Counted& one : {Counted{"TRIGGERS", "EVENT_OBJECT_SCHEMA", objects.triggers},
                             Counted{"ROUTINES", "ROUTINE_SCHEMA", objects.routines},
                             Counted{"EVENTS", "EVENT_SCHEMA", objects.events}}) {
    const Result<std::size_t> number = count(session, one.from, one.column, databases);
    if (!number.ok()) return number.error();
    one.into = number.value();
  }
  return objects;
}

Result<TargetObjects> view_target_objects(Session& session,
                                          const std::set<std::string>& databases) {
  TargetObjects objects;
  const std::string list = quoted_list(databases);
  const Result<Rows> tables = session.query(fmt::format(
      "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ({})",
      list));
  if (!tables.ok()) return tables.error().within("read the tables");
  for (const auto& row : tables.value().rows) objects.tables.insert({text(row[0]), text(row[1])});
  const Result<Rows> triggers =
      session.query(fmt::format("SELECT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE, TRIGGER_NAME FROM "
                                "information_schema.TRIGGERS WHERE "
                                "EVENT_OBJECT_SCHEMA IN ({})",
                                list));
  if (!triggers.ok()) return triggers.error().within("read the triggers");
  for (const auto& row : triggers.value().rows) {
    objects.triggers.push_back({{text(row[0]), text(row[1])}, text(row[2])});
  }
  return objects;
}

Result<bool> is_same_server(Session& source, Session& target) {
  std::random_device random;
  const std::string name =
      mysql::quote_text(fmt::format("wherry-{:08x}{:08x}", random(), random()));
  const Result<Rows> taken = source.query(fmt::format("SELECT GET_LOCK({}, 0)", name));
  if (!taken.ok()) return taken.error().within("take a user lock at the source");
  const Result<Rows> seen = target.query(fmt::format("SELECT IS_USED_LOCK({})", name));
  const Result<Rows> released = source.query(fmt::format("SELECT RELEASE_LOCK({})", name));
  if (!seen.ok()) return seen.error().within("look for a user lock at the target");
  if (!released.ok()) return released.error().within("release a user lock at the source");
  return seen.value().rows.at(0)[0].has_value();
}

}  // namespace wherry::control
