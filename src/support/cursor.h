// Walks borrowed bytes; the bytes must outlive it and everything it returns. Failure is sticky:
// after the first short read every read yields zero or empty, so a decoder reads straight down and
// asks failed() once. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace wherry {

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// Little endian, width 1..8; the caller guarantees that width bytes are there.
inline std::uint64_t load_le(const std::byte* at, std::size_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, width);
  return value;
}

// Big endian, width 1..8; the caller guarantees that width bytes are there.
inline std::uint64_t load_be(const std::byte* at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
  return value;
}

class Cursor {
 public:
  explicit Cursor(Bytes bytes) : rest_(bytes) {}

  std::uint64_t uint_le(std::size_t width) {
    const Bytes field = bytes(width);
    return failed_ ? 0 : load_le(field.data(), width);
  }
  std::uint64_t uint_be(std::size_t width) {
    const Bytes field = bytes(width);
    return failed_ ? 0 : load_be(field.data(), width);
  }
  // The protocol's length-encoded integer. 0xFB (NULL) and 0xFF are failures here.
  std::uint64_t packed() {
    const std::uint64_t first = uint_le(1);
    if (first < 0xFB) return first;
    if (first == 0xFC) return uint_le(2);
    if (first == 0xFD) return uint_le(3);
    if (first == 0xFE) return uint_le(8);
    fail();
    return 0;
  }
  Bytes bytes(std::size_t count) {
    if (rest_.size() < count) {
      fail();
      return {};
    }
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::string_view text(std::size_t count) { return as_text(bytes(count)); }
  Bytes remaining() { return std::exchange(rest_, {}); }
  std::string_view remaining_text() { return as_text(remaining()); }
  std::size_t size() const { return rest_.size(); }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    rest_ = {};
  }

 private:
  Bytes rest_;
  bool failed_ = false;
};

}  // namespace wherry
