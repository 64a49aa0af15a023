#include "decode/event.h"

namespace wherry::decode {
namespace {

void append_hex_literal(Bytes bytes, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "X'";
  for (const std::byte byte : bytes) {
    out += kHex[std::to_integer<unsigned>(byte) >> 4];
    out += kHex[std::to_integer<unsigned>(byte) & 15];
  }
  out += '\'';
}

}  // namespace

Result<XaPrepare> decode_xa_prepare(Bytes body) {
  constexpr std::uint64_t kPartMax = 64;
  Cursor in(body);
  XaPrepare event;
  event.one_phase = in.uint_le(1) != 0;
  const std::uint64_t format = in.uint_le(4);
  const std::uint64_t global_size = in.uint_le(4);
  const std::uint64_t branch_size = in.uint_le(4);
  const Bytes global = in.bytes(global_size);
  const Bytes branch = in.bytes(branch_size);
  if (in.failed()) return Error{Errc::truncated, "XA prepare event"};
  if (global_size > kPartMax || branch_size > kPartMax) {
    return Error{Errc::malformed, "XA prepare event: name longer than 64 bytes"};
  }

  append_hex_literal(global, event.xid);
  event.xid += ',';
  append_hex_literal(branch, event.xid);
  event.xid += ',' + std::to_string(static_cast<std::int32_t>(format));
  return event;
}

}  // namespace wherry::decode
