#include <zstd.h>

#include <memory>

#include "decode/event.h"

namespace wherry::decode {
namespace {

enum class Compression : std::uint64_t { zstd = 0, none = 255 };

struct PayloadHead {
  std::uint64_t size = 0;
  std::uint64_t unpacked_size = 0;
  Compression compression = Compression::none;
};

// A list of {type, length, value} that ends with type 0.
Result<PayloadHead> read_head(Cursor& in) {
  enum : std::uint64_t { end = 0, payload_size = 1, compression = 2, unpacked_size = 3 };
  PayloadHead head;
  while (true) {
    const std::uint64_t type = in.packed();
    if (in.failed()) return Error{Errc::truncated, "transaction payload"};
    if (type == end) return head;
    Cursor value(in.bytes(in.packed()));
    if (type == payload_size) head.size = value.packed();
    if (type == compression) head.compression = static_cast<Compression>(value.packed());
    if (type == unpacked_size) head.unpacked_size = value.packed();
    if (in.failed() || value.failed()) return Error{Errc::truncated, "transaction payload"};
  }
}

// Grows with what really comes out, so that a wrong length in the head costs nothing.
Status unpack_zstd(Bytes packed, std::size_t bytes_max, std::vector<std::byte>& out) {
  constexpr std::size_t kStepMin = 64 * 1024;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (!context) return Error{Errc::malformed, "transaction payload: zstd does not start"};
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t filled = 0;
  std::size_t outcome = 1;
  while (true) {
    if (filled == out.size()) {
      if (filled == bytes_max) break;
      out.resize(std::min(bytes_max, std::max(kStepMin, out.size() * 2)));
    }
    ZSTD_outBuffer output{out.data() + filled, out.size() - filled, 0};
    outcome = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(outcome)) return Error{Errc::malformed, "transaction payload: zstd"};
    filled += output.pos;
    const bool starved = input.pos == input.size && filled < out.size();
    if (starved || (outcome == 0 && input.pos == input.size)) break;
  }
  out.resize(filled);
  if (outcome != 0 || input.pos != input.size) {
    return Error{Errc::malformed, "transaction payload does not unpack to its size"};
  }
  return Unit{};
}

Status split_events(TransactionPayload& payload) {
  Bytes rest(payload.bytes);
  while (!rest.empty()) {
    Cursor in(rest);
    in.bytes(9);
    const std::uint64_t size = in.uint_le(4);
    if (in.failed() || size > rest.size()) {
      return Error{Errc::truncated, "event inside a transaction payload"};
    }
    if (size < kHeaderSize) return Error{Errc::malformed, "event inside a transaction payload"};
    payload.events.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  return Unit{};
}

}  // namespace

Result<TransactionPayload> decode_transaction_payload(Bytes body, std::size_t bytes_max) {
  Cursor in(body);
  const Result<PayloadHead> read = read_head(in);
  if (!read.ok()) return read.error();
  const PayloadHead& head = read.value();
  const Bytes packed = in.bytes(head.size);
  if (in.failed()) return Error{Errc::truncated, "transaction payload"};

  TransactionPayload payload;
  if (head.compression == Compression::none) {
    if (packed.size() > bytes_max)
      return Error{Errc::unsupported, "transaction payload over the limit"};
    payload.bytes.assign(packed.begin(), packed.end());
  } else if (head.compression == Compression::zstd) {
    if (head.unpacked_size > bytes_max) {
      return Error{Errc::unsupported, "transaction payload over the limit"};
    }
    const Status unpacked = unpack_zstd(packed, head.unpacked_size, payload.bytes);
    if (!unpacked.ok()) return unpacked.error();
    if (payload.bytes.size() != head.unpacked_size) {
      return Error{Errc::malformed, "transaction payload does not unpack to its size"};
    }
  } else {
    return Error{Errc::unsupported, "transaction payload: unknown compression"};
  }
  const Status events = split_events(payload);
  if (!events.ok()) return events.error();
  return payload;
}

}  // namespace wherry::decode
