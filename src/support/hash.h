// The digests that leave no doubt about the bytes: XXH3 for keys and rows, CRC-32 (the binlog's, as
// zlib computes it), CRC-32C (of our own files). Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "support/cursor.h"

namespace wherry {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
};

// For containers: the digest is its own hash.
struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
Hash128 hash128(std::string_view bytes, std::uint64_t seed = 0);
std::uint32_t crc32_of(Bytes bytes);
// Castagnoli's polynomial (RFC 3720). seed: the digest of what stands before these bytes.
std::uint32_t crc32c_of(Bytes bytes, std::uint32_t seed = 0);

}  // namespace wherry
