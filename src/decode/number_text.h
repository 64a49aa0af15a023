// Numbers as canonical text, appended without locale and without allocation of their own. Pure; any
// thread.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "support/cursor.h"
#include "support/result.h"

namespace wherry::decode {

template <typename Number>
void append_number(Number value, std::string& out) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, static_cast<std::size_t>(end.ptr - digits));
}

// With zeros in front up to `width` digits; wider values are printed whole.
inline void append_padded(std::uint64_t value, std::size_t width, std::string& out) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  const auto size = static_cast<std::size_t>(end.ptr - digits);
  if (size < width) out.append(width - size, '0');
  out.append(digits, size);
}

// MySQL's packed DECIMAL, exactly decimal_size() bytes; precision and scale are in range.
Status append_decimal(Bytes bytes, unsigned precision, unsigned scale, std::string& out);

}  // namespace wherry::decode
