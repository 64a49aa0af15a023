#include "copy/chunk_rows.h"

#include "sql/literal.h"

namespace wherry::copy {

void ChunkRows::add(dispatch::Chunk& chunk, const mysql::FieldView* fields) {
  chunk.starts.push_back(chunk.lines.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool null = fields[i].data == nullptr;
    values_[columns_[i]] = {null ? std::string_view() : fields[i].text(), null, false};
    if (i >= plan_.writable.size()) continue;
    if (i > 0) chunk.lines += '\t';
    if (null) {
      sql::append_null_field(chunk.lines);
    } else {
      sql::append_field(chunk.lines, fields[i].text());
    }
  }
  chunk.lines += '\n';
  ++chunk.rows;
  if (plan_.keyless()) return;
  chunk.identities.push_back(dispatch::KeyReader::identity(plan_, values_));
  last_.resize(plan_.key.size());
  for (std::size_t i = 0; i < plan_.key.size(); ++i) last_[i] = values_[plan_.key[i]].text;
  if (chunk.opaque) return;
  conflicts_.values.clear();
  conflicts_.opaque = false;
  dispatch::KeyReader::add_conflicts(plan_, values_, conflicts_);
  chunk.opaque = conflicts_.opaque;
  chunk.conflicts.insert(chunk.conflicts.end(), conflicts_.values.begin(), conflicts_.values.end());
}

}  // namespace wherry::copy
