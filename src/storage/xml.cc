#include "storage/xml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "support/ascii.h"

namespace wherry::storage {
namespace {

constexpr std::size_t kDepthMax = 16;
constexpr std::size_t kElementsMax = 200'000;
constexpr std::size_t kEntityMax = 10;

Error malformed(std::string_view why) { return {Errc::malformed, "XML: " + std::string(why)}; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// What stands between '&' and ';'.
std::optional<std::string> entity(std::string_view name) {
  if (name == "lt") return "<";
  if (name == "gt") return ">";
  if (name == "amp") return "&";
  if (name == "quot") return "\"";
  if (name == "apos") return "'";
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  std::uint32_t code = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, code, hex ? 16 : 10);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (name.empty() || error != std::errc() || stop != end || code == 0 || code > 0x10FFFF ||
      surrogate)
    return std::nullopt;
  std::string out;
  append_utf8(out, code);
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Result<XmlElement> read();

 private:
  Status step();
  Status markup();
  Status open_tag(std::string_view tag);
  Status close_tag(std::string_view tag);
  Status characters(std::string_view text);
  Result<std::string_view> up_to(std::string_view end);

  std::string_view rest_;
  std::vector<XmlElement> open_;  // from the root down to where the text stands
  std::optional<XmlElement> root_;
  std::size_t elements_ = 0;
};

// A name of a tag without its namespace, and nothing that is none.
std::string_view local_name(std::string_view tag) {
  const std::size_t end = std::min(tag.find_first_of(" \t\r\n/"), tag.size());
  const std::string_view name = tag.substr(0, end);
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

Result<std::string_view> Reader::up_to(std::string_view end) {
  const std::size_t at = rest_.find(end);
  if (at == std::string_view::npos) return malformed("it ends too early");
  const std::string_view inside = rest_.substr(0, at);
  rest_.remove_prefix(at + end.size());
  return inside;
}

Status Reader::characters(std::string_view text) {
  if (open_.empty()) {
    const bool blank = std::all_of(text.begin(), text.end(), ascii::space);
    return blank ? Status(Unit{}) : Status(malformed("text outside of its element"));
  }
  std::string& out = open_.back().text;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('&'), text.size());
    out += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos || end > kEntityMax) return malformed("a bare '&'");
    const std::optional<std::string> meant = entity(text.substr(1, end - 1));
    if (!meant) return malformed("an unknown entity");
    out += *meant;
    text.remove_prefix(end + 1);
  }
  return Unit{};
}

Status Reader::close_tag(std::string_view tag) {
  if (open_.empty() || local_name(tag) != open_.back().name)
    return malformed("a tag is closed that is not open");
  XmlElement done = std::move(open_.back());
  open_.pop_back();
  if (open_.empty()) {
    root_ = std::move(done);
  } else {
    open_.back().children.push_back(std::move(done));
  }
  return Unit{};
}

Status Reader::open_tag(std::string_view tag) {
  if (root_) return malformed("two elements at the top");
  if (open_.size() >= kDepthMax) return malformed("it is nested too deep");
  if (++elements_ > kElementsMax) return malformed("it has too many elements");
  const std::string_view name = local_name(tag);
  if (name.empty() || tag.find('<') != std::string_view::npos) return malformed("a broken tag");
  open_.push_back({std::string(name), {}, {}});
  return tag.ends_with('/') ? close_tag(name) : Status(Unit{});
}

// Behind a '<'.
Status Reader::markup() {
  const auto skip = [&](std::size_t begin, std::string_view end) -> Status {
    rest_.remove_prefix(begin);
    const Result<std::string_view> skipped = up_to(end);
    return skipped.ok() ? Status(Unit{}) : Status(skipped.error());
  };
  if (rest_.starts_with("?")) return skip(1, "?>");
  if (rest_.starts_with("!--")) return skip(3, "-->");
  if (rest_.starts_with("![CDATA[")) {
    rest_.remove_prefix(8);
    const Result<std::string_view> inside = up_to("]]>");
    if (!inside.ok()) return inside.error();
    if (open_.empty()) return malformed("text outside of its element");
    open_.back().text += inside.value();
    return Unit{};
  }
  if (rest_.starts_with("!")) return malformed("a document type");
  const Result<std::string_view> tag = up_to(">");
  if (!tag.ok()) return tag.error();
  return tag.value().starts_with('/') ? close_tag(tag.value().substr(1)) : open_tag(tag.value());
}

Status Reader::step() {
  if (rest_.front() == '<') {
    rest_.remove_prefix(1);
    return markup();
  }
  const std::size_t end = std::min(rest_.find('<'), rest_.size());
  const std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return characters(text);
}

Result<XmlElement> Reader::read() {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  while (!rest_.empty()) {
    if (Status done = step(); !done.ok()) return done.error();
  }
  if (!root_) return malformed("it ends too early");
  return std::move(*root_);
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& element : children) {
    if (element.name == wanted) return &element;
  }
  return nullptr;
}

std::string_view XmlElement::text_of(std::string_view wanted) const {
  const XmlElement* const found = child(wanted);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlElement> parse_xml(std::string_view text) { return Reader(text).read(); }

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace wherry::storage
