// Sends requests to one bucket, signed, and tells successes from errors. Any thread; the HTTP
// client outlives it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>

#include "storage/credentials.h"
#include "storage/http.h"
#include "storage/s3_options.h"
#include "storage/sigv4.h"

namespace wherry::storage {

struct S3Request {
  std::string method;
  std::string key;  // of the whole bucket; empty: the bucket itself
  QueryPairs query;
  std::map<std::string, std::string> headers;  // names in lower case
  Parts body;
  std::uint64_t answer_max = 16 << 20;
};

class S3Client {
 public:
  using WallClock = std::function<std::chrono::system_clock::time_point()>;

  S3Client(S3Setup setup, HttpClient& http, WallClock now);

  // Answers of 2xx, and of the other statuses that the caller understands. A clock that the server
  // finds wrong is set right by the server's own, once a call.
  Result<HttpAnswer> call(const S3Request& request, std::initializer_list<unsigned> understood,
                          const Limits& limits);

  const S3Options& options() const { return options_; }

 private:
  Result<HttpAnswer> send(const S3Request& request, const AwsKeys& keys, const Limits& limits);
  bool set_clock(const HttpAnswer& answer);

  const S3Options options_;
  Credentials credentials_;
  HttpClient& http_;
  const WallClock now_;
  std::atomic<std::int64_t> clock_behind_s_{0};  // how far the server is ahead
};

}  // namespace wherry::storage
