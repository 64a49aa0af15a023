#include "storage/s3_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "storage/xml.h"
#include "support/ascii.h"

namespace wherry::storage {
namespace {

constexpr std::size_t kErrorBodyMax = 64 << 10;
constexpr std::size_t kMessageMax = 300;

// What a status alone would say wrongly. Codes that are not here go by their status.
constexpr std::array<std::pair<std::string_view, Errc>, 16> kCodes{{
    {"NoSuchKey", Errc::lost},
    {"NoSuchBucket", Errc::refused},
    {"NoSuchUpload", Errc::server},
    {"RequestTimeout", Errc::timeout},
    {"RequestTimeTooSkewed", Errc::refused},
    {"SlowDown", Errc::server},
    {"Throttling", Errc::server},
    {"RequestLimitExceeded", Errc::server},
    {"BandwidthLimitExceeded", Errc::server},
    {"InternalError", Errc::server},
    {"IncompleteBody", Errc::network},
    {"BadDigest", Errc::network},
    {"XAmzContentSHA256Mismatch", Errc::network},
    {"NotImplemented", Errc::unsupported},
    {"OperationAborted", Errc::server},
    {"ConditionalRequestConflict", Errc::server},
}};

Errc kind_of(unsigned status, std::string_view code) {
  const auto found = std::find_if(kCodes.begin(), kCodes.end(),
                                  [&](const auto& known) { return known.first == code; });
  if (found != kCodes.end()) return found->second;
  if (status == 404) return Errc::lost;
  if (status == 408) return Errc::timeout;
  if (status == 409 || status == 429) return Errc::server;
  if (status == 405 || status == 501) return Errc::unsupported;
  if (status >= 500) return Errc::server;
  return Errc::refused;
}

std::string_view hint_for(std::string_view code) {
  if (code == "RequestTimeTooSkewed")
    return "; the clock of this machine or of the server is wrong";
  if (code == "ExpiredToken" || code == "InvalidToken") return "; the session token is not valid";
  if (code == "SignatureDoesNotMatch") return "; the secret key does not belong to the access key";
  return {};
}

}  // namespace

S3Fault read_fault(const HttpAnswer& answer) {
  S3Fault fault;
  if (const auto id = answer.headers.find("x-amz-request-id"); id != answer.headers.end())
    fault.request_id = ascii::shown(id->second);
  if (const auto region = answer.headers.find("x-amz-bucket-region");
      region != answer.headers.end())
    fault.region = ascii::shown(region->second);
  if (answer.body.empty() || answer.body.size() > kErrorBodyMax) return fault;
  const Result<XmlElement> read = parse_xml(as_text(answer.body));
  if (!read.ok() || read.value().name != "Error") return fault;
  const XmlElement& error = read.value();
  fault.code = ascii::shown(error.text_of("Code"));
  fault.message = ascii::shown(error.text_of("Message"), kMessageMax);
  if (const std::string_view region = error.text_of("Region"); !region.empty())
    fault.region = ascii::shown(region);
  return fault;
}

Error to_error(unsigned status, const S3Fault& fault, std::string_view what) {
  std::string text = fmt::format("{}: {}", what, status);
  if (!fault.code.empty()) text += " " + fault.code;
  if (!fault.message.empty()) text += ": " + fault.message;
  text += hint_for(fault.code);
  const bool elsewhere = status == 301 || status == 307 || status == 400;
  if (elsewhere && !fault.region.empty()) text += "; the bucket is in region=" + fault.region;
  if (!fault.request_id.empty()) text += " (request " + fault.request_id + ")";
  return {kind_of(status, fault.code), std::move(text), status};
}

}  // namespace wherry::storage
