#include <array>

#include "decode/cell_walk.h"
#include "decode/number_text.h"

namespace wherry::decode {
namespace {

constexpr std::size_t kBytesMax = 32;  // 65 digits take at most 31
constexpr unsigned kGroupDigits = 9;
constexpr std::uint8_t kGroupBytes[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
constexpr std::uint32_t kPowers[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};

// Reads a group of 1 to 9 digits. False: the value has more digits than the group.
bool read_group(const std::byte*& at, unsigned digits, std::uint64_t& value) {
  value = load_be(at, kGroupBytes[digits]);
  at += kGroupBytes[digits];
  return value < kPowers[digits];
}

// The digits before the point, without leading zeros, but at least one.
bool append_whole(const std::byte*& at, unsigned digits, std::string& out) {
  bool started = false;
  unsigned group = digits % kGroupDigits;
  if (group == 0) group = kGroupDigits;
  for (unsigned left = digits; left > 0; left -= group, group = kGroupDigits) {
    if (group > left) group = left;
    std::uint64_t value = 0;
    if (!read_group(at, group, value)) return false;
    if (!started && value == 0) continue;
    append_padded(value, started ? group : 1, out);
    started = true;
  }
  if (!started) out += '0';
  return true;
}

bool append_fraction(const std::byte*& at, unsigned digits, std::string& out) {
  for (unsigned left = digits; left > 0;) {
    const unsigned group = left < kGroupDigits ? left : kGroupDigits;
    std::uint64_t value = 0;
    if (!read_group(at, group, value)) return false;
    append_padded(value, group, out);
    left -= group;
  }
  return true;
}

}  // namespace

Status append_decimal(Bytes bytes, unsigned precision, unsigned scale, std::string& out) {
  if (bytes.size() > kBytesMax || bytes.empty() || bytes.size() != decimal_size(precision, scale)) {
    return Error{Errc::malformed, "DECIMAL of a wrong size"};
  }
  // Positive values have the top bit set; negative ones are stored with every bit inverted.
  const bool negative = (bytes[0] & std::byte{0x80}) == std::byte{0};
  std::array<std::byte, kBytesMax> plain{};
  const std::byte mask = negative ? std::byte{0xFF} : std::byte{0};
  for (std::size_t i = 0; i < bytes.size(); ++i) plain[i] = bytes[i] ^ mask;
  plain[0] ^= std::byte{0x80};

  const std::byte* at = plain.data();
  if (negative) out += '-';
  if (!append_whole(at, precision - scale, out)) return Error{Errc::malformed, "DECIMAL digits"};
  if (scale == 0) return Unit{};
  out += '.';
  if (!append_fraction(at, scale, out)) return Error{Errc::malformed, "DECIMAL digits"};
  return Unit{};
}

}  // namespace wherry::decode
