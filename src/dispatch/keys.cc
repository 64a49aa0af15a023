#include "dispatch/keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "decode/value.h"
#include "support/ascii.h"

namespace wherry::dispatch {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Collations under which printable ASCII text differs only by letter case: no contractions, no
// ignorable characters, no sequences that equal others within that range.
bool folds_only_case(std::string_view collation) {
  constexpr std::array<std::string_view, 13> kSimple = {
      "_general_ci",    "_unicode_ci",       "_unicode_520_ci",  "_0900_ai_ci",    "_0900_as_ci",
      "_0900_as_cs",    "_general_nopad_ci", "_swedish_ci",      "_uca1400_ai_ci", "_uca1400_as_ci",
      "_uca1400_as_cs", "_general_cs",       "_swedish_nopad_ci"};
  return std::any_of(kSimple.begin(), kSimple.end(),
                     [&](std::string_view end) { return ends_with(collation, end); });
}

bool wide_charset(std::string_view charset) {
  return charset == "ucs2" || charset == "utf16" || charset == "utf16le" || charset == "utf32";
}

void append_part(std::string& out, std::string_view text) {
  const std::uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

// The conflict value of one unique key over values fetched by column; empty: NULL, cannot clash.
template <typename Fetch>
std::optional<std::uint64_t> conflict_of(const TablePlan& plan, std::size_t unique,
                                         const Fetch& fetch, bool& opaque) {
  const UniqueKey& key = plan.uniques[unique];
  if (key.opaque) {
    opaque = true;
    return std::nullopt;
  }
  thread_local std::string buffer;
  buffer.clear();
  for (const IndexPart& part : key.parts) {
    const KeyValue value = fetch(part.column);
    if (value.missing) {
      opaque = true;
      return std::nullopt;
    }
    if (value.null) return std::nullopt;
    if (!append_comparable(buffer, plan.source.columns[part.column], value.text,
                           part.prefix_length)) {
      opaque = true;
      return std::nullopt;
    }
  }
  return hash64(buffer, (std::uint64_t{plan.space} << 16) + unique + 1);
}

}  // namespace

bool append_comparable(std::string& out, const Column& column, std::string_view text,
                       std::uint32_t prefix_length) {
  if (column.kind == ColumnClass::floating) {
    // -0 and 0 are equal to the server.
    append_part(out, text == "-0" ? std::string_view("0") : text);
    return true;
  }
  const bool is_text = column.kind == ColumnClass::text;
  if (!is_text) {
    // A prefix of a binary string counts bytes.
    append_part(out, prefix_length != 0 ? text.substr(0, prefix_length) : text);
    return true;
  }
  const bool binary_collation = ends_with(column.collation, "_bin");
  if (!binary_collation) {
    if (wide_charset(column.charset) || !folds_only_case(column.collation)) return false;
    for (const char c : text) {
      if (c < 0x20 || c > 0x7E) return false;
    }
  }
  // N bytes of a text are never more than its first N characters, so equal prefixes stay equal.
  if (prefix_length != 0) text = text.substr(0, prefix_length);
  // Most collations compare as if padded with blanks; taking all that way only adds conflicts.
  if (!wide_charset(column.charset)) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  }
  const std::uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  if (binary_collation) {
    out += text;
  } else {
    for (const char c : text) out += ascii::lower(c);
  }
  return true;
}

Result<KeyValue> KeyReader::value(const ResolvedTable& table,
                                  const std::vector<decode::Cell>& image, std::size_t column) {
  const std::size_t wire = table.wire_of[column];
  if (wire == ResolvedTable::kNoWire || wire >= image.size() || !image[wire].present ||
      image[wire].partial_json) {
    return KeyValue{{}, false, true};
  }
  const decode::Cell& cell = image[wire];
  if (cell.null) return KeyValue{{}, true, false};
  const ColumnShape& shape = table.map.columns[wire];
  if (const auto raw = decode::raw_text(shape, cell)) return KeyValue{*raw, false, false};
  if (texts_.size() <= column) texts_.resize(column + 1);
  std::string& text = texts_[column];
  text.clear();
  Status done = decode::append_text(shape, cell, text);
  if (!done.ok()) return done.error();
  return KeyValue{text, false, false};
}

Result<std::span<const KeyValue>> KeyReader::key(const ResolvedTable& table,
                                                 const std::vector<decode::Cell>& image) {
  const TablePlan& plan = *table.plan;
  // The texts must not move while views of them are out.
  if (texts_.size() < plan.source.columns.size()) texts_.resize(plan.source.columns.size());
  values_.clear();
  for (const std::size_t column : plan.key) {
    Result<KeyValue> next = value(table, image, column);
    if (!next.ok()) return next.error();
    if (next.value().missing) {
      return Error{Errc::unsupported,
                   fmt::format("a row event of {} does not carry the key column `{}`",
                               plan.source.name.to_string(), plan.source.columns[column].name),
                   0};
    }
    values_.push_back(next.value());
  }
  return std::span<const KeyValue>(values_);
}

Result<Hash128> KeyReader::identity(const ResolvedTable& table,
                                    const std::vector<decode::Cell>& image) {
  Result<std::span<const KeyValue>> values = key(table, image);
  if (!values.ok()) return values.error();
  thread_local std::string buffer;
  buffer.clear();
  for (const KeyValue& part : values.value()) append_part(buffer, part.text);
  return hash128(buffer, table.plan->id);
}

Status KeyReader::add_conflicts(const ResolvedTable& table, const std::vector<decode::Cell>& image,
                                Conflicts& into) {
  const TablePlan& plan = *table.plan;
  if (texts_.size() < plan.source.columns.size()) texts_.resize(plan.source.columns.size());
  Status failed = Unit{};
  const auto fetch = [&](std::size_t column) -> KeyValue {
    Result<KeyValue> next = value(table, image, column);
    if (next.ok()) return next.value();
    failed = next.error();
    return KeyValue{{}, false, true};
  };
  for (std::size_t i = 0; i < plan.uniques.size(); ++i) {
    if (const auto hash = conflict_of(plan, i, fetch, into.opaque)) into.values.push_back(*hash);
  }
  return failed;
}

Hash128 KeyReader::identity(const TablePlan& plan, std::span<const KeyValue> by_column) {
  thread_local std::string buffer;
  buffer.clear();
  for (const std::size_t column : plan.key) append_part(buffer, by_column[column].text);
  return hash128(buffer, plan.id);
}

void KeyReader::add_conflicts(const TablePlan& plan, std::span<const KeyValue> by_column,
                              Conflicts& into) {
  const auto fetch = [&](std::size_t column) { return by_column[column]; };
  for (std::size_t i = 0; i < plan.uniques.size(); ++i) {
    if (const auto hash = conflict_of(plan, i, fetch, into.opaque)) into.values.push_back(*hash);
  }
}

}  // namespace wherry::dispatch
