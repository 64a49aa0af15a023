#include "dispatch/resolve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace wherry::dispatch {
namespace {

// Whether a wire type can carry a column of the class; catches a schema that is not the event's.
bool fits(const ColumnShape& shape, const Column& column) {
  switch (shape.type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
      return column.kind == ColumnClass::integer;
    case WireType::float_:
    case WireType::double_:
      return column.kind == ColumnClass::floating;
    case WireType::decimal:
    case WireType::newdecimal:
      return column.kind == ColumnClass::decimal;
    case WireType::bit:
      return column.kind == ColumnClass::bit;
    case WireType::year:
      return column.kind == ColumnClass::year;
    case WireType::date:
    case WireType::newdate:
      return column.kind == ColumnClass::date;
    case WireType::time:
    case WireType::time2:
      return column.kind == ColumnClass::time;
    case WireType::datetime:
    case WireType::datetime2:
      return column.kind == ColumnClass::datetime;
    case WireType::timestamp:
    case WireType::timestamp2:
      return column.kind == ColumnClass::timestamp;
    case WireType::json:
      return column.kind == ColumnClass::json;
    case WireType::geometry:
      return column.kind == ColumnClass::geometry;
    default:
      return column.kind != ColumnClass::integer && column.kind != ColumnClass::floating &&
             column.kind != ColumnClass::decimal && column.kind != ColumnClass::json;
  }
}

void complete(ColumnShape& shape, const Column& column, bool has_signedness) {
  if (!has_signedness) shape.is_unsigned = column.is_unsigned;
  shape.fixed_binary = column.kind == ColumnClass::binary && column.data_type == "binary";
  // MariaDB with mysql56_temporal_format=OFF leaves the digits of old temporal columns out.
  const bool old_temporal = shape.type == WireType::time || shape.type == WireType::datetime ||
                            shape.type == WireType::timestamp;
  if (old_temporal) shape.meta = column.fraction;
  if (column.kind == ColumnClass::uuid) shape.flavor = WireFlavor::uuid;
  if (column.kind == ColumnClass::inet4) shape.flavor = WireFlavor::inet4;
  if (column.kind == ColumnClass::inet6) shape.flavor = WireFlavor::inet6;
}

Error contradiction(const TablePlan& plan, std::string_view what) {
  return {Errc::conflict,
          fmt::format("row events of {} do not fit its definition: {}",
                      plan.source.name.to_string(), what),
          0};
}

// Which schema columns the events carry, in order.
Result<std::vector<std::size_t>> columns_of(const decode::TableMap& map, const TablePlan& plan) {
  const std::vector<Column>& columns = plan.source.columns;
  std::vector<std::size_t> order;
  if (!map.names.empty()) {
    for (const std::string& name : map.names) {
      const auto found = plan.source.find_column(name);
      if (!found)
        return contradiction(plan, fmt::format("column `{}` is not in the definition", name));
      order.push_back(*found);
    }
    return order;
  }
  // Without names: all columns, or all but virtual ones.
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (map.columns.size() == columns.size() || !columns[i].generated || columns[i].stored)
      order.push_back(i);
  }
  if (order.size() != map.columns.size()) {
    return contradiction(plan, fmt::format("{} columns in the event, {} in the definition",
                                           map.columns.size(), columns.size()));
  }
  return order;
}

}  // namespace

Result<ResolvedPtr> resolve(decode::TableMap map, PlanPtr plan) {
  Result<std::vector<std::size_t>> order = columns_of(map, *plan);
  if (!order.ok()) return order.error();
  auto resolved = std::make_shared<ResolvedTable>();
  resolved->wire_of.assign(plan->source.columns.size(), ResolvedTable::kNoWire);
  for (std::size_t wire = 0; wire < map.columns.size(); ++wire) {
    const std::size_t at = order.value()[wire];
    const Column& column = plan->source.columns[at];
    if (!fits(map.columns[wire], column)) {
      return contradiction(
          *plan,
          fmt::format("column `{}` is {} in the definition and type {} in the event", column.name,
                      column.type, static_cast<unsigned>(map.columns[wire].type)));
    }
    complete(map.columns[wire], column, map.has_signedness);
    resolved->wire_of[at] = wire;
  }
  resolved->map = std::move(map);
  resolved->plan = std::move(plan);
  return ResolvedPtr(std::move(resolved));
}

Result<ResolvedPtr> Resolver::table_map(Bytes body, const decode::FormatDescription& format) {
  if (const std::uint64_t version = catalog_.version(); version != catalog_version_) {
    by_id_.clear();
    catalog_version_ = version;
  }
  constexpr std::size_t kTableIdSize = 6;
  if (body.size() < kTableIdSize) return Error{Errc::truncated, "table map event", 0};
  Entry& entry = by_id_[load_le(body.data(), kTableIdSize)];
  if (entry.body.size() == body.size() &&
      std::memcmp(entry.body.data(), body.data(), body.size()) == 0)
    return entry.table;
  Result<decode::TableMap> map = decode::decode_table_map(body, format);
  if (!map.ok()) return map.error();
  PlanPtr plan = catalog_.find(map.value().database, map.value().table);
  ResolvedPtr table;
  if (plan != nullptr) {
    Result<ResolvedPtr> resolved = resolve(std::move(map).value(), std::move(plan));
    if (!resolved.ok()) return resolved.error();
    table = std::move(resolved).value();
  }
  entry.body.assign(body.begin(), body.end());
  entry.table = table;
  return table;
}

}  // namespace wherry::dispatch
