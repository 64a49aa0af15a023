// Views, routines, triggers and events: see create_objects in definitions.h.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "copy/definitions.h"
#include "copy/object_text.h"
#include "copy/target_names.h"
#include "mysql/setting_scope.h"
#include "sql/collations.h"

namespace wherry::copy {
namespace {

using mysql::Field;
using mysql::quote_name;
using mysql::quote_text;
using mysql::Setting;

// An account that does not exist, or that this one may not write for.
constexpr std::array<unsigned, 5> kDefinerErrors = {1227, 1449, 4254, 1133, 1524};

// Modes that change how a text is read, and others, that one dialect alone knows.
constexpr std::array<std::string_view, 14> kOnlyMariadb = {"NO_AUTO_CREATE_USER",
                                                           "POSTGRESQL",
                                                           "ORACLE",
                                                           "MSSQL",
                                                           "DB2",
                                                           "MAXDB",
                                                           "NO_KEY_OPTIONS",
                                                           "NO_TABLE_OPTIONS",
                                                           "NO_FIELD_OPTIONS",
                                                           "MYSQL323",
                                                           "MYSQL40",
                                                           "EMPTY_STRING_IS_NULL",
                                                           "SIMULTANEOUS_ASSIGNMENT",
                                                           "TIME_ROUND_FRACTIONAL"};
constexpr std::array<std::string_view, 1> kOnlyMysql = {"TIME_TRUNCATE_FRACTIONAL"};

struct Listed {
  std::string name;
  std::string show;   // SHOW CREATE ... of this one
  std::string table;  // a trigger's
};

// One object as the source describes it. The text's bytes are in the character set of its client.
struct Definition {
  std::string text;
  std::string sql_mode;
  std::string client_charset;
  std::string connection_collation;
  std::string time_zone;

  sql::StatementMode mode(Dialect dialect) const {
    return {dialect, sql_mode.find("ANSI_QUOTES") != std::string::npos,
            sql_mode.find("NO_BACKSLASH_ESCAPES") != std::string::npos};
  }
};

struct Databases {
  std::string source;
  std::string target;
};

class ObjectCopy {
 public:
  ObjectCopy(mysql::Session& source, mysql::Session& target, const TargetNames& names,
             ObjectKind kind)
      : source_(source), target_(target), names_(names), kind_(kind) {}

  Status run();
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  Status copy_database(const Databases& databases);
  Result<std::vector<Listed>> list(mysql::Session& session, const std::string& database);
  Result<std::optional<Definition>> read(const Databases& databases, const Listed& object);
  std::optional<std::string> text_for_target(const Databases& databases, const Listed& object,
                                             const Definition& from);
  Status create(const Databases& databases, const Listed& object, const Definition& from);
  Status create_as(const Definition& from, const std::string& text);
  Status check_events(const Databases& databases, const std::vector<Listed>& wanted);
  Status copy_one(const Databases& databases, const Listed& object);
  std::string target_mode(const std::string& sql_mode, std::string& left_out) const;
  std::string target_collation(const std::string& collation) const;
  void warn(const Databases& databases, const Listed& object, std::string_view why);

