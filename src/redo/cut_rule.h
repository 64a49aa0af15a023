// When a file ends. Pure: time and load come from outside, so that a simulated clock can drive it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "redo/block.h"

namespace wherry::redo {

struct CutLimits {
  std::size_t bytes_max = 64 << 20;         // a file ends behind this size
  std::chrono::milliseconds age_max{1000};  // and at this age of its first row
  std::chrono::milliseconds age_idle{100};  // or at this one, when nothing is being uploaded
};

// What the uploaders do meanwhile.
struct UploadLoad {
  unsigned idle = 0;        // uploaders without a file
  std::size_t waiting = 0;  // sealed files without an uploader
  unsigned in_flight = 0;
  bool full = false;                   // the ledger has no room left
  std::size_t target_bytes = 4 << 20;  // the size that uses an uploader well
};

// What the open file is like.
struct OpenFile {
  std::size_t bytes = 0;
  Instant first_at{};
  bool sealed = false;  // a record in it asked for its end
};

// How old a file becomes while there are uploaders for it.
inline std::chrono::milliseconds age_with_uploaders(const CutLimits& limits,
                                                    const UploadLoad& load) {
  return std::min(load.in_flight == 0 ? limits.age_idle : limits.age_max / 4, limits.age_max);
}

// A file grows while all uploaders are busy, since an end would not make it durable any sooner; at
// most to its limits of size and age. With uploaders to spare it ends when it is worth a request,
// or is a quarter of age_max old; with most of them idle, at a quarter of that size too, or at an
// eighth of bytes_max. For what is behind a late upload waits for it: the less there is in each
// file, the steadier the pace.
inline bool is_due(const OpenFile& file, const CutLimits& limits, const UploadLoad& load,
                   Instant now) {
  if (file.bytes == 0) return false;
  if (file.sealed || file.bytes >= limits.bytes_max) return true;
  const auto age = now - file.first_at;
  if (age >= limits.age_max) return true;
  if (load.idle <= load.waiting) return false;
  const bool most_idle = load.idle > load.in_flight + load.waiting;
  const std::size_t worth =
      most_idle ? std::min(load.target_bytes / 4, limits.bytes_max / 8) : load.target_bytes;
  if (load.full || file.bytes >= std::min(worth, limits.bytes_max)) return true;
  return age >= age_with_uploaders(limits, load);
}

// When is_due() is to be asked again if nothing else happens.
inline Instant next_look(const OpenFile& file, const CutLimits& limits, const UploadLoad& load) {
  return file.first_at +
         (load.idle > load.waiting ? age_with_uploaders(limits, load) : limits.age_max);
}

}  // namespace wherry::redo
