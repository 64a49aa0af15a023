#include "dispatch/change_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "decode/value.h"

namespace wherry::dispatch {
namespace {

using decode::RowKind;

bool whole(const std::vector<decode::Cell>& image) {
  return std::all_of(image.begin(), image.end(),
                     [](const decode::Cell& cell) { return cell.present && !cell.partial_json; });
}

// The value of a cell; text is where it is made.
Result<sql::ConditionValue> value_of(const ColumnShape& shape, const decode::Cell& cell,
                                     std::string& text) {
  if (cell.null) return sql::ConditionValue{{}, true};
  if (cell.partial_json) return sql::ConditionValue{};  // there, whatever it is
  if (const auto raw = decode::raw_text(shape, cell)) return sql::ConditionValue{*raw, false};
  text.clear();
  if (Status done = decode::append_text(shape, cell, text); !done.ok()) return done.error();
  return sql::ConditionValue{text, false};
}

}  // namespace

Result<ChangeFilterPtr> ChangeFilter::bind(const TableName& table, const WantedChanges& wanted,
                                           std::span<const sql::ConditionColumn> columns) {
  std::shared_ptr<ChangeFilter> filter(new ChangeFilter(table, wanted));
  for (const sql::Condition& condition : wanted.keep) {
    Result<sql::BoundCondition> bound = condition.bind(columns);
    if (!bound.ok()) return bound.error().within("where, table " + table.to_string());
    std::vector<std::size_t> values;
    for (const std::size_t column : bound.value().columns()) {
      std::vector<std::size_t>& all = filter->columns_;
      const auto found = std::find(all.begin(), all.end(), column);
      values.push_back(static_cast<std::size_t>(found - all.begin()));
      if (found != all.end()) continue;
      all.push_back(column);
      filter->names_.push_back(columns[column].column.name);
    }
    filter->bound_.push_back({std::move(bound).value(), std::move(values)});
  }
  return ChangeFilterPtr(std::move(filter));
}

bool ChangeFilter::wants(RowKind kind) const {
  switch (kind) {
    case RowKind::insert:
      return wanted_.inserts;
    case RowKind::update:
      return wanted_.updates;
    case RowKind::erase:
      return wanted_.erases;
  }
  return true;
}

Result<bool> ChangeFilter::keeps(std::span<const sql::ConditionValue> values) const {
  thread_local std::vector<sql::ConditionValue> own;
  for (const Bound& one : bound_) {
    own.clear();
    for (const std::size_t at : one.values) own.push_back(values[at]);
    Result<sql::Truth> truth = one.condition.evaluate(own);
    if (!truth.ok()) return truth.error().within("where, table " + table_.to_string());
    if (truth.value() != sql::Truth::yes) return false;
  }
  return true;
}

// before: of an after image, which may leave out what did not change.
Result<bool> ChangeFilter::keeps_image(const Wire& wire, const std::vector<decode::Cell>& image,
                                       const std::vector<decode::Cell>* before) const {
  thread_local std::vector<sql::ConditionValue> values;
  thread_local std::vector<std::string> texts;
  if (texts.size() < columns_.size()) texts.resize(columns_.size());
  values.clear();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t at = wire.wire_of.empty() ? columns_[i] : wire.wire_of[columns_[i]];
    const decode::Cell* cell = at < image.size() ? &image[at] : nullptr;
    if (cell != nullptr && !cell->present && before != nullptr) cell = &(*before)[at];
    if (cell == nullptr || !cell->present) {
      return Error{Errc::unsupported,
                   fmt::format("where, table {}: a row event does not carry column `{}`, which "
                               "decides whether the row is kept; a session of the source wrote it "
                               "with binlog_row_image other than FULL",
                               table_.to_string(), names_[i]),
                   0};
    }
    Result<sql::ConditionValue> value = value_of(wire.map.columns[at], *cell, texts[i]);
    if (!value.ok()) return value.error().within(table_.to_string() + "." + names_[i]);
    values.push_back(value.value());
  }
  return keeps(values);
}

Result<std::optional<RowKind>> ChangeFilter::judge(const Wire& wire, RowKind kind,
                                                   const decode::RowView& row) const {
  const auto if_wanted = [this](RowKind of) {
    return wants(of) ? std::optional<RowKind>(of) : std::nullopt;
  };
  if (bound_.empty()) return if_wanted(kind);
  bool before = false;
  bool after = false;
  if (kind != RowKind::insert) {
    Result<bool> kept = keeps_image(wire, row.before, nullptr);
    if (!kept.ok()) return kept.error();
    before = kept.value();
  }
  if (kind != RowKind::erase) {
    const bool has_before = kind == RowKind::update;
    Result<bool> kept = keeps_image(wire, row.after, has_before ? &row.before : nullptr);
    if (!kept.ok()) return kept.error();
    after = kept.value();
  }
  if (!before && !after) return std::optional<RowKind>();
  if (before && after) return if_wanted(RowKind::update);
  if (before) return if_wanted(RowKind::erase);
  if (kind == RowKind::update && !whole(row.after)) {
    return Error{Errc::unsupported,
                 fmt::format("where, table {}: an update makes a row one that is kept, and its row "
                             "event does not carry the whole row; a session of the source wrote it "
                             "with binlog_row_image other than FULL, or with partial JSON",
                             table_.to_string()),
                 0};
  }
  return if_wanted(RowKind::insert);
}

WantedChanges FilterRules::wanted_of(const TableName& table) const {
  WantedChanges wanted;
  for (const Kinds& one : kinds) {
    if (!one.tables.matches(table.database, table.table, name_case)) continue;
    wanted.inserts &= one.inserts;
    wanted.updates &= one.updates;
    wanted.erases &= one.erases;
  }
  if (!wanted.every_kind()) wanted.text = "skip";
  if (!wanted.inserts) wanted.text += " insert";
  if (!wanted.updates) wanted.text += " update";
  if (!wanted.erases) wanted.text += " delete";
  for (const Keep& one : keeps) {
    if (!one.tables.matches(table.database, table.table, name_case)) continue;
    wanted.keep.push_back(one.condition);
    wanted.condition += fmt::format("{}({})", wanted.condition.empty() ? "" : " AND ", one.text);
    wanted.text += fmt::format("{}where {}", wanted.text.empty() ? "" : "; ", one.text);
  }
  return wanted;
}

Result<ChangeFilterPtr> FilterRules::filter_of(
    const TableName& table, std::span<const sql::ConditionColumn> columns) const {
  const WantedChanges wanted = wanted_of(table);
  if (wanted.everything()) return ChangeFilterPtr();
  return ChangeFilter::bind(table, wanted, columns);
}

Result<ChangeFilterPtr> FilterRules::filter_of(const Table& table) const {
  if (empty()) return ChangeFilterPtr();
  return filter_of(table.name, sql::condition_columns(table));
}

}  // namespace wherry::dispatch
