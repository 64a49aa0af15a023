#include "storage/s3_list.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "storage/object_name.h"
#include "storage/xml.h"

namespace wherry::storage {
namespace {

constexpr std::size_t kPageMax = 1'000;  // S3's own bound

struct Page {
  std::vector<Entry> entries;  // with whole keys
  bool more = false;
  std::string token;  // of the next page
};

Result<Page> read_page(const HttpAnswer& answer) {
  const Result<XmlElement> read = parse_xml(as_text(answer.body));
  if (!read.ok()) return read.error();
  const XmlElement& root = read.value();
  if (root.name != "ListBucketResult")
    return Error{Errc::malformed, "the answer is no list of objects"};
  Page page;
  for (const XmlElement& child : root.children) {
    if (child.name != "Contents") continue;
    Entry entry{std::string(child.text_of("Key")), 0};
    const std::string_view size = child.text_of("Size");
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), entry.bytes);
    if (entry.name.empty() || size.empty() || error != std::errc() ||
        stop != size.data() + size.size())
      return Error{Errc::malformed, "an object in the list has no name or no size"};
    page.entries.push_back(std::move(entry));
  }
  page.more = root.text_of("IsTruncated") == "true";
  page.token = root.text_of("NextContinuationToken");
  if (page.more && page.token.empty())
    return Error{Errc::malformed, "the list goes on without saying where"};
  return page;
}

}  // namespace

Result<std::vector<Entry>> list_objects(S3Client& client, const WalkRange& range,
                                        const Limits& limits) {
  const std::string& base = client.options().prefix;
  std::vector<Entry> found;
  std::string newest = range.after;
  std::string token;
  while (found.size() < range.count) {
    QueryPairs query{{"list-type", "2"},
                     {"max-keys", std::to_string(std::min(range.count - found.size(), kPageMax))},
                     {"prefix", base + range.prefix}};
    if (!token.empty()) {
      query.emplace_back("continuation-token", token);
    } else if (!range.after.empty()) {
      query.emplace_back("start-after", base + range.after);
    }
    const Result<HttpAnswer> answer =
        client.call({"GET", "", std::move(query), {}, {}}, {}, limits);
    if (!answer.ok()) return answer.error();
    Result<Page> page = read_page(answer.value());
    if (!page.ok()) return page.error();
    for (Entry& entry : page.value().entries) {
      if (!entry.name.starts_with(base)) continue;
      entry.name.erase(0, base.size());
      // Not every server knows start-after, and not every object was put by us.
      if (entry.name <= range.after || !entry.name.starts_with(range.prefix)) continue;
      if (!check_name(entry.name).ok()) continue;
      if (entry.name <= newest)
        return Error{Errc::unsupported, "the server does not list objects in order"};
      newest = entry.name;
      if (found.size() < range.count) found.push_back(std::move(entry));
    }
    if (!page.value().more) break;
    token = page.value().token;
  }
  return found;
}

}  // namespace wherry::storage
