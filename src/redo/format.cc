#include "redo/format.h"

#include <fmt/core.h>

#include "store/block.h"
#include "store/place_bytes.h"

namespace wherry::redo {
namespace {

using store::BytesOut;

constexpr std::string_view kFileMagic = "WHERRYRD";
constexpr std::string_view kFooterMagic = "WHERRYRF";
constexpr std::string_view kEndMagic = "WHERRYRE";
constexpr std::string_view kClaimMagic = "WHERRYRC";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kWithSnapshot = 2;  // of a claim or footer that counts pieces
constexpr std::size_t kFixed = 16;          // magic, version or size of what follows
constexpr std::size_t kEnd = 24;            // offset, size, checksum, magic
constexpr std::size_t kCrc = 4;

void put(BytesOut& out, const Hash128& hash) { out.uint(hash.low, 8).uint(hash.high, 8); }
Hash128 read_hash(wherry::Cursor& in) {
  Hash128 hash;
  hash.low = in.uint_le(8);
  hash.high = in.uint_le(8);
  return hash;
}
void put(BytesOut& out, const EpochId& epoch) { out.uint(epoch.number, 8).uint(epoch.nonce, 8); }
EpochId read_epoch(wherry::Cursor& in) {
  EpochId epoch;
  epoch.number = in.uint_le(8);
  epoch.nonce = in.uint_le(8);
  return epoch;
}
void put(BytesOut& out, Dialect dialect) { out.uint(dialect == Dialect::mysql ? 0 : 1, 1); }
Dialect read_dialect(wherry::Cursor& in) {
  return in.uint_le(1) == 0 ? Dialect::mysql : Dialect::mariadb;
}

std::string checked(const std::string& text) {
  BytesOut crc;
  crc.uint(crc32c_of(as_bytes(text)), kCrc);
  return text + std::string(as_text(crc.bytes()));
}

bool intact(Bytes bytes) {
  const Bytes content = bytes.first(bytes.size() - kCrc);
  return load_le(bytes.data() + content.size(), kCrc) == crc32c_of(content);
}

Error damaged(const std::string& name, std::uint64_t offset, std::string_view what) {
  return Error{Errc::malformed, fmt::format("{}, byte {}: {}", name, offset, what)};
}

std::uint32_t version_of(const std::optional<SnapshotMark>& snapshot) {
  return snapshot ? kWithSnapshot : kVersion;
}
void put(BytesOut& out, const std::optional<SnapshotMark>& snapshot) {
  if (snapshot) out.uint(snapshot->pieces, 8).uint(snapshot->complete ? 1 : 0, 1);
}
std::optional<SnapshotMark> read_snapshot(wherry::Cursor& in, std::uint32_t version) {
  if (version != kWithSnapshot) return std::nullopt;
  SnapshotMark mark;
  mark.pieces = in.uint_le(8);
  const std::uint64_t complete = in.uint_le(1);
  mark.complete = complete == 1;
  if (complete > 1) in.fail();
  return mark;
}

// magic u32:version u32:size content u32:checksum
std::string enclosed(std::string_view magic, std::uint32_t version, const BytesOut& content) {
  BytesOut head;
  head.uint(version, 4).uint(kFixed + content.size() + kCrc, 4);
  return checked(std::string(magic) + std::string(as_text(head.bytes())) +
                 std::string(as_text(content.bytes())));
}

// What one of the parts is: its first bytes, what messages call it, the newest version known.
struct Part {
  std::string_view magic;
  std::string_view what;
  std::uint32_t newest = kVersion;
};
constexpr Part kFilePart{kFileMagic, "redo file"};
constexpr Part kFooterPart{kFooterMagic, "footer", kWithSnapshot};
constexpr Part kClaimPart{kClaimMagic, "claim of an epoch", kWithSnapshot};

struct Content {
  std::uint32_t version = 0;
  Bytes bytes;
};

Result<Content> content_of(Bytes object, const Part& part, const std::string& name) {
  const auto [magic, what, newest] = part;
  wherry::Cursor in(object);
  if (in.text(magic.size()) != magic && object.size() >= magic.size())
    return damaged(name, 0, fmt::format("this is no {}", what));
  const auto version = static_cast<std::uint32_t>(in.uint_le(4));
  const std::uint64_t size = in.uint_le(4);
  if (in.failed() || (size >= kFixed + kCrc && size > object.size()))
    return Error{Errc::truncated, fmt::format("{}: the {} ends inside its header", name, what)};
  if (size < kFixed + kCrc) return damaged(name, 12, "the size of the header is wrong");
  if (!intact(object.first(size))) return damaged(name, 0, "the checksum of the header is wrong");
  if (version < kVersion || version > newest) {
    return Error{Errc::unsupported, fmt::format("{}: version {} of the redo format; this program "
                                                "reads version {}",
                                                name, version, newest)};
  }
  return Content{version, object.subspan(kFixed, size - kFixed - kCrc)};
}

void put_fields(BytesOut& out, const FileFooter& footer) {
  store::put(out, footer.end);
  store::put(out, footer.after);
  out.uint(footer.durable, 8).uint(footer.checkpoint, 8);
  put(out, footer.snapshot);
}

}  // namespace

std::string encode(const FileHeader& header) {
  BytesOut out;
  out.text(header.feed);
  put(out, header.epoch);
  out.uint(header.number, 8);
  put(out, header.dialect);
  store::put(out, header.first);
  store::put(out, header.before);
  put(out, header.previous);
  return enclosed(kFileMagic, kVersion, out);
}

Result<FileHeader> decode_header(Bytes file, const std::string& name, std::size_t& size) {
  const Result<Content> content = content_of(file, kFilePart, name);
  if (!content.ok()) return content.error();
  wherry::Cursor in(content.value().bytes);
  FileHeader header;
  header.feed = store::read_text(in);
  header.epoch = read_epoch(in);
  header.number = in.uint_le(8);
  header.dialect = read_dialect(in);
  header.first = store::read_point(in);
  header.before = store::read_place(in);
  header.previous = read_hash(in);
  if (in.failed() || in.size() != 0) return damaged(name, 0, "the header contradicts its size");
  size = kFixed + content.value().bytes.size() + kCrc;
  return header;
}

std::string encode(const FileFooter& footer, std::uint64_t offset) {
  BytesOut fields;
  put_fields(fields, footer);
  put(fields, footer.chain);
  const std::string body = enclosed(kFooterMagic, version_of(footer.snapshot), fields);
  BytesOut end;
  end.uint(offset, 8).uint(body.size(), 4);
  return body + checked(std::string(as_text(end.bytes()))) + std::string(kEndMagic);
}

Result<FileFooter> decode_footer(Bytes tail, std::uint64_t size, const std::string& name,
                                 std::uint64_t& offset) {
  const Error cut{Errc::truncated, fmt::format("{}: the file ends before its footer does", name)};
  if (tail.size() < kEnd) return cut;
  const Bytes end = tail.last(kEnd);
  if (as_text(end.last(kEndMagic.size())) != kEndMagic) return cut;
  if (!intact(end.first(kEnd - kEndMagic.size())))
    return damaged(name, size - kEnd, "the checksum of the footer's place is wrong");
  offset = load_le(end.data(), 8);
  const std::uint64_t bytes = load_le(end.data() + 8, 4);
  if (offset + bytes + kEnd != size || offset + bytes + kEnd < offset)
    return damaged(name, size - kEnd, "the footer's place is not where the file ends");
  if (bytes + kEnd > tail.size())
    return Error{Errc::truncated, fmt::format("{}: the footer needs {} bytes", name, bytes + kEnd)};
  const Result<Content> content = content_of(tail.last(bytes + kEnd).first(bytes), kFooterPart,
                                             fmt::format("{}, byte {}", name, offset));
  if (!content.ok()) return content.error();
  wherry::Cursor in(content.value().bytes);
  FileFooter footer;
  footer.end = store::read_point(in);
  footer.after = store::read_place(in);
  footer.durable = in.uint_le(8);
  footer.checkpoint = in.uint_le(8);
  footer.snapshot = read_snapshot(in, content.value().version);
  footer.chain = read_hash(in);
  if (in.failed() || in.size() != 0)
    return damaged(name, offset, "the footer contradicts its size");
  return footer;
}

std::string encode(const Claim& claim) {
  BytesOut out;
  out.text(claim.feed);
  put(out, claim.epoch);
  put(out, claim.dialect);
  out.text(claim.source);
  store::put(out, claim.begin);
  out.text(claim.mapping);
  out.uint(claim.previous ? 1 : 0, 1);
  const Claim::Previous previous = claim.previous.value_or(Claim::Previous{});
  put(out, previous.epoch);
  out.uint(previous.number, 8);
  put(out, previous.chain);
  put(out, claim.snapshot);
  return enclosed(kClaimMagic, version_of(claim.snapshot), out);
}

Result<Claim> decode_claim(Bytes object, const std::string& name) {
  const Result<Content> content = content_of(object, kClaimPart, name);
  if (!content.ok()) return content.error();
  wherry::Cursor in(content.value().bytes);
  Claim claim;
  claim.feed = store::read_text(in);
  claim.epoch = read_epoch(in);
  claim.dialect = read_dialect(in);
  claim.source = store::read_text(in);
  claim.begin = store::read_place(in);
  claim.mapping = store::read_text(in);
  const bool follows = in.uint_le(1) != 0;
  Claim::Previous previous;
  previous.epoch = read_epoch(in);
  previous.number = in.uint_le(8);
  previous.chain = read_hash(in);
  if (follows) claim.previous = previous;
  claim.snapshot = read_snapshot(in, content.value().version);
  if (in.failed() || in.size() != 0) return damaged(name, 0, "the claim contradicts its size");
  return claim;
}

Chain::Chain(const Hash128& previous) {
  BytesOut out;
  put(out, previous);
  add(out.bytes());
}

void Chain::add_frame(Bytes block) {
  add(block.first(store::kBlockHead));
  add(block.last(store::kBlockTail));
}

Hash128 Chain::behind(const FileFooter& footer) const {
  BytesOut fields;
  put_fields(fields, footer);
  return hash128(input_ + std::string(as_text(fields.bytes())));
}

}  // namespace wherry::redo
