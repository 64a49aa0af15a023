// Table maps and row events. Pure; a view borrows the event's bytes and the table map. One thread
// at a time per reader. Formats: MySQL's Table_map_event and Rows_event, MariaDB's row events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/event.h"
#include "model/column_shape.h"

namespace wherry::decode {

// Owns what it holds: it outlives the event, since later row events need it.
struct TableMap {
  std::uint64_t table_id = 0;
  std::string database;
  std::string table;
  std::vector<ColumnShape> columns;  // is_unsigned and fixed_binary only where the metadata say so
  std::vector<bool> nullable;
  // Optional metadata; each is empty where the event has none of it.
  bool has_signedness = false;
  std::vector<std::uint32_t> collations;  // per column, 0 for those without; ENUM and SET too
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> members;  // ENUM and SET, per column
  std::vector<std::uint32_t> geometry_types;      // per column, 0 for others
  std::vector<std::uint32_t> primary_key;         // column numbers
  std::vector<bool> visible;
};
Result<TableMap> decode_table_map(Bytes body, const FormatDescription& format);

// One column of one image. Borrows the event.
struct Cell {
  const std::byte* data = nullptr;
  std::uint32_t size = 0;
  bool present = false;  // false: the image leaves the column out (minimal, noblob)
  bool null = false;
  bool partial_json = false;  // an update's after image holds JSON diffs, not a value

  Bytes bytes() const { return {data, size}; }
};

enum class RowKind : std::uint8_t { insert, update, erase };

// One changed row; the vectors have one cell for each column of the table map and are reused by the
// reader from row to row. before is unused for inserts, after for erases.
struct RowView {
  std::vector<Cell> before;
  std::vector<Cell> after;
};

// Walks one row event of any version and dialect. Unpacks MariaDB's compressed rows into its own
// buffer, so it must outlive the cells.
class RowsReader {
 public:
  RowsReader(RowsReader&&) = default;
  RowsReader& operator=(RowsReader&&) = default;

  // body: from event_body(). The table map and the bytes must outlive the reader.
  static Result<RowsReader> open(const EventHeader& header, Bytes body, const TableMap& map,
                                 const FormatDescription& format);
  // The table id alone, to find the table map.
  static Result<std::uint64_t> table_id(const EventHeader& header, Bytes body,
                                        const FormatDescription& format);

  RowKind kind() const { return kind_; }
  // 1: end of statement, 2: no foreign key checks, 4: relaxed unique checks, 8: all columns,
  // 16 (MySQL 9.6 and later): the rows of cascading foreign keys are in the log
  std::uint16_t flags() const { return flags_; }
  // False: no more rows. An error: the bytes contradict the table map.
  Result<bool> next(RowView& row);

 private:
  RowsReader() = default;
  Status read_head(const EventHeader& header, Bytes body, const FormatDescription& format);
  bool read_image(Bytes present, bool after_update, std::vector<Cell>& cells);
  bool read_partial_bits(const std::byte*& bits);

  RowKind kind_ = RowKind::insert;
  std::uint16_t flags_ = 0;
  const TableMap* map_ = nullptr;
  Bytes present_first_;   // bitmap of the only image, or the before image of an update
  Bytes present_second_;  // bitmap of the after image of an update
  std::string unpacked_;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  bool partial_ = false;
  bool row_of_nothing_ = false;  // one row follows that has no byte
};

}  // namespace wherry::decode
