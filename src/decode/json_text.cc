#include "decode/json_text.h"

#include <cmath>

#include "decode/cell_walk.h"
#include "decode/number_text.h"
#include "decode/temporal.h"

namespace wherry::decode {
namespace {

// The letter behind the backslash, 0 for characters without a short escape.
char short_escape(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    default:
      return 0;
  }
}

void append_escape(char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '\\';
  if (const char letter = short_escape(c)) {
    out += letter;
    return;
  }
  out += "u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[static_cast<unsigned char>(c) & 15];
}

void append_base64(Bytes bytes, std::string& out) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  // The server breaks the digits after 76 of them, as a line break inside the JSON string.
  constexpr std::size_t kLineBytes = 57;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    if (i > 0 && i % kLineBytes == 0) out += "\\n";
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += count > 1 ? kDigits[group >> 6 & 63] : '=';
    out += count > 2 ? kDigits[group & 63] : '=';
  }
}

Status append_opaque_decimal(Bytes value, std::string& out) {
  Cursor in(value);
  const auto precision = static_cast<unsigned>(in.uint_le(1));
  const auto scale = static_cast<unsigned>(in.uint_le(1));
  if (in.failed() || precision == 0 || precision > 65 || scale > precision) {
    return Error{Errc::malformed, "decimal in JSON"};
  }
  return append_decimal(in.remaining(), precision, scale, out);
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.substr(plain, i - plain));
    append_escape(c, out);
    plain = i + 1;
  }
  out.append(text.substr(plain));
  out += '"';
}

// The server writes an exponent for numbers below 1e-15 and for whole numbers from 1e15 on.
Status append_json_double(double value, std::string& out) {
  constexpr int kPlacesMax = 15;
  if (!std::isfinite(value)) return Error{Errc::malformed, "number in JSON that is not finite"};
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific);
  const std::string_view shown(text, static_cast<std::size_t>(end.ptr - text));
  const std::size_t mark = shown.find('e');
  std::string digits;  // at most 17: stays in the small buffer or close to it
  for (const char c : shown.substr(0, mark)) {
    if (c != '.') digits += c;
  }
  int exponent = 0;
  const char* first = shown.data() + mark + 1;
  std::from_chars(*first == '+' ? first + 1 : first, end.ptr, exponent);
  const int point = exponent + 1;  // digits before the point
  const int count = static_cast<int>(digits.size());

  if (std::signbit(value)) out += '-';
  if (point < 1 - kPlacesMax || (point > kPlacesMax && count <= point)) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out += 'e';
    append_number(exponent, out);
  } else if (point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
  } else if (count <= point) {
    out.append(digits).append(static_cast<std::size_t>(point - count), '0').append(".0");
  } else {
    out.append(digits, 0, static_cast<std::size_t>(point)).append(".");
    out.append(digits, static_cast<std::size_t>(point));
  }
  return Unit{};
}

Status append_json_opaque(unsigned field_type, Bytes value, std::string& out) {
  const auto type = static_cast<WireType>(field_type);
  if (type == WireType::newdecimal) return append_opaque_decimal(value, out);

  const bool temporal = type == WireType::date || type == WireType::time ||
                        type == WireType::datetime || type == WireType::timestamp;
  if (!temporal) {
    out += "\"base64:type";
    append_number(field_type, out);
    out += ':';
    append_base64(value, out);
    out += '"';
    return Unit{};
  }
  if (value.size() != 8) return Error{Errc::malformed, "date or time in JSON: size"};
  const auto packed = static_cast<std::int64_t>(load_le(value.data(), 8));
  out += '"';
  Status done = type == WireType::date   ? append_packed_date(packed, out)
                : type == WireType::time ? append_packed_time(packed, out)
                                         : append_packed_datetime(packed, out);
  out += '"';
  return done;
}

}  // namespace wherry::decode
