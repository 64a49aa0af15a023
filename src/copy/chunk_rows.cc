#include "copy/chunk_rows.h"

#include "sql/literal.h"

namespace wherry::copy {

Status ChunkRows::add(dispatch::Chunk& chunk, const mysql::FieldView* fields) {
  if (plan_.filter != nullptr) {
    for (std::size_t i = 0; i < columns_.size(); ++i) note(columns_[i], fields[i]);
    const Result<bool> kept = is_kept();
    if (!kept.ok()) return kept.error();
    if (!kept.value()) {
      ++chunk.filtered;
      note_key();
      return Unit{};
    }
  }
  put(chunk, fields);
  return Unit{};
}

void ChunkRows::note(std::size_t column, const mysql::FieldView& field) {
  const bool null = field.data == nullptr;
  values_[column] = {null ? std::string_view() : field.text(), null, false};
}

// The columns that conditions read are never generated ones, so all of them were selected.
Result<bool> ChunkRows::is_kept() const {
  thread_local std::vector<sql::ConditionValue> values;
  values.clear();
  for (const std::size_t column : plan_.filter->columns())
    values.push_back({values_[column].text, values_[column].null});
  return plan_.filter->keeps(values);
}

void ChunkRows::note_key() {
  last_.resize(plan_.key.size());
  for (std::size_t i = 0; i < plan_.key.size(); ++i) last_[i] = values_[plan_.key[i]].text;
}

void ChunkRows::put(dispatch::Chunk& chunk, const mysql::FieldView* fields) {
  chunk.starts.push_back(chunk.lines.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    note(columns_[i], fields[i]);
    if (i >= plan_.writable.size()) continue;
    if (i > 0) chunk.lines += '\t';
    if (fields[i].data == nullptr) {
      sql::append_null_field(chunk.lines);
    } else {
      sql::append_field(chunk.lines, fields[i].text());
    }
  }
  chunk.lines += '\n';
  ++chunk.rows;
  if (plan_.keyless()) return;
  note_key();
  chunk.identities.push_back(dispatch::KeyReader::identity(plan_, values_));
  if (chunk.opaque) return;
  conflicts_.values.clear();
  conflicts_.opaque = false;
  dispatch::KeyReader::add_conflicts(plan_, values_, conflicts_);
  chunk.opaque = conflicts_.opaque;
  chunk.conflicts.insert(chunk.conflicts.end(), conflicts_.values.begin(), conflicts_.values.end());
}

}  // namespace wherry::copy
