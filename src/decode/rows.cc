#include "decode/rows.h"

#include <bit>

#include "decode/cell_walk.h"
#include "decode/inflate.h"

namespace wherry::decode {
namespace {

struct RowsType {
  RowKind kind = RowKind::insert;
  bool second_version = false;
  bool compressed = false;
  bool partial = false;
};

std::optional<RowsType> rows_type(EventType type) {
  switch (type) {
    case EventType::write_rows_v1:
      return RowsType{RowKind::insert, false, false, false};
    case EventType::update_rows_v1:
      return RowsType{RowKind::update, false, false, false};
    case EventType::delete_rows_v1:
      return RowsType{RowKind::erase, false, false, false};
    case EventType::write_rows_v2:
      return RowsType{RowKind::insert, true, false, false};
    case EventType::update_rows_v2:
      return RowsType{RowKind::update, true, false, false};
    case EventType::delete_rows_v2:
      return RowsType{RowKind::erase, true, false, false};
    case EventType::partial_update_rows:
      return RowsType{RowKind::update, true, false, true};
    case EventType::mariadb_write_rows_compressed_v1:
      return RowsType{RowKind::insert, false, true, false};
    case EventType::mariadb_update_rows_compressed_v1:
      return RowsType{RowKind::update, false, true, false};
    case EventType::mariadb_delete_rows_compressed_v1:
      return RowsType{RowKind::erase, false, true, false};
    case EventType::mariadb_write_rows_compressed:
      return RowsType{RowKind::insert, true, true, false};
    case EventType::mariadb_update_rows_compressed:
      return RowsType{RowKind::update, true, true, false};
    case EventType::mariadb_delete_rows_compressed:
      return RowsType{RowKind::erase, true, true, false};
    default:
      return std::nullopt;
  }
}

std::size_t table_id_size(EventType type, const FormatDescription& format) {
  constexpr std::uint8_t kOldPostHeader = 6;
  return format.post_header_size(type) == kOldPostHeader ? 4 : 6;
}

bool bit_at(const std::byte* bits, std::size_t index) {
  return (std::to_integer<unsigned>(bits[index / 8]) >> (index % 8) & 1) != 0;
}

// How many of the first `count` bits are set; servers may leave rubbish behind them.
std::size_t count_bits(Bytes bits, std::size_t count) {
  std::size_t set = 0;
  for (std::size_t i = 0; i < count / 8; ++i) {
    set += static_cast<std::size_t>(std::popcount(std::to_integer<std::uint8_t>(bits[i])));
  }
  for (std::size_t i = count / 8 * 8; i < count; ++i) set += bit_at(bits.data(), i) ? 1 : 0;
  return set;
}

Error contradiction(const TableMap& map) {
  return Error{Errc::malformed,
               "rows of " + map.database + "." + map.table + " contradict the table map"};
}

}  // namespace

Result<std::uint64_t> RowsReader::table_id(const EventHeader& header, Bytes body,
                                           const FormatDescription& format) {
  Cursor in(body);
  const std::uint64_t id = in.uint_le(table_id_size(header.type, format));
  if (in.failed()) return Error{Errc::truncated, "rows event"};
  return id;
}

Result<RowsReader> RowsReader::open(const EventHeader& header, Bytes body, const TableMap& map,
                                    const FormatDescription& format) {
  RowsReader reader;
  reader.map_ = &map;
  const Status head = reader.read_head(header, body, format);
  if (!head.ok()) return head.error();
  return reader;
}

Status RowsReader::read_head(const EventHeader& header, Bytes body,
                             const FormatDescription& format) {
  const std::optional<RowsType> type = rows_type(header.type);
  if (!type) return Error{Errc::malformed, "rows event: another event type"};
  kind_ = type->kind;
  partial_ = type->partial;

  Cursor in(body);
  const std::uint64_t id = in.uint_le(table_id_size(header.type, format));
  flags_ = static_cast<std::uint16_t>(in.uint_le(2));
  if (type->second_version) {
    const std::uint64_t extra_size = in.uint_le(2);  // counts itself
    if (!in.failed() && extra_size < 2) return Error{Errc::malformed, "rows event: extra part"};
    in.bytes(extra_size - 2);
  }
  const std::uint64_t width = in.packed();
  const std::size_t bitmap_size = static_cast<std::size_t>(width / 8) + (width % 8 != 0 ? 1 : 0);
  present_first_ = in.bytes(bitmap_size);
  if (kind_ == RowKind::update) present_second_ = in.bytes(bitmap_size);
  if (in.failed()) return Error{Errc::truncated, "rows event"};
  if (id != map_->table_id || width != map_->columns.size()) return contradiction(*map_);

  Bytes rows = in.remaining();
  if (type->compressed) {
    // Never in the string's own small buffer: cells must stay in place when the reader moves.
    unpacked_.reserve(64);
    const Status unpacked = unpack_event_part(rows, unpacked_);
    if (!unpacked.ok()) return unpacked.error().within("rows event");
    rows = as_bytes(unpacked_);
  }
  at_ = rows.data();
  end_ = rows.data() + rows.size();
  // A minimal image of a row that is all defaults has no column; the server allows one such row.
  row_of_nothing_ = kind_ == RowKind::insert && rows.empty() &&
                    count_bits(present_first_, map_->columns.size()) == 0;
  return Unit{};
}

Result<bool> RowsReader::next(RowView& row) {
  if (at_ == end_ && !std::exchange(row_of_nothing_, false)) return false;
  const std::byte* const start = at_;
  const bool has_before = kind_ != RowKind::insert;
  const bool has_after = kind_ != RowKind::erase;

  bool complete = true;
  if (has_before) complete = read_image(present_first_, false, row.before);
  if (complete && has_after) {
    complete = has_before ? read_image(present_second_, partial_, row.after)
                          : read_image(present_first_, false, row.after);
  }
  // A row without any byte would never end the event.
  if (!complete || (at_ == start && at_ != end_)) {
    at_ = end_;
    return contradiction(*map_);
  }
  return true;
}

bool RowsReader::read_image(Bytes present, bool after_update, std::vector<Cell>& cells) {
  const std::vector<ColumnShape>& columns = map_->columns;
  cells.resize(columns.size());

  const std::byte* partial_bits = nullptr;
  if (after_update && !read_partial_bits(partial_bits)) return false;

  const std::size_t nulls_size = (count_bits(present, columns.size()) + 7) / 8;
  if (static_cast<std::size_t>(end_ - at_) < nulls_size) return false;
  const std::byte* const nulls = at_;
  at_ += nulls_size;

  std::size_t present_index = 0;
  std::size_t json_index = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Cell cell;
    if (partial_bits != nullptr && columns[i].type == WireType::json) {
      cell.partial_json = bit_at(partial_bits, json_index++);
    }
    if (bit_at(present.data(), i)) {
      cell.present = true;
      cell.null = bit_at(nulls, present_index++);
      if (!cell.null && !take_cell(columns[i], at_, end_, cell)) return false;
    }
    cells[i] = cell;
  }
  return true;
}

// In front of an after image: options, and where they say so one bit for each JSON column of the
// table, present or not.
bool RowsReader::read_partial_bits(const std::byte*& bits) {
  constexpr std::uint64_t kPartialJson = 1;
  Cursor in(Bytes(at_, end_));
  const std::uint64_t options = in.packed();
  if (!in.failed() && (options & kPartialJson) != 0) {
    std::size_t json_columns = 0;
    for (const ColumnShape& shape : map_->columns) json_columns += shape.type == WireType::json;
    bits = in.bytes((json_columns + 7) / 8).data();
  }
  at_ = end_ - in.size();
  return !in.failed();
}

}  // namespace wherry::decode
