#include "control/preflight.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

#include "control/filter_rules.h"
#include "control/merge_rules.h"
#include "control/preflight_rules.h"
#include "control/rename_rule.h"
#include "control/server_view.h"
#include "control/servers_check.h"
#include "copy/definitions.h"
#include "mysql/schema_reader.h"
#include "support/pattern.h"

namespace wherry::control {
namespace {

using mysql::Session;

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

Result<std::vector<Pattern>> parse_patterns(const std::vector<std::string>& texts) {
  std::vector<Pattern> patterns;
  for (const std::string& text : texts) {
    Result<Pattern> pattern = Pattern::parse(text);
    if (!pattern.ok()) return pattern.error();
    patterns.push_back(std::move(pattern).value());
  }
  return patterns;
}

NameCase name_case(const ServerView& view) {
  return view.number("lower_case_table_names") == 0 ? NameCase::exact : NameCase::ignored;
}

// A pattern that selects nothing is most often a slip of the pen.
Result<std::vector<Finding>> idle_patterns(const ServerView& view, const std::vector<Table>& tables,
                                           const CopyOptions& options) {
  const Result<std::vector<Pattern>> includes = parse_patterns(options.include);
  if (!includes.ok()) return includes.error();
  std::vector<Finding> findings;
  for (const Pattern& pattern : includes.value()) {
    bool used = pattern.negated();
    for (const Table& table : tables) {
      used = used || pattern.matches(table.name.database, table.name.table, name_case(view));
    }
    if (used) continue;
    findings.push_back({Severity::warning, "source",
                        fmt::format("--include {} selects no table", pattern.text()), ""});
  }
  return findings;
}

Result<std::vector<Finding>> look_at_source(Session& session, const ServerView& view,
                                            const std::vector<Table>& tables,
                                            const CopyOptions& options) {
  const Result<SourceObjects> objects = view_source_objects(session, tables);
  if (!objects.ok()) return objects.error().within("source");
  std::vector<Finding> findings = judge_source(view, objects.value(), tables, options);
  Result<std::vector<Finding>> idle = idle_patterns(view, tables, options);
  if (!idle.ok()) return idle.error();
  append(findings, std::move(idle).value());
  append(findings, merge_findings(tables, options));
  const Result<dispatch::FilterRules> filters = make_filters(session, options);
  if (!filters.ok()) return filters.error();
  append(findings, filter_findings(filters.value(), tables));
  return findings;
}

Result<std::vector<Finding>> look_at_target(Session& session, const ServerView& view,
                                            const std::vector<Table>& tables,
                                            const CopyOptions& options) {
  std::set<std::string> databases;
  for (const Table& table : tables) databases.insert(renamed(options.rename, table.name).database);
  const Result<TargetObjects> objects = view_target_objects(session, databases);
  if (!objects.ok()) return objects.error().within("target");
  return judge_target(view, objects.value(), tables, options);
}

Result<std::unique_ptr<Session>> open(const Endpoint& endpoint, std::string_view side) {
  Result<std::unique_ptr<Session>> session = Session::open(endpoint, {});
  if (!session.ok()) return session.error().within(side);
  return session;
}

Result<std::vector<Finding>> check_source_alone(const CopyOptions& options) {
  Result<std::unique_ptr<Session>> session = open(options.source, "source");
  if (!session.ok()) return session.error();
  const Result<std::vector<Table>> tables = selected_tables(*session.value(), options);
  if (!tables.ok()) return tables.error().within("source");
  const Result<ServerView> view = view_server(*session.value());
  if (!view.ok()) return view.error().within("source");
  return look_at_source(*session.value(), view.value(), tables.value(), options);
}

Result<std::vector<Finding>> check_target_alone(const CopyOptions& options) {
  Result<std::unique_ptr<Session>> session = open(options.target, "target");
  if (!session.ok()) return session.error();
  const Result<ServerView> view = view_server(*session.value());
  if (!view.ok()) return view.error().within("target");
  return look_at_target(*session.value(), view.value(), {}, options);
}

// A copy that begins looks at them when it makes its tables. One that is resumed must not: the
// source may have changed a default that the stream has yet to bring.
Result<std::vector<Finding>> look_at_databases(Session& source, Session& target,
                                               const std::vector<Table>& tables,
                                               const CopyOptions& options) {
  std::vector<copy::Route> routes;
  routes.reserve(tables.size());
  for (const Table& table : tables)
    routes.push_back({table.name, renamed(options.rename, table.name)});
  copy::DefinitionOptions definitions;
  definitions.collation_map = options.collation_map;
  const Result<std::vector<std::string>> refusals =
      copy::refused_databases(source, target, routes, definitions);
  if (!refusals.ok()) return refusals.error();
  std::vector<Finding> findings;
  for (const std::string& refusal : refusals.value())
    findings.push_back({Severity::refusal, "target", refusal, ""});
  return findings;
}

Result<std::vector<Finding>> check_both(const CopyOptions& options) {
  Result<std::unique_ptr<Session>> source = open(options.source, "source");
  if (!source.ok()) return source.error();
  Result<std::unique_ptr<Session>> target = open(options.target, "target");
  if (!target.ok()) return target.error();
  const Result<std::vector<Table>> tables = selected_tables(*source.value(), options);
  if (!tables.ok()) return tables.error().within("source");
  Result<std::vector<Finding>> findings =
      preflight(*source.value(), *target.value(), tables.value(), options);
  if (!findings.ok() || options.resume) return findings;
  Result<std::vector<Finding>> databases =
      look_at_databases(*source.value(), *target.value(), tables.value(), options);
  if (!databases.ok()) return databases;
  append(findings.value(), std::move(databases).value());
  return findings;
}

}  // namespace

Result<std::vector<Finding>> preflight(Session& source, Session& target,
                                       const std::vector<Table>& tables,
                                       const CopyOptions& options) {
  const Result<ServerView> from = view_server(source);
  if (!from.ok()) return from.error().within("source");
  const Result<ServerView> to = view_server(target);
  if (!to.ok()) return to.error().within("target");

  Result<std::vector<Finding>> findings = look_at_source(source, from.value(), tables, options);
  if (!findings.ok()) return findings.error();
  Result<std::vector<Finding>> more = look_at_target(target, to.value(), tables, options);
  if (!more.ok()) return more.error();
  append(findings.value(), std::move(more).value());
  append(findings.value(), judge_pair(from.value(), to.value(), tables, options));

  const Result<bool> same = is_same_server(source, target);
  if (!same.ok()) return same.error();
  const bool known = from.value().facts.server_uuid == to.value().facts.server_uuid;
  if (same.value() && !known) {
    findings.value().push_back({Severity::refusal, "target",
                                "it is the source itself, by another address or account",
                                "name another server"});
  }
  sort_findings(findings.value());
  return findings;
}

Result<Selection> parse_selection(const std::vector<std::string>& include,
                                  const std::vector<std::string>& exclude, NameCase name_case) {
  Result<std::vector<Pattern>> includes = parse_patterns(include);
  if (!includes.ok()) return includes.error().within("--include");
  Result<std::vector<Pattern>> excludes = parse_patterns(exclude);
  if (!excludes.ok()) return excludes.error().within("--exclude");
  return Selection(std::move(includes).value(), std::move(excludes).value(), name_case);
}

Result<Selection> make_selection(Session& source, const CopyOptions& options) {
  const Result<mysql::Rows> rows = source.query("SELECT @@lower_case_table_names");
  if (!rows.ok()) return rows.error();
  const bool exact = rows.value().rows.at(0)[0].value_or("0") == "0";
  return parse_selection(options.include, options.exclude,
                         exact ? NameCase::exact : NameCase::ignored);
}

Result<std::vector<Table>> selected_tables(Session& source, const CopyOptions& options) {
  const Result<Selection> selection = make_selection(source, options);
  if (!selection.ok()) return selection.error();
  return mysql::read_tables(source, [&](const TableName& name) {
    return name.database != options.meta_database &&
           selection.value().holds(name.database, name.table);
  });
}

Result<std::vector<Finding>> check_servers(const CopyOptions& options) {
  Result<std::vector<Finding>> findings = options.target_uri.empty()   ? check_source_alone(options)
                                          : options.source_uri.empty() ? check_target_alone(options)
                                                                       : check_both(options);
  if (findings.ok()) sort_findings(findings.value());
  return findings;
}

}  // namespace wherry::control
