#include "storage/s3_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "storage/s3_error.h"

namespace wherry::storage {
namespace {

using std::chrono::system_clock;

// Bodies up to this are signed also over TLS, which protects larger ones by itself.
constexpr std::uint64_t kSignedMax = 1 << 20;

std::string signing_time(std::time_t at) {
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// "Fri, 24 May 2013 00:00:00 GMT".
std::optional<std::time_t> parse_date(const std::string& text) {
  std::tm parts{};
  if (::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &parts) == nullptr) return std::nullopt;
  return ::timegm(&parts);
}

// No server is trusted to keep what it was told to itself.
Error without_secrets(Error error, const AwsKeys& keys) {
  for (const std::string& secret : {keys.secret_key, keys.session_token}) {
    if (secret.size() < 4) continue;
    for (std::size_t at; (at = error.what.find(secret)) != std::string::npos;)
      error.what.replace(at, secret.size(), "***");
  }
  return error;
}

}  // namespace

S3Client::S3Client(S3Setup setup, HttpClient& http, WallClock now)
    : options_(std::move(setup.options)),
      credentials_(std::move(setup.credentials)),
      http_(http),
      now_(std::move(now)) {}

bool S3Client::set_clock(const HttpAnswer& answer) {
  const auto date = answer.headers.find("date");
  const std::optional<std::time_t> server =
      date == answer.headers.end() ? std::nullopt : parse_date(date->second);
  if (!server) return false;
  clock_behind_s_ = *server - system_clock::to_time_t(now_());
  return true;
}

Result<HttpAnswer> S3Client::send(const S3Request& request, const AwsKeys& keys,
                                  const Limits& limits) {
  const std::string host =
      options_.path_style ? options_.host : options_.bucket + "." + options_.host;
  std::string path = "/";
  if (options_.path_style) path += options_.bucket + (request.key.empty() ? "" : "/");
  Signable signable;
  signable.method = request.method;
  signable.path = encode_path(path + request.key);
  signable.query = request.query;
  signable.headers = request.headers;
  signable.headers["host"] = host;
  const bool hashed = !options_.https || total_bytes(request.body) <= kSignedMax;
  signable.payload_hash = hashed ? sha256_hex(request.body) : std::string(kUnsignedPayload);
  SigningScope scope;
  scope.time = signing_time(system_clock::to_time_t(now_()) + clock_behind_s_);
  scope.region = options_.region;
  signable.headers["x-amz-content-sha256"] = signable.payload_hash;
  signable.headers["x-amz-date"] = scope.time;
  if (!keys.session_token.empty()) signable.headers["x-amz-security-token"] = keys.session_token;

  HttpRequest http;
  http.method = request.method;
  http.url = (options_.https ? "https://" : "http://") + host + signable.path;
  if (!request.query.empty()) http.url += "?" + encode_query(request.query);
  http.headers.assign(signable.headers.begin(), signable.headers.end());
  http.headers.emplace_back("authorization", sign(signable, scope, keys));
  http.body = request.body;
  http.answer_max = request.answer_max;
  return http_.send(http, limits);
}

Result<HttpAnswer> S3Client::call(const S3Request& request,
                                  std::initializer_list<unsigned> understood,
                                  const Limits& limits) {
  const std::string what =
      fmt::format("{} {}", request.method, request.key.empty() ? options_.bucket : request.key);
  const Result<AwsKeys> keys = credentials_.current();
  if (!keys.ok()) return keys.error();
  for (bool clock_was_set = false;; clock_was_set = true) {
    Result<HttpAnswer> answer = send(request, keys.value(), limits);
    if (!answer.ok()) return without_secrets(answer.error().within(what), keys.value());
    const unsigned status = answer.value().status;
    const bool success = status >= 200 && status < 300;
    if (success || std::find(understood.begin(), understood.end(), status) != understood.end())
      return answer;
    const S3Fault fault = read_fault(answer.value());
    const bool skewed = fault.code == "RequestTimeTooSkewed";
    if (skewed && !clock_was_set && set_clock(answer.value())) continue;
    Error error = to_error(status, fault, what);
    // What a bucket lacks can only be itself.
    if (request.key.empty() && error.code == Errc::lost) error.code = Errc::refused;
    return without_secrets(std::move(error), keys.value());
  }
}

}  // namespace wherry::storage