  mysql::Session& source_;
  mysql::Session& target_;
  const TargetNames& names_;
  const ObjectKind kind_;
  std::vector<std::string> warnings_;
};

std::string_view word_for(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::views:
      return "view";
    case ObjectKind::routines:
      return "routine";
    case ObjectKind::triggers:
      return "trigger";
    case ObjectKind::events:
      return "event";
  }
  return "object";
}

std::string list_query(ObjectKind kind, const std::string& database) {
  const std::string name = quote_text(database);
  switch (kind) {
    case ObjectKind::views:
      return "SELECT TABLE_NAME, 'VIEW', '', TABLE_SCHEMA FROM information_schema.VIEWS WHERE "
             "TABLE_SCHEMA = " +
             name;
    case ObjectKind::routines:
      return "SELECT ROUTINE_NAME, ROUTINE_TYPE, '', ROUTINE_SCHEMA FROM "
             "information_schema.ROUTINES WHERE "
             "ROUTINE_SCHEMA = " +
             name + " ORDER BY ROUTINE_TYPE, ROUTINE_NAME";
    case ObjectKind::triggers:
      // Several triggers of one table and moment run in the order of their creation.
      return "SELECT TRIGGER_NAME, 'TRIGGER', EVENT_OBJECT_TABLE, TRIGGER_SCHEMA FROM "
             "information_schema.TRIGGERS "
             "WHERE TRIGGER_SCHEMA = " +
             name + " ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER";
    case ObjectKind::events:
      return "SELECT EVENT_NAME, 'EVENT', '', EVENT_SCHEMA FROM information_schema.EVENTS WHERE "
             "EVENT_SCHEMA = " +
             name;
  }
  return {};
}

Result<std::vector<Listed>> ObjectCopy::list(mysql::Session& session, const std::string& database) {
  Result<mysql::Rows> rows = session.query(list_query(kind_, database));
  if (!rows.ok())
    return rows.error().within(fmt::format("list the {}s of {}", word_for(kind_), database));
  std::vector<Listed> out;
  for (const auto& row : rows.value().rows) {
    if (row[3] != database) continue;
    Listed object{row[0].value_or(""), "", row[2].value_or("")};
    object.show = fmt::format("SHOW CREATE {} {}.{}", row[1].value_or(""), quote_name(database),
                              quote_name(object.name));
    out.push_back(std::move(object));
  }
  return out;
}

void ObjectCopy::warn(const Databases& databases, const Listed& object, std::string_view why) {
  warnings_.push_back(
      fmt::format("{} {}.{}: {}", word_for(kind_), databases.source, object.name, why));
}

// Null after a warning: the source does not show the definition.
Result<std::optional<Definition>> ObjectCopy::read(const Databases& databases,
                                                   const Listed& object) {
  Result<mysql::Rows> rows = source_.query(object.show);
  if (!rows.ok() && rows.error().code != Errc::server) return rows.error();
  if (!rows.ok()) {
    warn(databases, object, rows.error().what);
    return std::optional<Definition>();
  }
  Definition out;
  bool found = false;
  for (const auto& row : rows.value().rows) {
    for (std::size_t i = 0; i < row.size() && i < rows.value().names.size(); ++i) {
      const std::string& name = rows.value().names[i];
      const std::string value = row[i].value_or("");
      if (name == "sql_mode") out.sql_mode = value;
      if (name == "time_zone") out.time_zone = value;
      if (name == "character_set_client") out.client_charset = value;
      if (name == "collation_connection") out.connection_collation = value;
      if (name.starts_with("Create ") || name == "SQL Original Statement") {
        found = row[i].has_value() && !value.empty();
        out.text = value;
      }
    }
  }
  if (found) return std::optional(std::move(out));
  warn(databases, object, "its definition is not shown to this account");
  return std::optional<Definition>();
}

std::optional<std::string> ObjectCopy::text_for_target(const Databases& databases,
                                                       const Listed& object,
                                                       const Definition& from) {
  const sql::StatementMode mode = from.mode(source_.facts().dialect);
  switch (kind_) {
    case ObjectKind::triggers: {
      const TableName table = names_.of({databases.source, object.table});
      const bool renamed = table.table != object.table;
      return route_trigger(from.text, table.database,
                           renamed ? std::optional(table.table) : std::nullopt, mode);
    }
    case ObjectKind::events:
      return with_database(disabled_event(from.text, mode), databases.target, mode);
    case ObjectKind::routines:
      return with_database(from.text, databases.target, mode);
    case ObjectKind::views: {
      const auto named = with_database(from.text, databases.target, mode);
      return named ? std::optional(route_view(*named, names_, mode)) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Modes that the target does not know are left out; the result may then mean something else.
std::string ObjectCopy::target_mode(const std::string& sql_mode, std::string& left_out) const {
  const auto unknown = [&](std::string_view mode) {
    const auto in = [mode](const auto& list) {
      return std::find(list.begin(), list.end(), mode) != list.end();
    };
    return target_.facts().is_mariadb() ? in(kOnlyMysql) : in(kOnlyMariadb);
  };
  std::string out;
  for (std::size_t at = 0; at < sql_mode.size();) {
    const std::size_t end = std::min(sql_mode.find(',', at), sql_mode.size());
    const std::string_view mode = std::string_view(sql_mode).substr(at, end - at);
    std::string& list = unknown(mode) ? left_out : out;
    list += fmt::format("{}{}", list.empty() ? "" : ",", mode);
    at = end + 1;
  }
  return out;
}

std::string ObjectCopy::target_collation(const std::string& collation) const {
  const auto twin =
      sql::collation_twin(collation, source_.facts().dialect, target_.facts().dialect);
  return twin ? *twin : sql::collation_proposal(collation, target_.facts().dialect);
}

Status ObjectCopy::create_as(const Definition& from, const std::string& text) {
  mysql::SettingScope scope(target_);
  std::string left_out;
  std::vector<Setting> settings = {{"foreign_key_checks", "0"},
                                   {"sql_mode", target_mode(from.sql_mode, left_out)}};
  if (!from.time_zone.empty()) settings.push_back({"time_zone", from.time_zone});
  // Last: from here on the session reads statements in that character set.
  if (!from.client_charset.empty())
    settings.push_back({"character_set_client", from.client_charset});
  if (!from.connection_collation.empty()) {
    settings.push_back({"collation_connection", target_collation(from.connection_collation)});
  }
  Status done = scope.set(settings);
  if (!done.ok()) return done;
  Result<mysql::Outcome> created = target_.execute(text);
  return created.ok() ? Status(Unit{}) : Status(created.error());
}

Status ObjectCopy::create(const Databases& databases, const Listed& object,
                          const Definition& from) {
  const auto text = text_for_target(databases, object, from);
  if (!text) return Error{Errc::server, "its definition was not understood", 0};
  Status done = create_as(from, *text);
  std::string left_out;
  (void)target_mode(from.sql_mode, left_out);
  if (done.ok() && !left_out.empty() && left_out != "NO_AUTO_CREATE_USER") {
    warn(databases, object,
         fmt::format("created without sql_mode {}, which the target does not know", left_out));
  }
  if (done.ok()) return done;
  const unsigned code = done.error().server_code;
  if (std::find(kDefinerErrors.begin(), kDefinerErrors.end(), code) == kDefinerErrors.end())
    return done;
  Status again = create_as(from, without_definer(*text, from.mode(source_.facts().dialect)));
  if (again.ok())
    warn(databases, object, "created with this account as its definer: " + done.error().what);
  return again;
}

Status ObjectCopy::copy_one(const Databases& databases, const Listed& object) {
  Result<std::optional<Definition>> from = read(databases, object);
  if (!from.ok()) return from.error();
  if (!from.value()) return Unit{};
  return create(databases, object, *from.value());
}

// An object may need another of its kind: what fails is tried again as long as anything succeeds.
Status ObjectCopy::copy_database(const Databases& databases) {
  Result<std::vector<Listed>> wanted = list(source_, databases.source);
  if (!wanted.ok()) return wanted.error();
  Result<std::vector<Listed>> there = list(target_, databases.target);
  if (!there.ok()) return there.error();
  std::set<std::pair<std::string, std::string>> existing;
  const auto kind_of = [](const Listed& object) {
    return object.show.substr(0, object.show.find('`'));
  };
  for (const Listed& object : there.value()) existing.insert({kind_of(object), object.name});
  std::vector<Listed> open;
  for (const Listed& object : wanted.value()) {
    if (existing.contains({kind_of(object), object.name})) continue;
    if (kind_ == ObjectKind::triggers && !names_.is_routed({databases.source, object.table}))
      continue;
    open.push_back(object);
  }
  if (open.empty()) return Unit{};
  Result<mysql::Outcome> used = target_.execute("USE " + quote_name(databases.target));
  if (!used.ok()) return used.error();
  std::vector<std::pair<Listed, std::string>> failed;
  while (!open.empty()) {
    failed.clear();
    for (Listed& object : open) {
      Status done = copy_one(databases, object);
      if (done.ok()) continue;
      if (done.error().code != Errc::server) return done;
      failed.emplace_back(std::move(object), done.error().what);
    }
    if (failed.size() == open.size()) break;
    open.clear();
    for (auto& [object, why] : failed) open.push_back(object);
  }
  for (const auto& [object, why] : failed) warn(databases, object, why);
  return kind_ == ObjectKind::events ? check_events(databases, wanted.value()) : Status(Unit{});
}

// A server drops an event at its creation when its time has passed.
Status ObjectCopy::check_events(const Databases& databases, const std::vector<Listed>& wanted) {
  Result<std::vector<Listed>> there = list(target_, databases.target);
  if (!there.ok()) return there.error();
  for (const Listed& event : wanted) {
    const auto same = [&](const Listed& one) { return one.name == event.name; };
    if (std::any_of(there.value().begin(), there.value().end(), same)) continue;
    warn(databases, event, "is not at the target: its time has passed, or it could not be created");
  }
  return Unit{};
}

Status ObjectCopy::run() {
  mysql::SettingScope scope(source_);
  // The bytes of a definition as they were written, and the quotes that the text was read with.
  Status done = scope.set(
      {{"character_set_results", Field()}, {"sql_quote_show_create", "1"}, {"sql_mode", ""}});
  if (!done.ok()) return done;
  for (const auto& [source, target] : names_.databases()) {
    if (!target) {
      warnings_.push_back(fmt::format("{}s of {} are left out: its tables go to several databases",
                                      word_for(kind_), source));
      continue;
    }
    done = copy_database({source, *target});
    if (!done.ok()) return done;
  }
  return Unit{};
}

}  // namespace

Result<std::vector<std::string>> create_objects(mysql::Session& source, mysql::Session& target,
                                                const std::vector<Route>& routes, ObjectKind kind) {
  const TargetNames names(routes);
  ObjectCopy copy(source, target, names, kind);
  Status done = copy.run();
  if (!done.ok()) return done.error().within(fmt::format("create {}s", word_for(kind)));
  return copy.take_warnings();
}

}  // namespace wherry::copy
