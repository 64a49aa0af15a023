// Bytes of captured events in the tests of this room, as hexadecimal text. Tests only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/cursor.h"

namespace wherry::decode {

inline std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  }
  return bytes;
}

inline std::string to_hex(Bytes bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kHex[std::to_integer<unsigned>(byte) >> 4];
    text += kHex[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace wherry::decode
