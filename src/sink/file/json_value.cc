#include "sink/file/json_value.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "decode/value.h"
#include "sink/file/json_line.h"
#include "support/ascii.h"

namespace wherry::sink {
namespace {

enum class Text { binary, utf8, latin1, other };

constexpr std::uint32_t kNoPad = 1024;       // MariaDB: the same collation without padding
constexpr std::uint32_t kUca1400 = 2048;     // MariaDB: 256 numbers for each character set
constexpr std::uint32_t kUca1400End = 2560;  // behind utf8mb3 and utf8mb4

// By the numbers of information_schema.collations of both servers; those of utf8mb3, utf8mb4 and
// ascii are all text that JSON holds as it is.
Text text_of(std::uint32_t collation) {
  if (collation == 63) return Text::binary;
  if (collation >= kUca1400) return collation < kUca1400End ? Text::utf8 : Text::other;
  const std::uint32_t id = collation >= kNoPad ? collation - kNoPad : collation;
  if (id == 11 || id == 65) return Text::utf8;  // ascii
  if (id == 33 || id == 45 || id == 46 || id == 76 || id == 83) return Text::utf8;
  if ((id >= 192 && id <= 247) || (id >= 255 && id <= 323)) return Text::utf8;
  if ((id >= 576 && id <= 578) || (id >= 608 && id <= 610)) return Text::utf8;
  constexpr std::array<std::uint32_t, 8> kLatin1{5, 8, 15, 31, 47, 48, 49, 94};
  return std::find(kLatin1.begin(), kLatin1.end(), id) != kLatin1.end() ? Text::latin1
                                                                        : Text::other;
}

// The servers' latin1 is Windows-1252, with its five gaps filled by control characters.
constexpr std::array<std::uint16_t, 32> kWindows1252{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint32_t point = byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : byte;
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | point >> 6);
      out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | point >> 12);
      out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
      out += static_cast<char>(0x80 | (point & 0x3F));
    }
  }
  return out;
}

void append_bytes(std::string_view bytes, std::string& out) {
  out += R"({"base64":")";
  append_base64(bytes, out);
  out += "\"}";
}

void append_text_of(std::uint32_t collation, std::string_view text, std::string& out) {
  const Text kind = text_of(collation);
  if (kind == Text::binary) return append_bytes(text, out);
  if (kind == Text::utf8 && append_json_string(text, out)) return;
  if (kind == Text::latin1 && append_json_string(latin1_to_utf8(text), out)) return;
  out += R"({"base64":")";
  append_base64(text, out);
  out += fmt::format(R"(","collation":{}}})", collation);
}

void append_number_or_string(std::string_view text, std::string& out) {
  if (is_safe_number(text)) {
    out += text;
  } else {
    out += '"';
    out += text;
    out += '"';
  }
}

std::uint64_t unsigned_of(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

// scratch: the index. 0 is what the server stores for a value that is none of the members.
void append_enum(const std::vector<std::string>& members, std::uint32_t collation,
                 std::string_view index, std::string& out) {
  const std::uint64_t at = unsigned_of(index);
  if (at == 0 || at > members.size()) {
    out += index;
  } else {
    append_text_of(collation, members[at - 1], out);
  }
}

void append_set(const std::vector<std::string>& members, std::uint32_t collation,
                std::string_view mask_text, std::string& out) {
  const std::uint64_t mask = unsigned_of(mask_text);
  std::string joined;
  for (std::size_t i = 0; i < members.size() && i < 64; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!joined.empty()) joined += ',';
    joined += members[i];
  }
  append_text_of(collation, joined, out);
}

void append_bits(std::string_view bytes, std::string& out) {
  std::uint64_t bits = 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<unsigned char>(c);
  append_number_or_string(fmt::format("{}", bits), out);
}

const std::vector<std::string>& members_of(const decode::TableMap& map, std::size_t column) {
  static const std::vector<std::string> kNone;
  return column < map.members.size() ? map.members[column] : kNone;
}

enum class Form { number, small_number, bits, member, members, json, bytes, text, quoted, none };

