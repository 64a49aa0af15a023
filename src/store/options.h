// What a log is opened with. A value; no threads.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "store/entry.h"

namespace wherry::store {

// The calls that a disk can fail. Tests put a failing disk in their place.
struct FileCalls {
  ssize_t (*write)(int file, const iovec* parts, int count, off_t offset) = ::pwritev;
  int (*sync)(int file) = ::fdatasync;
};

struct Options {
  std::string folder;    // made when it is missing
  std::string identity;  // of the source; a folder that holds another's log is refused
  Dialect dialect = Dialect::mysql;
  Place begin;  // where a new log begins; an old one goes on where it ends

  std::size_t tail_bytes = 64 << 20;      // memory of the newest part
  std::size_t block_bytes = 512 << 10;    // one block in memory, and at most of a block on disk
  std::size_t segment_bytes = 128 << 20;  // a segment file ends behind this size
  bool compress = false;                  // blocks with zstd, where it makes them smaller

  // The log is synced after so many bytes or so much time, whichever comes first, and on request.
  std::size_t sync_bytes = 64 << 20;
  std::chrono::milliseconds sync_interval{1000};

  // 0: no bound. From four fifths on the slowest consumer is pressed, at the bound the writer
  // waits. Nothing that a consumer still needs is ever dropped.
  std::uint64_t disk_bytes_max = 0;

  FileCalls calls;
};

}  // namespace wherry::store
