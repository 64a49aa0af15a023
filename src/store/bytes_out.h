// Builds small pieces of a file: little-endian numbers and texts with their length in front. The
// counterpart of support/cursor.h. One thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "support/cursor.h"

namespace wherry::store {

inline std::byte* put_le(std::byte* at, std::uint64_t value, std::size_t width) {
  std::memcpy(at, &value, width);
  return at + width;
}

class BytesOut {
 public:
  BytesOut& uint(std::uint64_t value, std::size_t width) {
    char bytes[8];
    std::memcpy(bytes, &value, sizeof bytes);
    bytes_.append(bytes, width);
    return *this;
  }
  BytesOut& text(std::string_view text) {
    uint(text.size(), 4);
    bytes_ += text;
    return *this;
  }
  Bytes bytes() const { return as_bytes(bytes_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

inline std::string read_text(wherry::Cursor& in) { return std::string(in.text(in.uint_le(4))); }

}  // namespace wherry::store
