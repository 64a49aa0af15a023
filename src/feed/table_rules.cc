#include "feed/table_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace wherry::feed {
namespace {

Error usage(std::string what) { return {Errc::usage, std::move(what), 0}; }

// The halves around the last "=", which no table name that needs no quoting has.
std::optional<std::pair<std::string_view, std::string_view>> halves(std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

// A type whose width the table map of MariaDB does not tell.
bool is_old_temporal(WireType type) {
  return type == WireType::time || type == WireType::datetime || type == WireType::timestamp;
}

}  // namespace

Result<Rename> parse_rename(std::string_view text) {
  const auto parts = halves(text);
  if (!parts)
    return usage(fmt::format("'{}': a rename is 'db.table=db2.table2' or 'db=db2'", text));
  Result<Pattern> from = Pattern::parse(parts->first);
  if (!from.ok()) return from.error();
  const std::string_view to = parts->second;
  const std::size_t dot = to.find('.');
  if (to.find_first_of("*?") != std::string_view::npos || dot == 0 || dot + 1 == to.size())
    return usage(fmt::format("'{}': what a table is renamed to has no wildcards", text));
  const bool whole = dot == std::string_view::npos;
  if (whole && !from.value().all_tables())
    return usage(fmt::format("'{}': a table is renamed to 'db2.table2'", text));
  return Rename{std::move(from).value(), std::string(to.substr(0, dot)),
                whole ? "" : std::string(to.substr(dot + 1))};
}

Result<std::pair<std::string, StatementPolicy>> parse_statement_policy(std::string_view text) {
  const auto parts = halves(text);
  if (!parts) return usage(fmt::format("'{}': a policy is 'kind=apply|skip|stop'", text));
  const auto all = sql::kinds();
  const auto known = std::find_if(
      all.begin(), all.end(), [&](const sql::KindRow& row) { return row.name == parts->first; });
  if (known == all.end() || known->policy != sql::Policy::apply)
    return usage(fmt::format("'{}' is no kind of statement that a feed can apply", parts->first));
  StatementPolicy policy = StatementPolicy::apply;
  if (parts->second == "skip") {
    policy = StatementPolicy::skip;
  } else if (parts->second == "stop") {
    policy = StatementPolicy::stop;
  } else if (parts->second != "apply") {
    return usage(fmt::format("'{}': a policy is apply, skip or stop", text));
  }
  return std::pair{std::string(parts->first), policy};
}

bool TableRules::follows(const TableName& source) const {
  return selection.holds(source.database, source.table);
}

TableName TableRules::target_of(const TableName& source) const {
  for (const Rename& rename : renames) {
    if (!rename.from.matches(source.database, source.table, name_case)) continue;
    return {rename.database, rename.table.empty() ? source.table : rename.table};
  }
  return source;
}

StatementPolicy TableRules::policy_of(sql::Kind kind) const {
  const auto found = statements.find(std::string(sql::to_string(kind)));
  return found == statements.end() ? StatementPolicy::apply : found->second;
}

Status RowTables::table_map(Bytes body, std::shared_ptr<const decode::FormatDescription> format) {
  constexpr std::size_t kTableIdSize = 6;
  if (body.size() < kTableIdSize) return Error{Errc::truncated, "table map event", 0};
  Entry& entry = by_id_[load_le(body.data(), kTableIdSize)];
  if (entry.format == format && entry.body.size() == body.size() &&
      std::memcmp(entry.body.data(), body.data(), body.size()) == 0)
    return Unit{};
  Result<dispatch::RowTablePtr> table = make(body, format);
  if (!table.ok()) return table.error();
  entry.body.assign(body.begin(), body.end());
  entry.format = std::move(format);
  entry.table = std::move(table).value();
  return Unit{};
}

Result<dispatch::RowTablePtr> RowTables::make(
    Bytes body, std::shared_ptr<const decode::FormatDescription> format) const {
  Result<decode::TableMap> map = decode::decode_table_map(body, *format);
  if (!map.ok()) return map.error();
  const TableName source{map.value().database, map.value().table};
  if (!rules_.follows(source)) return dispatch::RowTablePtr();
  auto table = std::make_shared<dispatch::RowTable>();
  table->target = rules_.target_of(source);
  if (only_ && table->target != *only_) return dispatch::RowTablePtr();
  if (map.value().names.size() != map.value().columns.size()) {
    return Error{Errc::unsupported,
                 fmt::format("row events of {} do not name their columns; set "
                             "binlog_row_metadata=FULL at the source",
                             source.to_string()),
                 0};
  }
  for (std::size_t i = 0; i < map.value().columns.size(); ++i) {
    if (format->dialect != Dialect::mariadb || !is_old_temporal(map.value().columns[i].type))
      continue;
    return Error{
        Errc::unsupported,
        fmt::format("column `{}` of {} is kept in the old temporal format, which row events "
                    "do not describe; set mysql56_temporal_format=ON at the source and run "
                    "ALTER TABLE ... FORCE",
                    map.value().names[i], source.to_string()),
        0};
  }
  if (!rules_.filters.empty()) {
    const std::vector<sql::ConditionColumn> columns =
        map_columns(map.value(), rules_.collations, format->dialect);
    Result<dispatch::ChangeFilterPtr> filter = rules_.filters.filter_of(source, columns);
    if (!filter.ok()) return filter.error();
    table->filter = std::move(filter).value();
    table->filtered = rules_.filtered;
  }
  table->source = source;
  table->map = std::move(map).value();
  table->format = std::move(format);
  return dispatch::RowTablePtr(std::move(table));
}

Result<dispatch::RowTablePtr> RowTables::find(std::uint64_t table_id) const {
  const auto found = by_id_.find(table_id);
  if (found == by_id_.end()) return Error{Errc::malformed, "a row event without its table map", 0};
  return found->second.table;
}

}  // namespace wherry::feed
