#include "storage/s3_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include "storage/object_name.h"
#include "storage/s3_error.h"
#include "storage/s3_list.h"
#include "storage/s3_multipart.h"
#include "storage/waiting.h"
#include "storage/xml.h"

namespace wherry::storage {
namespace {

constexpr std::size_t kRemovedAtOnce = 1'000;  // S3's own bound
constexpr std::uint64_t kErrorBodyMax = 64 << 10;

std::string range_of(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t last = offset + bytes - 1;
  return last < offset ? fmt::format("bytes={}-", offset)
                       : fmt::format("bytes={}-{}", offset, last);
}

// Whether "bytes 3-5/10" begins at the offset.
bool begins_at(std::string_view content_range, std::uint64_t offset) {
  constexpr std::string_view kUnit = "bytes ";
  if (!content_range.starts_with(kUnit)) return false;
  content_range.remove_prefix(kUnit.size());
  std::uint64_t first = 0;
  const auto [stop, error] =
      std::from_chars(content_range.data(), content_range.data() + content_range.size(), first);
  return error == std::errc() && first == offset && stop != content_range.data();
}

Status may_begin(Status named, const Limits& limits) {
  if (!named.ok()) return named;
  return limits.stop.stop_requested() ? Status(interrupted()) : Status(Unit{});
}

}  // namespace

S3Storage::S3Storage(S3Setup setup, std::unique_ptr<HttpClient> http, S3Client::WallClock now)
    : http_(std::move(http)), client_(std::move(setup), *http_, std::move(now)) {}

std::string S3Storage::key_of(std::string_view name) const {
  return client_.options().prefix + std::string(name);
}

Status S3Storage::put(const std::string& name, Parts parts, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may;
  if (total_bytes(parts) > client_.options().multipart_above)
    return put_in_parts(client_, key_of(name), parts, limits);
  const Result<HttpAnswer> answer = client_.call({"PUT", key_of(name), {}, {}, parts}, {}, limits);
  return answer.ok() ? Status(Unit{}) : Status(answer.error());
}

// The status: 200, or 412 where there is an object.
Result<unsigned> S3Storage::put_if_none(const std::string& key, Parts parts, const Limits& limits) {
  const Result<HttpAnswer> answer =
      client_.call({"PUT", key, {}, {{"if-none-match", "*"}}, parts}, {412}, limits);
  if (!answer.ok()) return answer.error();
  return answer.value().status;
}

// Some servers ignore the condition, some fail at it. Two puts of one new name tell.
Result<bool> S3Storage::find_out_conditional(const Limits& limits) {
  const std::optional<bool> known = conditional_.read([](const auto& now) { return now; });
  if (known) return *known;
  std::random_device device;
  const std::string key = key_of(fmt::format("{}probe-{:08x}{:08x}", kOwnMark, device(), device()));
  const Bytes body = as_bytes("whether the store honours If-None-Match");
  const Result<unsigned> first = put_if_none(key, Parts(&body, 1), limits);
  if (!first.ok() && first.error().code != Errc::unsupported) return first.error();
  bool honoured = first.ok() && first.value() != 412;
  if (honoured) {
    const Result<unsigned> second = put_if_none(key, Parts(&body, 1), limits);
    if (second.ok() || second.error().code == Errc::unsupported) {
      honoured = second.ok() && second.value() == 412;
    } else {
      (void)remove_one(key, limits);
      return second.error();
    }
  }
  (void)remove_one(key, limits);  // what stays of it is never listed
  conditional_.with([&](auto& now) { now = honoured; });
  return honoured;
}

Result<bool> S3Storage::create(const std::string& name, Parts parts, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may.error();
  const Result<bool> conditional = find_out_conditional(limits);
  if (!conditional.ok()) return conditional.error().within("looking for conditional puts");
  if (!conditional.value())
    return Error{Errc::unsupported, describe() + " does not honour If-None-Match"};
  const Result<unsigned> status = put_if_none(key_of(name), parts, limits);
  if (!status.ok()) return status.error();
  return status.value() != 412;
}

Result<std::vector<std::byte>> S3Storage::get(const std::string& name, std::uint64_t offset,
                                              std::uint64_t bytes, const Limits& limits) {
  if (Status may = may_begin(check_name(name), limits); !may.ok()) return may.error();
  if (bytes == 0) return std::vector<std::byte>{};
  S3Request request{"GET", key_of(name), {}, {{"range", range_of(offset, bytes)}}, {}};
  request.answer_max = std::max(bytes, kErrorBodyMax);
  Result<HttpAnswer> answer = client_.call(request, {416}, limits);
  if (!answer.ok()) return answer.error();
  HttpAnswer& got = answer.value();
  if (got.status == 416) return std::vector<std::byte>{};  // behind its end
  const bool in_place =
      got.status == 206 ? begins_at(got.headers["content-range"], offset) : offset == 0;
  if (!in_place || (got.status == 206 && got.body.size() > bytes))
    return Error{Errc::unsupported, describe() + " answers with another range than was asked for"};
  if (got.body.size() > bytes) got.body.resize(bytes);
  return std::move(got.body);
}

Result<std::vector<Entry>> S3Storage::list(const std::string& prefix, const std::string& after,
                                           std::size_t count, const Limits& limits) {
  if (Status may = may_begin(check_prefix(prefix), limits); !may.ok()) return may.error();
  return list_objects(client_, {prefix, after, count}, limits);
}

Status S3Storage::remove_one(const std::string& key, const Limits& limits) {
  const Result<HttpAnswer> answer = client_.call({"DELETE", key, {}, {}, {}}, {404}, limits);
  if (!answer.ok()) return answer.error();
  // Without the bucket nothing was removed.
  const S3Fault fault = read_fault(answer.value());
  if (answer.value().status == 404 && fault.code == "NoSuchBucket")
    return to_error(404, fault, "DELETE " + key);
  return Unit{};
}

// False: the server does not know how to remove several at once.
Result<bool> S3Storage::remove_batch(std::span<const std::string> names, const Limits& limits) {
  std::string list = "<Delete><Quiet>true</Quiet>";
  for (const std::string& name : names)
    list += "<Object><Key>" + xml_text(key_of(name)) + "</Key></Object>";
  list += "</Delete>";
  const std::string digest = md5_base64(list);
  if (digest.empty()) return false;
  const Bytes body = as_bytes(list);
  const Result<HttpAnswer> answer = client_.call(
      {"POST", "", {{"delete", ""}}, {{"content-md5", digest}}, Parts(&body, 1)}, {400}, limits);
  if (!answer.ok() && answer.error().code == Errc::unsupported) return false;
  if (!answer.ok()) return answer.error();
  if (answer.value().status == 400) return false;
  const Result<XmlElement> read = parse_xml(as_text(answer.value().body));
  if (!read.ok()) return read.error();
  for (const XmlElement& child : read.value().children) {
    const std::string_view code = child.text_of("Code");
    if (child.name != "Error" || code == "NoSuchKey") continue;
    const S3Fault fault{std::string(code), std::string(child.text_of("Message")), "", ""};
    const unsigned status = code == "AccessDenied" ? 403 : 500;
    return to_error(status, fault, fmt::format("DELETE {}", child.text_of("Key")));
  }
  return true;
}

Status S3Storage::remove(std::span<const std::string> names, const Limits& limits) {
  if (Status may = may_begin(check_names(names), limits); !may.ok()) return may;
  while (!names.empty()) {
    const std::span<const std::string> some = names.first(std::min(names.size(), kRemovedAtOnce));
    names = names.subspan(some.size());
    if (some.size() > 1 && batches_) {
      const Result<bool> done = remove_batch(some, limits);
      if (!done.ok()) return done.error();
      if (done.value()) continue;
      batches_ = false;
    }
    for (const std::string& name : some) {
      if (Status done = remove_one(key_of(name), limits); !done.ok()) return done;
    }
  }
  return Unit{};
}

}  // namespace wherry::storage
