#include "decode/value.h"

#include <bit>
#include <cmath>

#include "decode/address.h"
#include "decode/cell_walk.h"
#include "decode/inflate.h"
#include "decode/number_text.h"
#include "decode/temporal.h"

namespace wherry::decode {
namespace {

void append_integer(Bytes bytes, bool is_unsigned, std::string& out) {
  const std::uint64_t raw = load_le(bytes.data(), bytes.size());
  if (is_unsigned) return append_number(raw, out);
  const auto unused = static_cast<int>(64 - 8 * bytes.size());
  append_number(static_cast<std::int64_t>(raw << unused) >> unused, out);
}

Status append_double(double value, std::string& out) {
  if (!std::isfinite(value)) return Error{Errc::malformed, "number that is not finite"};
  append_number(value, out);
  return Unit{};
}

void append_year(std::byte byte, std::string& out) {
  const unsigned years = std::to_integer<unsigned>(byte);
  append_padded(years == 0 ? 0 : 1900 + years, 4, out);
}

// The log drops trailing zero bytes of fixed strings. False: more bytes than the type has.
template <std::size_t N>
bool pad(Bytes bytes, std::array<std::byte, N>& whole) {
  if (bytes.size() > N) return false;
  whole.fill(std::byte{0});
  if (!bytes.empty()) std::memcpy(whole.data(), bytes.data(), bytes.size());
  return true;
}

Status append_fixed(const ColumnShape& shape, Bytes bytes, std::string& out) {
  Sixteen sixteen;
  std::array<std::byte, 4> four;
  const Error too_long{Errc::malformed, "fixed string longer than its type"};
  switch (shape.flavor) {
    case WireFlavor::uuid:
      if (!pad(bytes, sixteen)) return too_long;
      append_uuid(sixteen, out);
      return Unit{};
    case WireFlavor::inet6:
      if (!pad(bytes, sixteen)) return too_long;
      append_inet6(sixteen, out);
      return Unit{};
    case WireFlavor::inet4:
      if (!pad(bytes, four)) return too_long;
      append_inet4(four, out);
      return Unit{};
    case WireFlavor::none:
      break;
  }
  out += as_text(bytes);
  if (shape.fixed_binary && bytes.size() < shape.meta) out.append(shape.meta - bytes.size(), '\0');
  return Unit{};
}

// MariaDB's COMPRESSED columns: one byte {method, no zlib wrapping, size of the length}, then for
// method 0 the text, else its length big endian and the packed text.
constexpr unsigned kMethodNone = 0;
constexpr unsigned kMethodZlib = 8;

unsigned compression_method(Bytes bytes) { return std::to_integer<unsigned>(bytes[0]) >> 4; }

Status append_compressed_column(Bytes bytes, std::string& out) {
  Cursor in(bytes);
  const std::uint64_t head = in.uint_le(1);
  const std::uint64_t length_size = head & 7;
  if (compression_method(bytes) != kMethodZlib) {
    return Error{Errc::unsupported, "COMPRESSED column: unknown method"};
  }
  const std::uint64_t size = length_size == 0 ? 0 : in.uint_be(length_size);
  if (in.failed()) return Error{Errc::truncated, "COMPRESSED column"};
  const Wrapping wrapping = (head & 8) != 0 ? Wrapping::none : Wrapping::zlib;
  return inflate_exactly(in.remaining(), size, wrapping, out);
}

Status append_temporal(const ColumnShape& shape, Bytes bytes, std::string& out) {
  switch (shape.type) {
    case WireType::date:
    case WireType::newdate:
      return append_date(bytes, out);
    case WireType::time2:
      return append_time2(bytes, shape.meta, out);
    case WireType::datetime2:
      return append_datetime2(bytes, shape.meta, out);
    case WireType::timestamp2:
      return append_timestamp2(bytes, shape.meta, out);
    case WireType::time:
      return append_old_time(bytes, shape.meta % 7, out);
    case WireType::datetime:
      return append_old_datetime(bytes, shape.meta % 7, out);
    default:
      return append_old_timestamp(bytes, shape.meta % 7, out);
  }
}

}  // namespace

std::optional<std::string_view> raw_text(const ColumnShape& shape, const Cell& cell) {
  const Bytes bytes = cell.bytes();
  switch (shape.type) {
    case WireType::varchar:
    case WireType::var_string:
    case WireType::blob:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::geometry:
    case WireType::vector:
    case WireType::bit:
      return as_text(bytes);
    case WireType::string:
      if (shape.flavor != WireFlavor::none) return std::nullopt;
      if (shape.fixed_binary && bytes.size() < shape.meta) return std::nullopt;
      return as_text(bytes);
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      if (bytes.empty()) return std::string_view{};
      if (compression_method(bytes) == kMethodNone) return as_text(bytes.subspan(1));
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Status append_text(const ColumnShape& shape, const Cell& cell, std::string& out) {
  if (const auto raw = raw_text(shape, cell)) {
    out += *raw;
    return Unit{};
  }
  const Bytes bytes = cell.bytes();
  const CellFrame frame = frame_of(shape);
  if (frame.length_size == 0 && (bytes.size() != frame.size || bytes.empty())) {
    return Error{Errc::malformed, "cell of a wrong size"};
  }
  switch (shape.type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
      append_integer(bytes, shape.is_unsigned, out);
      return Unit{};
    case WireType::enum_:
    case WireType::set:
      append_integer(bytes, true, out);
      return Unit{};
    case WireType::float_:
      return append_double(
          std::bit_cast<float>(static_cast<std::uint32_t>(load_le(bytes.data(), 4))), out);
    case WireType::double_:
      return append_double(std::bit_cast<double>(load_le(bytes.data(), 8)), out);
    case WireType::newdecimal:
      return append_decimal(bytes, shape.meta >> 8, shape.meta & 0xFF, out);
    case WireType::date:
    case WireType::newdate:
    case WireType::time:
    case WireType::datetime:
    case WireType::timestamp:
    case WireType::time2:
    case WireType::datetime2:
    case WireType::timestamp2:
      return append_temporal(shape, bytes, out);
    case WireType::year:
      append_year(bytes[0], out);
      return Unit{};
    case WireType::string:
      return append_fixed(shape, bytes, out);
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      return append_compressed_column(bytes, out);
    case WireType::json:
      return append_json(bytes, out);
    default:
      break;
  }
  return Error{Errc::unsupported,
               "column type " + std::to_string(static_cast<unsigned>(shape.type))};
}

}  // namespace wherry::decode
