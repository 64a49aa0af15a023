#include "support/hash.h"

#include <isa-l/crc.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>

namespace wherry {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

std::uint32_t crc32_of(Bytes bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The library picks the instructions of the processor when it is first called; it takes an int.
std::uint32_t crc32c_of(Bytes bytes, std::uint32_t seed) {
  constexpr std::size_t kStep = std::size_t{1} << 30;
  std::uint32_t crc = ~seed;
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(kStep, bytes.size()));
    auto* at = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(part.data()));
    crc = ::crc32_iscsi(at, static_cast<int>(part.size()), crc);
    bytes = bytes.subspan(part.size());
  }
  return ~crc;
}

}  // namespace wherry
