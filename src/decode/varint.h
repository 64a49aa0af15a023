// Integers in the form of MySQL's serialization library: the ones at the low end of the first byte
// count the bytes that follow, signed numbers keep the sign in their lowest bit. Pure.
// Format: MySQL's libs/mysql/serialization.
#pragma once

#include <bit>
#include <cstdint>

#include "support/cursor.h"

namespace wherry::decode {

inline std::uint64_t read_varint(Cursor& in) {
  const std::uint64_t first = in.uint_le(1);
  const auto extra = static_cast<std::size_t>(std::countr_one(static_cast<std::uint8_t>(first)));
  if (extra == 0) return first >> 1;
  const std::uint64_t rest = in.uint_le(extra);
  if (extra >= 7) return rest;
  return (first >> (extra + 1)) | (rest << (7 - extra));
}

inline std::int64_t read_signed_varint(Cursor& in) {
  const std::uint64_t coded = read_varint(in);
  const auto magnitude = static_cast<std::int64_t>(coded >> 1);
  return (coded & 1) != 0 ? ~magnitude : magnitude;
}

}  // namespace wherry::decode
