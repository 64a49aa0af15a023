// Input: one byte {dialect, flavor of fixed strings, which rows event}, two bytes of size, a table
// map's body of that size, the body of the rows event. Every cell is printed.

#include "decode/rows.h"
#include "decode/value.h"
#include "formats.h"

namespace wherry::decode {
namespace {

constexpr EventType kTypes[] = {EventType::write_rows_v1,
                                EventType::update_rows_v1,
                                EventType::delete_rows_v1,
                                EventType::write_rows_v2,
                                EventType::update_rows_v2,
                                EventType::delete_rows_v2,
                                EventType::partial_update_rows,
                                EventType::mariadb_write_rows_compressed_v1,
                                EventType::mariadb_update_rows_compressed_v1,
                                EventType::mariadb_delete_rows_compressed,
                                EventType::mariadb_delete_rows_compressed_v1,
                                EventType::mariadb_write_rows_compressed,
                                EventType::mariadb_update_rows_compressed};

void print_cells(const TableMap& map, const std::vector<Cell>& cells, std::string& text) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    if (!cell.present || cell.null) continue;
    text.clear();
    if (cell.partial_json)
      (void)decode_json_diffs(cell);
    else
      (void)append_text(map.columns[i], cell, text);
  }
}

void read_rows(EventType type, Bytes map_body, Bytes rows, const FormatDescription& format,
               WireFlavor flavor) {
  auto map = decode_table_map(map_body, format);
  if (!map.ok()) return;
  for (ColumnShape& shape : map.value().columns) {
    if (shape.type == WireType::string) shape.flavor = flavor;
    // Fraction digits of the old temporal types are no part of the map.
    const bool old = shape.type == WireType::time || shape.type == WireType::datetime ||
                     shape.type == WireType::timestamp;
    if (old) shape.meta = static_cast<std::uint16_t>(2 * static_cast<unsigned>(flavor));
  }
  EventHeader header;
  header.type = type;
  // The table id of the rows is the map's own, so that inputs need not find it out.
  const auto id = RowsReader::table_id(header, rows, format);
  if (!id.ok()) return;
  map.value().table_id = id.value();
  auto reader = RowsReader::open(header, rows, map.value(), format);
  if (!reader.ok()) return;
  RowView row;
  std::string text;
  while (true) {
    const auto more = reader.value().next(row);
    if (!more.ok() || !more.value()) return;
    print_cells(map.value(), row.before, text);
    print_cells(map.value(), row.after, text);
  }
}

void run(const std::uint8_t* input, std::size_t size) {
  if (size < 3) return;
  const Bytes rest(reinterpret_cast<const std::byte*>(input) + 3, size - 3);
  const std::size_t map_size = input[1] | static_cast<std::size_t>(input[2]) << 8;
  if (map_size > rest.size()) return;
  const auto flavor = static_cast<WireFlavor>(input[0] >> 1 & 3);
  const EventType type = kTypes[(input[0] >> 3) % std::size(kTypes)];
  read_rows(type, rest.first(map_size), rest.subspan(map_size), format_for((input[0] & 1) != 0),
            flavor);
}

}  // namespace
}  // namespace wherry::decode

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  wherry::decode::run(input, size);
  return 0;
}
