#include "sink/mysql/row_line.h"

#include <algorithm>
#include <cstdio>

#include "decode/value.h"
#include "sink/mysql/cell_sql.h"
#include "sql/literal.h"

namespace wherry::sink {

using dispatch::ResolvedTable;

namespace {

constexpr std::size_t kHeldBytes = 64 << 10;  // smaller values are encoded beforehand

// The value where it stands in the event, if it is a large one that is sent as these bytes.
std::string_view large_text(const ResolvedTable& table, const decode::Cell* image,
                            std::size_t column) {
  const std::size_t wire = table.wire_of[column];
  if (wire == ResolvedTable::kNoWire) return {};
  const decode::Cell& cell = image[wire];
  if (!cell.present || cell.null || cell.partial_json || cell.size < kHeldBytes) return {};
  return decode::raw_text(table.map.columns[wire], cell).value_or(std::string_view());
}

}  // namespace

std::size_t row_bytes(const ResolvedTable& table, const decode::Cell* image) {
  std::size_t bytes = 0;
  for (const std::size_t column : table.plan->writable) {
    const std::size_t wire = table.wire_of[column];
    if (wire != ResolvedTable::kNoWire && image[wire].present) bytes += image[wire].size;
  }
  return bytes;
}

Result<RowLine> RowLine::make(const ResolvedTable& table, const decode::Cell* image) {
  RowLine line;
  std::string scratch;
  line.pieces_.emplace_back();
  for (const std::size_t column : table.plan->writable) {
    if (column != table.plan->writable.front()) line.pieces_.back().text += '\t';
    if (const std::string_view raw = large_text(table, image, column); !raw.empty()) {
      line.pieces_.back().raw = raw;
      line.pieces_.emplace_back();
      continue;
    }
    Status done = append_cell_field(line.pieces_.back().text, table, image, column, scratch);
    if (!done.ok()) return done.error();
  }
  line.pieces_.back().text += '\n';
  return line;
}

std::size_t RowLine::read(char* buffer, std::size_t size) {
  std::size_t filled = 0;
  while (piece_ < pieces_.size()) {
    const Piece& piece = pieces_[piece_];
    if (at_ < piece.text.size()) {
      const std::size_t count = piece.text.copy(buffer + filled, size - filled, at_);
      filled += count;
      at_ += count;
    }
    const std::size_t from = at_ - std::min(at_, piece.text.size());
    if (at_ < piece.text.size()) return filled;
    const std::size_t taken =
        sql::escape_field(piece.raw.substr(from), {buffer + filled, size - filled}, filled);
    at_ += taken;
    if (from + taken < piece.raw.size()) return filled;
    ++piece_;
    at_ = 0;
  }
  return filled;
}

LoadCounts load_counts(const std::string& info) {
  LoadCounts out;
  std::sscanf(info.c_str(), "Records: %llu Deleted: %llu Skipped: %llu Warnings: %llu",
              &out.records, &out.deleted, &out.skipped, &out.warnings);
  return out;
}

}  // namespace wherry::sink
