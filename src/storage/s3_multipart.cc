#include "storage/s3_multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "storage/s3_error.h"
#include "storage/xml.h"
#include "support/guarded.h"
#include "support/log.h"
#include "support/stop_link.h"

namespace wherry::storage {
namespace {

constexpr std::uint64_t kPartsMax = 10'000;  // S3's own bound
constexpr std::chrono::seconds kAbortTimeout{30};

// The pieces from an offset on, so many bytes of them.
std::vector<Bytes> slice(Parts parts, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<Bytes> pieces;
  for (const Bytes part : parts) {
    const std::uint64_t skipped = std::min<std::uint64_t>(offset, part.size());
    offset -= skipped;
    const std::uint64_t taken = std::min<std::uint64_t>(part.size() - skipped, bytes);
    if (taken > 0) pieces.push_back(part.subspan(skipped, taken));
    bytes -= taken;
    if (bytes == 0) break;
  }
  return pieces;
}

class Upload {
 public:
  Upload(S3Client& client, std::string key, Parts parts)
      : client_(client), key_(std::move(key)), parts_(parts), bytes_(total_bytes(parts)) {
    part_bytes_ = std::max(client.options().part_bytes, (bytes_ + kPartsMax - 1) / kPartsMax);
    tags_.resize((bytes_ + part_bytes_ - 1) / part_bytes_);
  }

  Status run(const Limits& limits);

 private:
  struct Progress {
    std::size_t next = 0;
    std::optional<Error> error;
  };

  Status begin(const Limits& limits);
  Status send_parts(const Limits& limits);
  void send_some(const Limits& limits, std::stop_source& failed);
  Status send_part(std::size_t index, const Limits& limits);
  Status complete(const Limits& limits);
  void abort();

  S3Client& client_;
  const std::string key_;
  const Parts parts_;
  const std::uint64_t bytes_;
  std::uint64_t part_bytes_ = 0;
  std::string id_;
  std::vector<std::string> tags_;  // each is written by the thread that sends its part
  Guarded<Progress> progress_;
};

Status Upload::begin(const Limits& limits) {
  const Result<HttpAnswer> answer =
      client_.call({"POST", key_, {{"uploads", ""}}, {}, {}}, {}, limits);
  if (!answer.ok()) return answer.error();
  const Result<XmlElement> read = parse_xml(as_text(answer.value().body));
  if (!read.ok()) return read.error();
  id_ = read.value().text_of("UploadId");
  return id_.empty() ? Status(Error{Errc::malformed, "the answer has no UploadId"})
                     : Status(Unit{});
}

Status Upload::send_part(std::size_t index, const Limits& limits) {
  const std::vector<Bytes> body = slice(parts_, index * part_bytes_, part_bytes_);
  const QueryPairs query{{"partNumber", std::to_string(index + 1)}, {"uploadId", id_}};
  const Result<HttpAnswer> answer = client_.call({"PUT", key_, query, {}, body}, {}, limits);
  if (!answer.ok()) return answer.error();
  const auto tag = answer.value().headers.find("etag");
  if (tag == answer.value().headers.end())
    return Error{Errc::malformed, "the answer to a part has no ETag"};
  tags_[index] = tag->second;
  return Unit{};
}

// Until no part is left or one has failed.
void Upload::send_some(const Limits& limits, std::stop_source& failed) {
  while (true) {
    const std::optional<std::size_t> index =
        progress_.with([&](Progress& progress) -> std::optional<std::size_t> {
          if (progress.error || progress.next == tags_.size()) return std::nullopt;
          return progress.next++;
        });
    if (!index) return;
    const Status sent = send_part(*index, limits);
    if (sent.ok()) continue;
    progress_.with([&](Progress& progress) {
      if (!progress.error) progress.error = sent.error();
    });
    failed.request_stop();
    return;
  }
}

Status Upload::send_parts(const Limits& limits) {
  std::stop_source failed;
  const StopLink by_caller(limits.stop, failed);
  const Limits each{limits.timeout, failed.get_token()};
  std::vector<std::thread> senders;
  const std::size_t count = std::min<std::size_t>(client_.options().parts_at_once, tags_.size());
  for (std::size_t i = 1; i < count; ++i) senders.emplace_back([&] { send_some(each, failed); });
  send_some(each, failed);
  for (std::thread& sender : senders) sender.join();
  const std::optional<Error> error =
      progress_.read([](const Progress& progress) { return progress.error; });
  return error ? Status(*error) : Status(Unit{});
}

Status Upload::complete(const Limits& limits) {
  std::string list = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < tags_.size(); ++i)
    list += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                        xml_text(tags_[i]));
  list += "</CompleteMultipartUpload>";
  const Bytes body = as_bytes(list);
  const Result<HttpAnswer> answer =
      client_.call({"POST", key_, {{"uploadId", id_}}, {}, Parts(&body, 1)}, {}, limits);
  if (!answer.ok()) return answer.error();
  // The status is sent before the parts are joined, so an error may stand in the body. The name of
  // the answer differs between servers, its tag does not.
  const Result<XmlElement> read = parse_xml(as_text(answer.value().body));
  if (read.ok() && read.value().name == "Error")
    return to_error(500, read_fault(answer.value()), "POST " + key_);
  if (read.ok() && read.value().child("ETag") != nullptr) return Unit{};
  return Error{Errc::network, "the upload was completed with no clear answer"};
}

void Upload::abort() {
  const Result<HttpAnswer> answer =
      client_.call({"DELETE", key_, {{"uploadId", id_}}, {}, {}}, {404}, {kAbortTimeout, {}});
  if (!answer.ok())
    log::warning("storage", "parts of {} may be left behind: {}", key_, answer.error().what);
}

Status Upload::run(const Limits& limits) {
  if (Status begun = begin(limits); !begun.ok()) return begun;
  Status done = send_parts(limits);
  if (done.ok()) done = complete(limits);
  if (!done.ok()) abort();
  return done;
}

}  // namespace

Status put_in_parts(S3Client& client, const std::string& key, Parts parts, const Limits& limits) {
  const Status done = Upload(client, key, parts).run(limits);
  return done.ok() ? done : Status(done.error().within("in parts"));
}

}  // namespace wherry::storage
