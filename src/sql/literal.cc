#include "sql/literal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "support/quote.h"

namespace wherry::sql {
namespace {

constexpr std::size_t kLarge = 256 << 10;

bool is_special(char c) { return c == '\\' || c == '\t' || c == '\n' || c == '\0'; }

char escaped(char special) {
  return special == '\0' ? '0' : special == '\t' ? 't' : special == '\n' ? 'n' : '\\';
}

void append_hex(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  // Growing step by step would hold a large value twice.
  if (bytes.size() >= kLarge) out.reserve(out.size() + 2 * bytes.size() + 3);
  out += "x'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  out += '\'';
}

// Plain enough to stand between quotes in every character set and SQL mode.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c <= 0x7E && c != '\'' && c != '\\'; });
}

void append_quoted_plain(std::string& out, std::string_view text) {
  out += '\'';
  out += text;
  out += '\'';
}

// Sixteen bytes at a time: most values have nothing to escape, and this runs over every byte of a
// snapshot.
using Block = unsigned char __attribute__((vector_size(16)));
bool any_special(const char* at) {
  Block block;
  std::memcpy(&block, at, sizeof block);
  const auto hit = (block == '\\') | (block == '\t') | (block == '\n') | (block == '\0');
  std::uint64_t halves[2];
  std::memcpy(halves, &hit, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

bool wide(std::string_view charset) {
  return charset == "ucs2" || charset == "utf16" || charset == "utf16le" || charset == "utf32";
}

// Naming one of these sets makes newer servers warn, and warnings are how bent values are found.
bool warns_of_itself(std::string_view charset) {
  return charset == "ucs2" || charset == "macroman" || charset == "macce" || charset == "dec8" ||
         charset == "hp8";
}

void append_text_literal(std::string& out, const Column& column, std::string_view text) {
  if (warns_of_itself(column.charset)) {
    append_hex(out, text);  // stored as the bytes it is
    return;
  }
  out += '_';
  // utf8mb3 warns as well; its texts are texts of utf8mb4.
  const bool three = column.charset == "utf8mb3" || column.charset == "utf8";
  out += three ? std::string_view("utf8mb4") : std::string_view(column.charset);
  if (!wide(column.charset) && is_plain(text)) {
    append_quoted_plain(out, text);
  } else {
    out += ' ';
    append_hex(out, text);
  }
}

}  // namespace

void append_literal(std::string& out, const Column& column, std::string_view canonical) {
  switch (column.kind) {
    case ColumnClass::integer:
    case ColumnClass::decimal:
    case ColumnClass::floating:
    case ColumnClass::enumeration:
    case ColumnClass::set:
    case ColumnClass::year:
      out += canonical;
      return;
    case ColumnClass::bit: {
      std::uint64_t value = 0;
      for (const char c : canonical) value = value << 8 | static_cast<unsigned char>(c);
      out += std::to_string(value);
      return;
    }
    case ColumnClass::text:
      append_text_literal(out, column, canonical);
      return;
    case ColumnClass::json:
      out += "CONVERT(";
      append_hex(out, canonical);
      out += " USING utf8mb4)";
      return;
    case ColumnClass::binary:
    case ColumnClass::geometry:
    case ColumnClass::vector:
      append_hex(out, canonical);
      return;
    case ColumnClass::date:
    case ColumnClass::time:
    case ColumnClass::datetime:
    case ColumnClass::timestamp:
    case ColumnClass::uuid:
    case ColumnClass::inet4:
    case ColumnClass::inet6:
      // The session's literals are binary strings; these types read their text from a real one.
      out += "_latin1";
      append_quoted_plain(out, canonical);
      return;
  }
}

void append_null_match(std::string& out, const Column& column) {
  out += quote_name(column.name);
  out += " IS NULL";
}

void append_exact_match(std::string& out, const Column& column, std::string_view canonical) {
  const std::string name = quote_name(column.name);
  switch (column.kind) {
    case ColumnClass::text:
    case ColumnClass::binary:
    case ColumnClass::geometry:
    case ColumnClass::vector:
      // As bytes: a collation could take another value for this one.
      out += fmt::format("CAST({} AS BINARY) <=> ", name);
      append_hex(out, canonical);
      return;
    case ColumnClass::json:
      out += fmt::format("{} <=> CAST(CONVERT(", name);
      append_hex(out, canonical);
      out += " USING utf8mb4) AS JSON)";
      return;
    case ColumnClass::enumeration:
    case ColumnClass::set:
      out += fmt::format("CAST({} AS UNSIGNED) <=> {}", name, canonical);
      return;
    default:
      out += name;
      out += " <=> ";
      append_literal(out, column, canonical);
      return;
  }
}

void append_field(std::string& out, std::string_view canonical) {
  if (canonical.size() >= kLarge) {
    // Growing step by step would hold it twice.
    const auto special = std::count_if(canonical.begin(), canonical.end(), is_special);
    out.reserve(out.size() + canonical.size() + static_cast<std::size_t>(special) + 1);
  }
  std::size_t from = 0;
  std::size_t plain = 0;  // how far nothing needs an escape
  for (std::size_t at = 0; at < canonical.size(); ++at) {
    while (at >= plain && at + sizeof(Block) <= canonical.size()) {
      if (any_special(canonical.data() + at)) {
        plain = at + sizeof(Block);
      } else {
        at += sizeof(Block);
      }
    }
    if (at == canonical.size()) break;
    const char c = canonical[at];
    if (!is_special(c)) continue;
    out.append(canonical, from, at - from);
    out += '\\';
    out += escaped(c);
    from = at + 1;
  }
  out.append(canonical, from, canonical.size() - from);
}

std::size_t escape_field(std::string_view canonical, std::span<char> room, std::size_t& filled) {
  std::size_t taken = 0;
  std::size_t at = 0;
  for (; taken < canonical.size(); ++taken) {
    const char c = canonical[taken];
    const bool special = is_special(c);
    if (at + (special ? 2 : 1) > room.size()) break;
    if (special) room[at++] = '\\';
    room[at++] = special ? escaped(c) : c;
  }
  filled += at;
  return taken;
}

void skip_field(std::string_view& line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] != '\t' && line[at] != '\n') at += line[at] == '\\' ? 2 : 1;
  line.remove_prefix(std::min(at + 1, line.size()));
}

bool take_field(std::string_view& line, std::string& buffer) {
  buffer.clear();
  if (line.substr(0, 2) == "\\N" && (line.size() == 2 || line[2] == '\t' || line[2] == '\n')) {
    line.remove_prefix(std::min<std::size_t>(3, line.size()));
    return false;
  }
  std::size_t at = 0;
  for (; at < line.size() && line[at] != '\t' && line[at] != '\n'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      buffer += line[at];
      continue;
    }
    const char c = line[++at];
    buffer += c == '0' ? '\0' : c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  line.remove_prefix(std::min(at + 1, line.size()));
  return true;
}

}  // namespace wherry::sql
