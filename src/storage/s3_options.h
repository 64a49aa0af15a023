// What an s3:// URI says: which bucket, where, and how its objects are sent. A value.
#pragma once

#include <cstdint>
#include <string>

#include "model/uri.h"
#include "storage/credentials.h"

namespace wherry::storage {

struct S3Options {
  std::string bucket;
  std::string prefix;  // empty, or ends in '/'
  std::string region;
  bool https = true;
  std::string host;  // with the port unless it is the usual one
  // In the path of a URL stands the bucket, and not in its host.
  bool path_style = false;
  std::string tls_ca;  // a file; empty: the authorities of the system
  std::uint64_t multipart_above = 64 << 20;
  std::uint64_t part_bytes = 16 << 20;
  unsigned parts_at_once = 4;

  std::string describe() const;
};

struct S3Setup {
  S3Options options;
  Credentials credentials;
};

// Errc::usage: something is missing or not understood; the message holds no secret.
Result<S3Setup> read_s3_uri(const Uri& uri, const Environment& environment);

}  // namespace wherry::storage
