#include "decode/inflate.h"

#include <zlib.h>

namespace wherry::decode {

Status inflate_exactly(Bytes packed, std::size_t size, Wrapping wrapping, std::string& out) {
  // Deflate packs at most 1032 bytes into one.
  constexpr std::size_t kRatioMax = 1032;
  constexpr std::size_t kZlibMax = 0xFFFFFFFF;
  if (size / kRatioMax > packed.size() || size > kZlibMax || packed.size() > kZlibMax) {
    return Error{Errc::malformed, "compressed bytes: length out of range"};
  }

  z_stream stream{};
  if (inflateInit2(&stream, wrapping == Wrapping::zlib ? MAX_WBITS : -MAX_WBITS) != Z_OK) {
    return Error{Errc::malformed, "compressed bytes: zlib does not start"};
  }
  const std::size_t before = out.size();
  out.resize(before + size);
  // zlib never writes to its input; its interface only lacks the const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
  stream.avail_out = static_cast<uInt>(size);
  const int outcome = ::inflate(&stream, Z_FINISH);
  const bool complete = outcome == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);

  if (complete) return Unit{};
  out.resize(before);
  return Error{Errc::malformed, "compressed bytes do not unpack to their length"};
}

Status unpack_event_part(Bytes packed, std::string& out) {
  Cursor in(packed);
  const std::uint64_t head = in.uint_le(1);
  const std::uint64_t length_size = head & 0x07;
  const std::uint64_t algorithm = (head >> 4) & 0x07;
  if (in.failed()) return Error{Errc::truncated, "compressed event"};
  if ((head & 0x80) == 0 || length_size == 0 || length_size > 4) {
    return Error{Errc::malformed, "compressed event: bad header"};
  }
  if (algorithm != 0) return Error{Errc::unsupported, "compressed event: unknown algorithm"};
  const std::uint64_t size = in.uint_be(length_size);
  if (in.failed()) return Error{Errc::truncated, "compressed event"};
  return inflate_exactly(in.remaining(), size, Wrapping::zlib, out);
}

}  // namespace wherry::decode
