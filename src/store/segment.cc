#include "store/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "store/place_bytes.h"
#include "support/hash.h"

namespace wherry::store {
namespace {

constexpr std::string_view kMagic = "WHERRYLG";
constexpr std::string_view kFooterMagic = "WHERRYFT";
constexpr std::string_view kEndMagic = "WHERRYEN";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderFixed = 16;  // magic, version, size
constexpr std::size_t kFooterHead = 16;   // magic, size, checksum
constexpr std::size_t kFooterEnd = 24;    // offset, size, checksum, magic
constexpr std::uint32_t kHeaderBytesMax = 64 << 20;
constexpr std::string_view kSuffix = ".seg";
constexpr std::size_t kDigits = 20;

std::string sealed(const BytesOut& out) {
  BytesOut crc;
  crc.uint(crc32c_of(out.bytes()), 4);
  return std::string(as_text(out.bytes())) + std::string(as_text(crc.bytes()));
}

// Whether the last four bytes are the checksum of those before.
bool intact(Bytes bytes) {
  return bytes.size() >= 4 &&
         load_le(bytes.data() + bytes.size() - 4, 4) == crc32c_of(bytes.first(bytes.size() - 4));
}

Error damaged(const File& file, std::uint64_t offset, std::string_view what) {
  return Error{Errc::malformed, fmt::format("{}, byte {}: {}", file.path(), offset, what)};
}

Result<std::vector<std::byte>> read_bytes(const File& file, std::uint64_t offset,
                                          std::size_t size) {
  const Result<bool> held = file.holds(offset, size);
  if (!held.ok()) return held.error();
  std::vector<std::byte> bytes(held.value() ? size : 0);
  const Result<std::size_t> got = file.read(offset, bytes);
  if (!got.ok()) return got.error();
  if (got.value() < size) {
    return Error{Errc::truncated,
                 fmt::format("{}: the file ends before byte {}", file.path(), offset + size)};
  }
  return bytes;
}

// An index names few files many times: each is written once.
void put(BytesOut& out, const std::vector<IndexEntry>& index) {
  std::vector<std::string_view> files;
  BytesOut entries;
  for (const IndexEntry& entry : index) {
    if (files.empty() || files.back() != entry.last.file.file)
      files.push_back(entry.last.file.file);
    entries.uint(entry.offset, 8);
    put(entries, entry.first);
    entries.uint(entry.last.cseq, 8).uint(entry.last.commit_us, 8);
    entries.uint(entry.last.generation, 8).uint(files.size() - 1, 4);
    entries.uint(entry.last.file.offset, 8);
  }
  out.uint(files.size(), 4);
  for (const std::string_view file : files) out.text(file);
  out.uint(index.size(), 4).text(as_text(entries.bytes()));
}

bool read_index(wherry::Cursor& in, std::vector<IndexEntry>& index) {
  std::vector<std::string> files(std::min<std::size_t>(in.uint_le(4), in.size()));
  for (std::string& file : files) file = read_text(in);
  constexpr std::size_t kEntry = 60;
  const std::size_t count = in.uint_le(4);
  if (in.uint_le(4) != count * kEntry || in.size() < count * kEntry) return false;
  index.resize(count);
  for (IndexEntry& entry : index) {
    entry.offset = in.uint_le(8);
    entry.first = read_point(in);
    entry.last.cseq = in.uint_le(8);
    entry.last.commit_us = in.uint_le(8);
    entry.last.generation = in.uint_le(8);
    const std::size_t file = in.uint_le(4);
    if (file >= files.size()) return false;
    entry.last.file.file = files[file];
    entry.last.file.offset = in.uint_le(8);
  }
  return !in.failed();
}

Result<Footer> decode_footer(Bytes bytes) {
  wherry::Cursor in(bytes.first(bytes.size() - 4));
  Footer footer;
  footer.end = read_point(in);
  footer.after = read_place(in);
  if (!read_index(in, footer.index)) return Error{Errc::malformed, "the footer's index"};
  const Status defined = decode_definitions(in.remaining(), footer.definitions);
  if (!defined.ok()) return defined.error();
  return footer;
}

}  // namespace

std::string segment_path(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{:020}{}", folder, number, kSuffix);
}

Result<std::vector<std::uint64_t>> list_segments(const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code failed;
  std::filesystem::directory_iterator entries(folder, failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    const std::string name = entries->path().filename().string();
    if (name.ends_with(".tmp")) {
      const Status gone = remove_file(entries->path().string());
      if (!gone.ok()) return gone.error();
    }
    if (name.size() != kDigits + kSuffix.size() || !name.ends_with(kSuffix)) continue;
    std::uint64_t number = 0;
    const char* const end = name.data() + kDigits;
    if (std::from_chars(name.data(), end, number).ptr == end) numbers.push_back(number);
  }
  if (failed) return Error{Errc::io, fmt::format("cannot list {}: {}", folder, failed.message())};
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string encode(const SegmentHeader& header) {
  BytesOut rest;
  rest.uint(header.number, 8).uint(header.dialect == Dialect::mysql ? 0 : 1, 1);
  rest.text(header.identity);
  put(rest, header.first);
  put(rest, header.before);
  BytesOut out;
  out.uint(load_le(as_bytes(kMagic).data(), 8), 8).uint(kVersion, 4);
  out.uint(kHeaderFixed + rest.size() + 4, 4);
  std::string all(as_text(out.bytes()));
  all += as_text(rest.bytes());
  BytesOut crc;
  crc.uint(crc32c_of(as_bytes(all)), 4);
  return all + std::string(as_text(crc.bytes()));
}

Result<SegmentHeader> read_segment_header(const File& file, std::uint64_t& size) {
  const auto fixed = read_bytes(file, 0, kHeaderFixed);
  if (!fixed.ok()) return fixed.error();
  wherry::Cursor start(fixed.value());
  if (start.text(kMagic.size()) != kMagic) return damaged(file, 0, "this is no segment of a log");
  const std::uint64_t version = start.uint_le(4);
  size = start.uint_le(4);
  if (size < kHeaderFixed + 4 || size > kHeaderBytesMax)
    return damaged(file, 12, "the size of the header is wrong");
  const auto whole = read_bytes(file, 0, size);
  if (!whole.ok()) return whole.error();
  if (!intact(whole.value())) return damaged(file, 0, "the checksum of the header is wrong");
  if (version != kVersion) {
    return Error{Errc::unsupported, fmt::format("{}: version {} of the log's format; this program "
                                                "reads version {}",
                                                file.path(), version, kVersion)};
  }
  wherry::Cursor in(Bytes(whole.value()).subspan(kHeaderFixed, size - kHeaderFixed - 4));
  SegmentHeader header;
  header.number = in.uint_le(8);
  header.dialect = in.uint_le(1) == 0 ? Dialect::mysql : Dialect::mariadb;
  header.identity = read_text(in);
  header.first = read_point(in);
  header.before = read_place(in);
  if (in.failed() || in.size() != 0) return damaged(file, 0, "the header contradicts its size");
  return header;
}

std::string encode(const Footer& footer, std::uint64_t offset) {
  BytesOut out;
  put(out, footer.end);
  put(out, footer.after);
  put(out, footer.index);
  std::string body(as_text(out.bytes()));
  body += encode_definitions(footer.definitions);
  BytesOut crc;
  crc.uint(crc32c_of(as_bytes(body)), 4);
  body += as_text(crc.bytes());
  BytesOut head;
  head.uint(load_le(as_bytes(kFooterMagic).data(), 8), 8);
  head.uint(kFooterHead + body.size() + kFooterEnd, 4);
  BytesOut end;
  end.uint(offset, 8).uint(kFooterHead + body.size(), 4);
  return sealed(head) + body + sealed(end) + std::string(kEndMagic);
}

Result<bool> footer_is_cut(const File& file, std::uint64_t offset) {
  std::vector<std::byte> head(kFooterHead);
  const Result<std::size_t> got = file.read(offset, head);
  if (!got.ok()) return got.error();
  const std::string_view begun = as_text(Bytes(head)).substr(0, got.value());
  if (got.value() < kFooterHead)
    return begun.substr(0, kFooterMagic.size()) == kFooterMagic.substr(0, begun.size());
  if (!begun.starts_with(kFooterMagic) || !intact(head)) return false;
  const Result<std::uint64_t> size = file.size();
  if (!size.ok()) return size.error();
  return offset + load_le(head.data() + 8, 4) > size.value();
}

Result<std::optional<FoundFooter>> read_footer(const File& file) {
  const Result<std::uint64_t> size = file.size();
  if (!size.ok()) return size.error();
  if (size.value() < kFooterEnd) return std::optional<FoundFooter>();
  const auto end = read_bytes(file, size.value() - kFooterEnd, kFooterEnd);
  if (!end.ok()) return end.error();
  const Bytes bytes(end.value());
  const bool magic = as_text(bytes.last(kEndMagic.size())) == kEndMagic;
  const bool checked = intact(bytes.first(kFooterEnd - kEndMagic.size()));
  // A footer that is cut behind its head ends in a head, which has a checksum too.
  const bool head = as_text(bytes).starts_with(kFooterMagic);
  if (!magic && (!checked || head)) return std::optional<FoundFooter>();
  if (!magic || !checked)
    return damaged(file, size.value() - kFooterEnd, "the end of the footer is damaged");
  FoundFooter found;
  found.offset = load_le(bytes.data(), 8);
  const std::size_t footer_bytes = load_le(bytes.data() + 8, 4);
  const std::uint64_t before_end = size.value() - kFooterEnd;
  if (footer_bytes < kFooterHead + 4 || footer_bytes > before_end ||
      found.offset != before_end - footer_bytes)
    return damaged(file, found.offset, "the footer does not end where the file ends");
  const auto body = read_bytes(file, found.offset, footer_bytes);
  if (!body.ok()) return body.error();
  const Bytes whole(body.value());
  const bool begun = as_text(whole).starts_with(kFooterMagic) && intact(whole.first(kFooterHead));
  if (!begun || !intact(whole.subspan(kFooterHead)))
    return damaged(file, found.offset, "the checksum of the footer is wrong");
  Result<Footer> footer = decode_footer(whole.subspan(kFooterHead));
  if (!footer.ok()) return damaged(file, found.offset, footer.error().what);
  found.footer = std::move(footer).value();
  return std::optional<FoundFooter>(std::move(found));
}

std::string encode_definitions(const Definitions& definitions) {
  BytesOut out;
  out.uint(definitions.size(), 4);
  for (const auto& [id, content] : definitions) out.uint(id, 8).text(*content);
  return std::string(as_text(out.bytes()));
}

Status decode_definitions(Bytes body, Definitions& into) {
  wherry::Cursor in(body);
  for (std::uint64_t left = in.uint_le(4); left > 0 && !in.failed(); --left) {
    const std::uint64_t id = in.uint_le(8);
    into[id] = std::make_shared<const std::string>(read_text(in));
  }
  if (in.failed() || in.size() != 0) return Error{Errc::malformed, "the list of definitions"};
  return Unit{};
}

}  // namespace wherry::store
