// Finds where each cell of a row image ends. Pure; any thread. The hot path of the decoder: one
// switch and one bounds check for a cell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decode/rows.h"

namespace wherry::decode {

// Bytes of a DECIMAL: nine digits take four bytes, the rest of each side what they need.
inline std::size_t decimal_size(unsigned precision, unsigned scale) {
  constexpr std::uint8_t kBytes[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
  const unsigned whole = precision - scale;
  return whole / 9 * 4 + kBytes[whole % 9] + scale / 9 * 4 + kBytes[scale % 9];
}

// Bytes of the old temporal types by their fraction digits, which only MariaDB gave them.
inline constexpr std::uint8_t kOldTimeSizes[] = {3, 4, 4, 5, 5, 5, 6};
inline constexpr std::uint8_t kOldDatetimeSizes[] = {8, 6, 6, 7, 7, 7, 8};
inline constexpr std::uint8_t kOldTimestampSizes[] = {4, 5, 5, 6, 6, 7, 7};

// How a type's bytes are framed: a fixed size, or a length of so many bytes in front.
struct CellFrame {
  std::size_t size = 0;
  std::size_t length_size = 0;
};

inline CellFrame frame_of(const ColumnShape& shape) {
  switch (shape.type) {
    case WireType::tiny:
    case WireType::year:
      return {1, 0};
    case WireType::short_:
      return {2, 0};
    case WireType::int24:
    case WireType::date:
    case WireType::newdate:
      return {3, 0};
    case WireType::long_:
      return {4, 0};
    case WireType::longlong:
      return {8, 0};
    case WireType::time:
      return {kOldTimeSizes[shape.meta % 7], 0};
    case WireType::datetime:
      return {kOldDatetimeSizes[shape.meta % 7], 0};
    case WireType::timestamp:
      return {kOldTimestampSizes[shape.meta % 7], 0};
    case WireType::float_:
      return {4, 0};
    case WireType::double_:
      return {8, 0};
    case WireType::timestamp2:
      return {4u + (shape.meta + 1u) / 2, 0};
    case WireType::datetime2:
      return {5u + (shape.meta + 1u) / 2, 0};
    case WireType::time2:
      return {3u + (shape.meta + 1u) / 2, 0};
    case WireType::newdecimal:
      return {decimal_size(shape.meta >> 8, shape.meta & 0xFF), 0};
    case WireType::enum_:
    case WireType::set:
      return {shape.meta, 0};
    case WireType::bit:
      return {(shape.meta >> 8) + ((shape.meta & 0xFF) != 0 ? 1u : 0u), 0};
    case WireType::varchar:
    case WireType::varchar_compressed:
    case WireType::string:
    case WireType::var_string:
      return {0, shape.meta > 255 ? 2u : 1u};
    case WireType::blob:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::geometry:
    case WireType::json:
    case WireType::vector:
    case WireType::blob_compressed:
      return {0, shape.meta};
    case WireType::typed_array:
      return {0, 4};
    case WireType::null:
    case WireType::decimal:
      break;
  }
  return {0, 0};
}

// Takes one cell off the front. False: the bytes end before it does.
inline bool take_cell(const ColumnShape& shape, const std::byte*& at, const std::byte* end,
                      Cell& cell) {
  const CellFrame frame = frame_of(shape);
  const auto left = static_cast<std::size_t>(end - at);
  std::size_t size = frame.size;
  if (frame.length_size != 0) {
    if (left < frame.length_size) return false;
    size = load_le(at, frame.length_size);
    if (left - frame.length_size < size) return false;
    at += frame.length_size;
  } else if (left < size) {
    return false;
  }
  cell.data = at;
  cell.size = static_cast<std::uint32_t>(size);
  at += size;
  return true;
}

}  // namespace wherry::decode