Form form_of(WireType type) {
  switch (type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
    case WireType::newdecimal:
    case WireType::decimal:
      return Form::number;
    case WireType::year:
    case WireType::float_:   // the shortest text of a double:
    case WireType::double_:  // it reads back to the same
      return Form::small_number;
    case WireType::bit:
      return Form::bits;
    case WireType::enum_:
      return Form::member;
    case WireType::set:
      return Form::members;
    case WireType::json:
      return Form::json;
    case WireType::geometry:
    case WireType::vector:
      return Form::bytes;
    case WireType::varchar:
    case WireType::var_string:
    case WireType::string:
    case WireType::blob:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      return Form::text;
    case WireType::date:
    case WireType::newdate:
    case WireType::time:
    case WireType::time2:
    case WireType::datetime:
    case WireType::datetime2:
    case WireType::timestamp:
    case WireType::timestamp2:
      return Form::quoted;
    case WireType::null:
    case WireType::typed_array:
      break;
  }
  return Form::none;
}

Status append_diffs(const decode::Cell& cell, std::string& out) {
  Result<std::vector<decode::JsonDiff>> diffs = decode::decode_json_diffs(cell);
  if (!diffs.ok()) return diffs.error();
  constexpr std::array kNames{"replace", "insert", "remove"};
  out += R"({"json_diff":[)";
  bool first = true;
  for (const decode::JsonDiff& diff : diffs.value()) {
    if (!std::exchange(first, false)) out += ',';
    out += fmt::format(R"({{"op":"{}","path":)", kNames[static_cast<std::size_t>(diff.operation)]);
    if (!append_json_string(diff.path, out)) append_bytes(diff.path, out);
    if (diff.operation != decode::JsonOperation::remove) {
      out += R"(,"value":)";
      if (!append_json_string(diff.value, out)) append_bytes(diff.value, out);
    }
    out += '}';
  }
  out += "]}";
  return Unit{};
}

}  // namespace

bool is_safe_number(std::string_view text) {
  constexpr std::ptrdiff_t kDigitsMax = 15;
  const auto digits =
      std::count_if(text.begin(), text.end(), [](char c) { return ascii::digit(c); });
  if (digits <= kDigitsMax) return true;
  // Zeros in front of a fraction are none of the digits that count.
  const std::size_t first = text.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto counted = std::count_if(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                                     [](char c) { return ascii::digit(c); });
  return counted <= kDigitsMax;
}

Status append_value(const decode::TableMap& map, std::size_t column, const decode::Cell& cell,
                    std::string& scratch, std::string& out) {
  if (cell.null) {
    out += "null";
    return Unit{};
  }
  if (cell.partial_json) return append_diffs(cell, out);
  const ColumnShape& shape = map.columns[column];
  const std::uint32_t collation = column < map.collations.size() ? map.collations[column] : 0;
  scratch.clear();
  if (Status done = decode::append_text(shape, cell, scratch); !done.ok()) return done;
  switch (form_of(shape.type)) {
    case Form::number:
      append_number_or_string(scratch, out);
      return Unit{};
    case Form::small_number:
      out += scratch.size() == 4 && shape.type == WireType::year
                 ? fmt::format("{}", unsigned_of(scratch))
                 : scratch;
      return Unit{};
    case Form::bits:
      append_bits(scratch, out);
      return Unit{};
    case Form::member:
      append_enum(members_of(map, column), collation, scratch, out);
      return Unit{};
    case Form::members:
      append_set(members_of(map, column), collation, scratch, out);
      return Unit{};
    case Form::json:
      if (!append_json_string(scratch, out)) append_bytes(scratch, out);
      return Unit{};
    case Form::bytes:
      append_bytes(scratch, out);
      return Unit{};
    case Form::text:
      append_text_of(collation, scratch, out);
      return Unit{};
    case Form::quoted:
      out += '"';
      out += scratch;
      out += '"';
      return Unit{};
    case Form::none:
      break;
  }
  return Error{Errc::unsupported, fmt::format("column type {}", static_cast<unsigned>(shape.type)),
               0};
}

}  // namespace wherry::sink
