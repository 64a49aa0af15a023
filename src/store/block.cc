#include "store/block.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "store/bytes_out.h"
#include "support/hash.h"

namespace wherry::store {
namespace {

constexpr std::uint32_t kMagic = 0x4B4C4257;    // "WBLK"
constexpr std::uint32_t kEndMark = 0x444E4557;  // "WEND": a block that is there whole ends in it
constexpr std::uint8_t kContinues = 1;
constexpr std::uint8_t kOpen = 2;
constexpr int kZstdLevel = 1;
constexpr auto kKindMax = static_cast<std::uint8_t>(BlockKind::snapshot);

void encode_tail(Bytes stored, std::byte* at) {
  put_le(put_le(at, crc32c_of(stored), 4), kEndMark, 4);
}

bool intact(Bytes stored, const std::byte* tail) {
  return load_le(tail, 4) == crc32c_of(stored) && load_le(tail + 4, 4) == kEndMark;
}

Status unpack(Bytes stored, const BlockHeader& header, std::vector<std::byte>& body) {
  // A part of a frame takes 4 bytes and more, and makes at most so many.
  constexpr std::size_t kPartMin = 4;
  const bool possible = header.body_bytes / ZSTD_BLOCKSIZE_MAX <= stored.size() / kPartMin;
  const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (!possible || size != header.body_bytes)
    return Error{Errc::malformed, "the packed size of the block is wrong"};
  body.resize(header.body_bytes);
  const std::size_t done = ZSTD_decompress(body.data(), body.size(), stored.data(), stored.size());
  if (ZSTD_isError(done) != 0 || done != body.size())
    return Error{Errc::malformed, "the block cannot be unpacked"};
  return Unit{};
}

}  // namespace

void encode(const BlockHeader& header, std::byte* at) {
  std::byte* const begin = at;
  at = put_le(at, kMagic, 4);
  at = put_le(at, header.stored_bytes, 4);
  at = put_le(at, header.body_bytes, 4);
  at = put_le(at, static_cast<std::uint8_t>(header.kind), 1);
  at = put_le(at, static_cast<std::uint8_t>(header.codec), 1);
  at = put_le(at, (header.continues ? kContinues : 0) | (header.open ? kOpen : 0), 1);
  at = put_le(at, 0, 1);
  at = put_le(at, header.first.cseq, 8);
  at = put_le(at, header.first.row, 8);
  at = put_le(at, header.last_cseq, 8);
  put_le(at, crc32c_of({begin, kBlockHead - 4}), 4);
}

Result<BlockHeader> decode_block_header(Bytes head) {
  if (head.size() < kBlockHead) return Error{Errc::truncated, "the file ends inside the header"};
  if (load_le(head.data() + kBlockHead - 4, 4) != crc32c_of(head.first(kBlockHead - 4)))
    return Error{Errc::malformed, "the checksum of the block's header is wrong"};
  wherry::Cursor in(head);
  const bool magic = in.uint_le(4) == kMagic;
  BlockHeader header;
  header.stored_bytes = static_cast<std::uint32_t>(in.uint_le(4));
  header.body_bytes = static_cast<std::uint32_t>(in.uint_le(4));
  const auto kind = static_cast<std::uint8_t>(in.uint_le(1));
  const auto codec = static_cast<std::uint8_t>(in.uint_le(1));
  const auto flags = static_cast<std::uint8_t>(in.uint_le(1));
  const auto zero = in.uint_le(1);
  header.kind = static_cast<BlockKind>(kind);
  header.codec = static_cast<Codec>(codec);
  header.continues = (flags & kContinues) != 0;
  header.open = (flags & kOpen) != 0;
  header.first.cseq = in.uint_le(8);
  header.first.row = in.uint_le(8);
  header.last_cseq = in.uint_le(8);
  if (!magic || kind > kKindMax || codec > 1 || flags > 3 || zero != 0)
    return Error{Errc::malformed, "a block's header that no version of this program writes"};
  if (header.codec == Codec::none && header.stored_bytes != header.body_bytes)
    return Error{Errc::malformed, "the two sizes of the block differ"};
  return header;
}

std::string place_of(const std::string& path, std::uint64_t offset, const BlockHeader& header) {
  return fmt::format("{}, byte {} (cseq {} to {})", path, offset, header.first.cseq,
                     header.last_cseq);
}

Bytes pack(BlockHeader& header, Bytes body, bool compress, std::vector<std::byte>& packed) {
  header.body_bytes = header.stored_bytes = static_cast<std::uint32_t>(body.size());
  header.codec = Codec::none;
  if (!compress) return body;
  packed.resize(ZSTD_compressBound(body.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), body.data(), body.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0 || size >= body.size()) return body;
  header.codec = Codec::zstd;
  header.stored_bytes = static_cast<std::uint32_t>(size);
  return Bytes(packed).first(size);
}

void frame(const BlockHeader& header, std::span<std::byte> bytes) {
  encode(header, bytes.data());
  const Bytes stored = Bytes(bytes).subspan(kBlockHead, header.stored_bytes);
  encode_tail(stored, bytes.data() + kBlockHead + header.stored_bytes);
}

Status write_block(const File& file, std::uint64_t offset, BlockHeader& header, Bytes stored) {
  header.stored_bytes = static_cast<std::uint32_t>(stored.size());
  std::array<std::byte, kBlockHead> head{};
  encode(header, head.data());
  std::array<std::byte, kBlockTail> tail{};
  encode_tail(stored, tail.data());
  const std::array<Bytes, 3> parts{Bytes(head), stored, Bytes(tail)};
  return file.write(offset, parts);
}

Result<BlockView> view_block(Bytes file, const std::string& name, std::uint64_t offset,
                             std::uint64_t seen, std::vector<std::byte>& unpacked) {
  const Bytes rest = offset < file.size() ? file.subspan(offset) : Bytes();
  Result<BlockHeader> header = decode_block_header(rest.first(std::min(rest.size(), kBlockHead)));
  if (!header.ok())
    return header.error().within(fmt::format("{}, byte {} (after cseq {})", name, offset, seen));
  const std::string place = place_of(name, offset, header.value());
  if (rest.size() < framed_bytes(header.value()))
    return Error{Errc::truncated, "the file ends inside the block"}.within(place);
  const Bytes stored = rest.subspan(kBlockHead, header.value().stored_bytes);
  if (!intact(stored, stored.data() + stored.size()))
    return Error{Errc::malformed, "the checksum of the block is wrong"}.within(place);
  if (header.value().codec == Codec::none) return BlockView{header.value(), stored};
  Status done = unpack(stored, header.value(), unpacked);
  if (!done.ok()) return done.error().within(place);
  return BlockView{header.value(), unpacked};
}

Result<BlockHeader> BlockReader::read(const File& file, std::uint64_t offset, std::uint64_t seen) {
  std::array<std::byte, kBlockHead> head{};
  const Result<std::size_t> got = file.read(offset, head);
  if (!got.ok()) return got.error();
  Result<BlockHeader> header = decode_block_header(Bytes(head).first(got.value()));
  if (!header.ok()) {
    return header.error().within(
        fmt::format("{}, byte {} (after cseq {})", file.path(), offset, seen));
  }
  if (header.value().kind == BlockKind::snapshot) {
    return Error{Errc::malformed, "a block of a snapshot, which no log holds"}.within(
        place_of(file.path(), offset, header.value()));
  }
  Status done = read_stored(file, offset, header.value());
  if (!done.ok()) return done.error();
  return header;
}

std::vector<std::byte>& BlockReader::room(std::size_t size) {
  if (std::exchange(held_, false)) body_ = std::make_shared<std::vector<std::byte>>();
  body_->resize(size);
  return *body_;
}

Status BlockReader::read_stored(const File& file, std::uint64_t offset, const BlockHeader& header) {
  const std::size_t stored = header.stored_bytes;
  const auto cut = [&] {
    return Error{Errc::truncated, "the file ends inside the block"}.within(
        place_of(file.path(), offset, header));
  };
  const Result<bool> held = file.holds(offset + kBlockHead, stored + kBlockTail);
  if (!held.ok()) return held.error();
  if (!held.value()) return cut();
  std::vector<std::byte>& target =
      header.codec == Codec::none ? room(stored + kBlockTail) : stored_;
  target.resize(stored + kBlockTail);
  const Result<std::size_t> got = file.read(offset + kBlockHead, target);
  if (!got.ok()) return got.error();
  if (got.value() < target.size()) return cut();
  if (!intact(Bytes(target).first(stored), target.data() + stored)) {
    return Error{Errc::malformed, "the checksum of the block is wrong"}.within(
        place_of(file.path(), offset, header));
  }
  target.resize(stored);
  if (header.codec == Codec::none) return Unit{};
  Status done = unpack(stored_, header, room(0));
  if (!done.ok()) return done.error().within(place_of(file.path(), offset, header));
  return done;
}

}  // namespace wherry::store
