// Signature version 4 of AWS, as S3 and all that speak like it take it: a request goes into one
// canonical text, and a key that is derived from secret, day, region and service signs it. The
// caller adds the headers that are signed to the request, byte by byte. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace wherry::storage {

struct AwsKeys {
  std::string access_key;  // names the key, no secret
  std::string secret_key;
  std::string session_token;  // empty: a lasting key
};

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

struct Signable {
  std::string method;
  std::string path;                            // as it is sent: encoded, from the first '/' on
  QueryPairs query;                            // not encoded
  std::map<std::string, std::string> headers;  // names in lower case, values trimmed; with host
  std::string payload_hash;                    // of the body, in hexadecimal, or kUnsignedPayload
};

struct SigningScope {
  std::string time;  // "20130524T000000Z"
  std::string region;
  std::string service = "s3";
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// The value of the header Authorization.
std::string sign(const Signable& request, const SigningScope& scope, const AwsKeys& keys);

// What stays as it is: letters, digits, "-_.~", and '/' in a path.
std::string encode_path(std::string_view path);
std::string encode_query(const QueryPairs& query);

// In hexadecimal.
std::string sha256_hex(Parts parts);
// In base64; empty where this machine's policy forbids MD5.
std::string md5_base64(std::string_view text);

}  // namespace wherry::storage
