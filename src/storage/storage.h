// A place that keeps whole objects by name: a folder, a bucket, or what stands in for one. Names
// are relative to the place and use ASCII letters, digits, '-', '_', '.', and '/' between folders
// (object_name.h); lists ascend by the bytes of whole names. One try a call: retries are
// RetryingStorage's. Any thread; calls run side by side.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "support/cursor.h"
#include "support/result.h"

namespace wherry::storage {

struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
};

// How long a call may take (Errc::timeout), and who may end it early (Errc::interrupted). What a
// call did that ended so, or with network or server, is unknown: an object may have come into
// being.
struct Limits {
  std::chrono::milliseconds timeout{300'000};
  std::stop_token stop;
};

// The pieces of an object, one behind the other. Borrowed until the call returns.
using Parts = std::span<const Bytes>;

inline std::uint64_t total_bytes(Parts parts) {
  std::uint64_t bytes = 0;
  for (const Bytes part : parts) bytes += part.size();
  return bytes;
}

// Errors: network, timeout and server may heal by themselves (server_code has the HTTP status);
// refused (no access, no such bucket) and unsupported need somebody; lost: no such object; io: a
// local disk; usage: no name for an object. Messages hold no secret.
class Storage {
 public:
  virtual ~Storage() = default;

  // The whole object or nothing, in place of an older one. Durable when it returns.
  virtual Status put(const std::string& name, Parts parts, const Limits& limits) = 0;
  // As put, unless there is an object of this name: false. Errc::unsupported: the store cannot say.
  // Small objects only.
  virtual Result<bool> create(const std::string& name, Parts parts, const Limits& limits) = 0;

  // Bytes from the offset on, at most `bytes`; fewer only where the object ends.
  virtual Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                             std::uint64_t bytes, const Limits& limits) = 0;
  // Names with this prefix behind `after`, ascending, at most `count`; fewer only at the end.
  virtual Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                          std::size_t count, const Limits& limits) = 0;
  // Objects that are not there are removed already.
  virtual Status remove(std::span<const std::string> names, const Limits& limits) = 0;

  // Takes away what killed writers left below this prefix beside the objects, and nothing that a
  // living one is at. One try, also where others are made again; what stays does no harm.
  virtual Status sweep(const std::string& prefix, const Limits& limits) {
    (void)prefix;
    (void)limits;
    return Unit{};
  }

  // Whether the same call, made again, may go another way: only then is a late one worth a second.
  virtual bool is_remote() const { return false; }
  // For messages: never a secret.
  virtual std::string describe() const = 0;
};

}  // namespace wherry::storage
