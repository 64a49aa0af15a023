// From the bytes of a cell to its canonical text, the one text form that the whole program uses for
// a value: keys, rows to load, rows to compare. It is what the server itself prints for a SELECT in
// time zone +00:00 without character set conversion, with these rules:
//   integers: decimal digits, no zerofill; FLOAT and DOUBLE: the shortest text that reads back to
//   the same double (a FLOAT widened first); DECIMAL: as the server prints it ("-0.50"); BIT: its
//   raw bytes, big endian, (M+7)/8 of them; ENUM: the index, SET: the mask, both as decimal digits;
//   YEAR: four digits; temporal: all declared fraction digits; CHAR without trailing blanks, text
//   in the column's own character set; BINARY(N): padded with zero bytes to N; JSON of MySQL: JSON
//   text in utf8mb4 that the server reads back to the same value; geometry (SRID and WKB) and
//   VECTOR: raw bytes; UUID, INET4, INET6: their text.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decode/rows.h"
#include "model/column_shape.h"

namespace wherry::decode {

// The canonical text where it stands in the event as it is (VARCHAR, BLOB, BIT, ...); borrows the
// cell. Empty optional: append_text must convert. The cell is present and not null.
std::optional<std::string_view> raw_text(const ColumnShape& shape, const Cell& cell);

// Appends the canonical text. The cell is present, not null and not partial JSON.
Status append_text(const ColumnShape& shape, const Cell& cell, std::string& out);

// One step of a partial JSON update: which of JSON_REPLACE, JSON_INSERT / JSON_ARRAY_INSERT or
// JSON_REMOVE, its path and its value as JSON text.
enum class JsonOperation { replace, insert, remove };
struct JsonDiff {
  JsonOperation operation = JsonOperation::replace;
  std::string path;
  std::string value;  // JSON text; empty for remove
};
// The cell is partial_json.
Result<std::vector<JsonDiff>> decode_json_diffs(const Cell& cell);

// MySQL's binary JSON as text. Exposed for fuzzing.
Status append_json(Bytes binary, std::string& out);

}  // namespace wherry::decode
