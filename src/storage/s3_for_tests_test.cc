// The small S3 that the tests of this room talk to; here, since it belongs to no library.

#include "storage/s3_for_tests.h"

#include <algorithm>

#include "support/ascii.h"

namespace wherry::storage {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    out += static_cast<char>(ascii::hex_value(text[i + 1]) * 16 + ascii::hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

}  // namespace

std::map<std::string, std::string> S3ForTests::query_of(const std::string& line) {
  std::map<std::string, std::string> query;
  const std::size_t mark = line.find('?');
  std::string rest = mark == std::string::npos ? "" : line.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::size_t equals = rest.find('=');
    query[decoded(rest.substr(0, equals))] = decoded(rest.substr(equals + 1, end - equals - 1));
    rest.erase(0, end + 1);
  }
  return query;
}

HttpAnswer S3ForTests::State::serve(const SeenRequest& request) {
  auto query = query_of(request.line);
  const std::size_t begin = request.line.find('/') + 1;
  const std::string path =
      request.line.substr(begin, std::min(request.line.find('?'), request.line.size()) - begin);
  const std::size_t slash = path.find('/');
  const std::string key = slash == std::string::npos ? "" : decoded(path.substr(slash + 1));
  if (path.substr(0, slash) != "bucket") return fault(404, "NoSuchBucket");
  if (query.contains("delete")) return remove_many(request.body);
  if (query.contains("uploads") || query.contains("uploadId")) return part(request, key, query);
  if (query.contains("list-type")) return list(query);
  if (request.line.starts_with("PUT ")) return put(request, key);
  if (request.line.starts_with("GET ")) return get(request, key);
  objects.erase(key);
  return say(204);
}

HttpAnswer S3ForTests::State::put(const SeenRequest& request, const std::string& key) {
  if (request.headers.contains("if-none-match")) {
    if (condition == Condition::unsupported) return fault(501, "NotImplemented");
    if (condition == Condition::honoured && objects.contains(key))
      return fault(412, "PreconditionFailed");
  }
  objects[key] = request.body;
  return say(200);
}

HttpAnswer S3ForTests::State::get(const SeenRequest& request, const std::string& key) const {
  const auto found = objects.find(key);
  if (found == objects.end()) return fault(404, "NoSuchKey");
  const std::string range = request.headers.at("range").substr(6);
  const std::uint64_t first = std::stoull(range);
  const std::string last = range.substr(range.find('-') + 1);
  if (first >= found->second.size()) return fault(416, "InvalidRange");
  const std::uint64_t end =
      last.empty() ? found->second.size()
                   : std::min<std::uint64_t>(std::stoull(last) + 1, found->second.size());
  HttpAnswer said = say(206, found->second.substr(first, end - first));
  said.headers["content-range"] =
      fmt::format("bytes {}-{}/{}", first, end - 1, found->second.size());
  return said;
}

HttpAnswer S3ForTests::State::list(std::map<std::string, std::string>& query) const {
  std::string after = query["continuation-token"];
  if (after.empty()) after = query["start-after"];
  std::size_t room = std::stoul(query["max-keys"]);
  std::string body;
  std::string last;
  bool more = false;
  for (const auto& [key, content] : objects) {
    if (!key.starts_with(query["prefix"]) || key <= after) continue;
    more = room == 0;
    if (more) break;
    --room;
    last = key;
    body += fmt::format("<Contents><Key>{}</Key><Size>{}</Size></Contents>", xml_text(key),
                        content.size());
  }
  return say(200, fmt::format("<ListBucketResult><IsTruncated>{}</IsTruncated>"
                              "<NextContinuationToken>{}</NextContinuationToken>{}"
                              "</ListBucketResult>",
                              more, more ? xml_text(last) : "", body));
}

HttpAnswer S3ForTests::State::remove_many(const std::string& body) {
  if (!batches) return fault(501, "NotImplemented");
  const Result<XmlElement> read = parse_xml(body);
  if (!read.ok()) return fault(400, "MalformedXML");
  for (const XmlElement& child : read.value().children)
    objects.erase(std::string(child.text_of("Key")));
  return say(200, "<DeleteResult></DeleteResult>");
}

HttpAnswer S3ForTests::State::part(const SeenRequest& request, const std::string& key,
                                   std::map<std::string, std::string>& query) {
  if (query.contains("uploads")) {
    const std::string id = "upload/" + std::to_string(seen.size());
    uploads[id];
    return say(200, "<InitiateMultipartUploadResult><UploadId>" + id +
                        "</UploadId></InitiateMultipartUploadResult>");
  }
  const auto upload = uploads.find(query["uploadId"]);
  if (upload == uploads.end()) return fault(404, "NoSuchUpload");
  if (query.contains("partNumber")) {
    upload->second[std::stoi(query["partNumber"])] = request.body;
    HttpAnswer said = say(200);
    said.headers["etag"] = "\"tag-" + query["partNumber"] + "\"";
    return said;
  }
  if (request.line.starts_with("POST ")) {
    std::string whole;
    for (const auto& [number, text] : upload->second) whole += text;
    objects[key] = whole;
  }
  uploads.erase(upload);
  return say(200, "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>");
}

}  // namespace wherry::storage
